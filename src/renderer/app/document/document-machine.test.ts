import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DocumentJob, DocumentLifeState, DocumentPhase } from '../state/document-state.ts';
import { type DocumentEventKind, documentEvents, endsJob, hasDocument, jobs, nextLife, phases } from './document-machine.ts';

const allPhases = Object.keys(phases) as DocumentPhase[];
const allJobs = Object.keys(jobs) as DocumentJob[];

/** The effect of each event in each phase without a job: `phase/job`, or nothing if it is ignored. */
const expected: Readonly<Record<DocumentPhase, string>> = {
  empty: '',
  seeking: 'cancel→empty/none',
  asking: '',
  loading: 'loaded→ready/none cancel→empty/none deviceLost→loading/none deviceBack→loading/none deviceGone→failed/none',
  failed: '',
  ready:
    'refined→ready/none measured→ready/none readBack→ready/none resultLost→ready/none deviceLost→lost/none compress→ready/compressing stream→ready/streaming exchange→ready/exchanging save→ready/saving saveFailed→ready/none',
  lost: 'measured→lost/none readBack→lost/none resultLost→lost/none deviceBack→returning/none deviceGone→stranded/none save→lost/saving saveFailed→lost/none',
  returning:
    'returned→ready/none measured→returning/none readBack→returning/none resultLost→returning/none deviceLost→lost/none save→returning/saving saveFailed→returning/none',
  stranded:
    'measured→stranded/none readBack→stranded/none resultLost→stranded/none deviceBack→returning/none save→stranded/saving saveFailed→stranded/none',
};

/** The effect of each event while a job runs on a volume that is ready. */
const expectedOfJobs: Readonly<Record<Exclude<DocumentJob, 'none'>, string>> = {
  compressing:
    'refined→ready/compressing measured→ready/compressing readBack→ready/compressing resultLost→ready/compressing cancel→ready/none deviceLost→lost/none compress→ready/compressing exchange→ready/exchanging compressed→ready/none compressFailed→ready/none',
  streaming:
    'refined→ready/streaming measured→ready/streaming readBack→ready/streaming resultLost→ready/streaming cancel→ready/none deviceLost→lost/streaming compressFailed→ready/none streamed→ready/none',
  exchanging:
    'refined→ready/exchanging measured→ready/exchanging readBack→ready/exchanging resultLost→ready/exchanging cancel→ready/none deviceLost→lost/none compress→ready/compressing exchange→ready/exchanging save→ready/saving exchanged→ready/none exchangeFailed→ready/none',
  saving:
    'refined→ready/saving measured→ready/saving readBack→ready/saving resultLost→ready/saving cancel→ready/none deviceLost→lost/saving saved→ready/none saveFailed→ready/none',
};

const replacing = 'open→loading/none seek→seeking/none ask→asking/none fail→failed/none close→empty/none';

function transitions(life: DocumentLifeState): string {
  return documentEvents
    .flatMap((event) => {
      const next = nextLife(life, event);
      return next ? [`${event}→${next.phase}/${next.job}`] : [];
    })
    .join(' ');
}

describe('the life of a document', () => {
  it.each(allPhases)('allows these events, and ignores all others: %s', (phase) => {
    expect(transitions({ phase, job: 'none' })).toBe(`${replacing} ${expected[phase]}`.trim());
  });

  it.each(Object.entries(expectedOfJobs))('allows these events while %s', (job, events) => {
    expect(transitions({ phase: 'ready', job: job as DocumentJob })).toBe(`${replacing} ${events}`);
  });

  it('keeps writing a file, with or without a device', () => {
    for (const job of ['saving', 'streaming'] as const) {
      let life: DocumentLifeState = { phase: 'ready', job };
      for (const event of ['deviceLost', 'exchange', 'compress', 'save', 'deviceBack', 'deviceLost', 'deviceGone'] as const) {
        life = nextLife(life, event) ?? life;
        expect(life.job).toBe(job);
      }
      expect(life.phase).toBe('stranded');
    }
  });

  it('knows which events end a job, even if the same job starts again', () => {
    const ends = (job: DocumentJob) => documentEvents.filter((event) => endsJob({ phase: 'ready', job }, event));
    expect(ends('none')).toEqual([]);
    const replaced = ['open', 'seek', 'ask', 'fail', 'close', 'cancel'];
    expect(ends('saving')).toEqual([...replaced, 'saved', 'saveFailed']);
    expect(ends('compressing')).toEqual([...replaced, 'deviceLost', 'compress', 'exchange', 'compressed', 'compressFailed']);
  });
});

const events = fc.array(fc.constantFrom(...documentEvents), { maxLength: 60 });

function lifeAfter(sequence: readonly DocumentEventKind[], from: DocumentLifeState = { phase: 'empty', job: 'none' }) {
  return sequence.reduce((life, event) => nextLife(life, event) ?? life, from);
}

describe('after any events', () => {
  it('there is a job only if there is a volume', () => {
    fc.assert(
      fc.property(events, (sequence) => {
        const { phase, job } = lifeAfter(sequence);
        if (job !== 'none') expect(hasDocument(phase)).toBe(true);
      }),
    );
  });

  it('cancel leads to a settled state: ready, or empty if loading was cancelled', () => {
    fc.assert(
      fc.property(events, (sequence) => {
        const before = lifeAfter(sequence);
        const now = lifeAfter(['cancel'], before);
        expect(now.job).toBe('none');
        const isUnderWay = before.phase === 'loading' || before.phase === 'seeking';
        expect(now.phase).toBe(isUnderWay ? 'empty' : before.phase);
      }),
    );
  });

  it('a lost device leads back to the previous state, or to a failure with a name', () => {
    fc.assert(
      fc.property(events, fc.boolean(), (sequence, isGone) => {
        const before = lifeAfter(sequence);
        const device: DocumentEventKind[] = isGone ? ['deviceLost', 'deviceGone'] : ['deviceLost', 'deviceBack', 'returned'];
        const now = lifeAfter(device, before);
        if (isGone) expect(['lost', 'returning']).not.toContain(now.phase);
        if (before.phase === 'loading') expect(now.phase).toBe(isGone ? 'failed' : 'loading');
        else if (hasDocument(before.phase)) expect(now.phase).toBe(isGone ? 'stranded' : 'ready');
        else expect(now).toEqual(before);
      }),
    );
  });

  it('there is a way out of every state: work ends, and a volume can be opened', () => {
    /** The events that can end the work of a state, or come from its device. */
    const ends: Readonly<Partial<Record<DocumentPhase | DocumentJob, readonly DocumentEventKind[]>>> = {
      seeking: ['open', 'ask', 'fail'],
      loading: ['loaded', 'fail'],
      lost: ['deviceBack', 'deviceGone'],
      returning: ['returned', 'fail'],
      compressing: ['compressed', 'compressFailed'],
      streaming: ['streamed', 'compressFailed'],
      exchanging: ['exchanged', 'exchangeFailed'],
      saving: ['saved', 'saveFailed'],
    };
    fc.assert(
      fc.property(events, (sequence) => {
        const life = lifeAfter(sequence);
        for (const event of [...(ends[life.phase] ?? []), ...(ends[life.job] ?? [])]) {
          expect(nextLife(life, event), `${life.phase}/${life.job}: ${event}`).not.toEqual(life);
        }
        expect(lifeAfter(['open', 'loaded'], life)).toEqual({ phase: 'ready', job: 'none' });
      }),
    );
    // Every state that waits for something is covered.
    const resting: readonly string[] = ['empty', 'asking', 'failed', 'ready', 'stranded', 'none'];
    expect([...allPhases, ...allJobs].filter((name) => !(name in ends) && !resting.includes(name))).toEqual([]);
  });
});
