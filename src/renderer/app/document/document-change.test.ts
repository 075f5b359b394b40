import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FaultData } from '../../../core/shared/errors.ts';
import type { Measurement } from '../../viewer/model/measure.ts';
import { type DocumentPhase, firstDocument } from '../state/document-state.ts';
import { startProgress } from '../state/progress.ts';
import type { ResidencyState } from '../state/residency-state.ts';
import { type AppState, createAppStore } from '../state/store.ts';
import { changeDocument, changeJobProgress, changeLoadProgress, type DocumentEvent } from './document-change.ts';

const progress = startProgress('Working', 10, 0);
const fault: FaultData = { tag: 'corrupt', message: 'bad', context: [] };
const lost: FaultData = { tag: 'device-lost', message: 'gone', context: [] };
const residency = { kept: 'raw', progress: undefined } as ResidencyState;
const onGpu = { residency, chunks: undefined };
const compressed = { result: {} as never, isAsked: true };
const saved = { name: 'a.stria', folder: '', reveal: undefined, timeline: [] };
const file = { name: 'a.raw', size: 1, handle: {} as never, siblings: async () => undefined };

const examples: readonly DocumentEvent[] = [
  { kind: 'open', name: 'a.nii', progress },
  { kind: 'seek', name: 'a.stria-session', progress },
  { kind: 'ask', question: { kind: 'layout', file, suggestions: [] } },
  { kind: 'ask', question: { kind: 'waiting', session: {} as never } },
  { kind: 'fail', name: 'a.nii', fault },
  { kind: 'loaded', document: { name: 'a.nii' } as never, ...onGpu },
  { kind: 'returned', ...onGpu },
  { kind: 'measured', statistics: { max: 9 } as never },
  { kind: 'readBack', readBack: { ms: 7, span: { stage: 'Read back', startMs: 5, endMs: 7, bytes: 1 } } },
  { kind: 'resultLost', fault: lost, chunks: undefined, asFile: undefined, isEarlierLeft: false },
  { kind: 'close' },
  { kind: 'cancel' },
  { kind: 'deviceLost', fault: lost },
  { kind: 'deviceBack' },
  { kind: 'deviceGone', fault: lost },
  { kind: 'compress', progress, isAsked: true },
  { kind: 'stream', progress },
  { kind: 'exchange', progress },
  { kind: 'exchange', progress: undefined },
  { kind: 'save', name: 'a.stria', progress },
  { kind: 'compressed', compressed, ...onGpu },
  { kind: 'streamed', compressed, saved },
  { kind: 'exchanged', residency },
  { kind: 'saved', saved },
  { kind: 'compressFailed', fault },
  { kind: 'exchangeFailed', fault },
  { kind: 'saveFailed', fault },
];

function stateAfter(events: readonly DocumentEvent[], change: Partial<AppState> = {}): AppState {
  const store = createAppStore();
  store.setState(change);
  for (const event of events) store.setState((state) => changeDocument(state, event) ?? {});
  return store.getState();
}

const sequences = fc.array(fc.constantFrom(...examples), { maxLength: 60 });
const [open, loaded, compress, done, save] = [
  { kind: 'open', name: 'a.nii', progress },
  { kind: 'loaded', document: { name: 'a.nii' } as never, ...onGpu },
  { kind: 'compress', progress, isAsked: true },
  { kind: 'compressed', compressed, ...onGpu },
  { kind: 'save', name: 'a.stria', progress },
] as const satisfies readonly DocumentEvent[];

const shownIn: Readonly<Record<DocumentPhase, readonly AppState['document']['kind'][]>> = {
  empty: ['empty'],
  seeking: ['loading'],
  asking: ['layout', 'waiting'],
  loading: ['loading'],
  failed: ['failed'],
  ready: ['ready'],
  lost: ['ready'],
  returning: ['ready'],
  stranded: ['ready'],
};

describe('the document in the state', () => {
  it('agrees with the machine after any events', () => {
    fc.assert(
      fc.property(sequences, (events) => {
        const state = stateAfter(events);
        const { phase, job } = state.life;
        expect(shownIn[phase]).toContain(state.document.kind);
        expect(state.compression.kind === 'running').toBe(job === 'compressing' || job === 'streaming');
        expect(state.save.kind === 'saving').toBe(job === 'saving');
        if (state.residency?.progress) expect(job).toBe('exchanging');
        if (state.document.kind !== 'ready') {
          expect({ ...state, life: firstDocument.life, document: firstDocument.document }).toMatchObject(firstDocument);
        }
      }),
    );
  });

  it('keeps the compressed volume until another volume or another result replaces it, or until it is lost', () => {
    fc.assert(
      fc.property(sequences, (events) => {
        const state = stateAfter([open, loaded, compress, done, ...events]);
        const isReplaced = events.some(({ kind }) => ['open', 'seek', 'ask', 'fail', 'close', 'resultLost'].includes(kind));
        if (!isReplaced) expect(state.compressed).toBeDefined();
      }),
    );
  });

  it('drops compression, saving and measurements when the document changes', () => {
    const measurements = [{ id: 'm' } as Measurement];
    const state = stateAfter([open, loaded, compress, done, save], { measurements });
    expect(stateAfter([{ kind: 'fail', name: 'b.nii', fault }], { ...state, tool: 'angle', page: 'lab' })).toMatchObject({
      document: { kind: 'failed', name: 'b.nii' },
      compression: { kind: 'idle' },
      compressed: undefined,
      save: { kind: 'idle' },
      measurements: [],
      tool: 'pointer',
      page: 'viewer',
    });
  });

  it('keeps measurements and the page while there is no device', () => {
    const own = { measurements: [{ id: 'm' } as Measurement], page: 'lab' } as const;
    const away = stateAfter([{ kind: 'deviceLost', fault: lost }, { kind: 'deviceBack' }], {
      ...stateAfter([open, loaded]),
      ...own,
    });
    expect(away).toMatchObject({ ...own, life: { phase: 'returning' }, document: { kind: 'ready' } });
    expect(stateAfter([{ kind: 'returned', ...onGpu }], away)).toMatchObject({ ...own, life: { phase: 'ready' } });
  });

  it('keeps statistics of the full resolution when resolution or device change, but not when the volume does', () => {
    const statistics = { max: 9 } as never;
    const coarser = { name: 'a.nii', statistics: { max: 5 } } as never;
    const full = { document: { statistics: { max: 9 }, areStatisticsFull: true } };
    const measured = stateAfter([open, loaded, compress, { kind: 'measured', statistics }]);
    expect(measured).toMatchObject({ life: { phase: 'ready', job: 'compressing' }, document: full });
    expect(stateAfter([{ kind: 'refined', document: coarser, ...onGpu }], measured).document).toMatchObject(full);
    // Reading the file needs no device.
    const away = stateAfter([
      open,
      loaded,
      { kind: 'deviceLost', fault: lost },
      { kind: 'deviceBack' },
      { kind: 'measured', statistics },
    ]);
    expect(stateAfter([{ kind: 'returned', document: coarser, ...onGpu }], away).document).toMatchObject(full);
    const other = stateAfter([open, { ...loaded, document: coarser }], measured);
    expect(other.document).toEqual({ kind: 'ready', document: coarser });
  });

  it('reports a device loss that interrupts compressing, but not a cancel', () => {
    const running = [open, loaded, compress];
    const { compression } = stateAfter([...running, { kind: 'deviceLost', fault: lost }]);
    expect(compression).toEqual({ kind: 'failed', fault: lost });
    expect(stateAfter([...running, { kind: 'cancel' }]).compression).toEqual({ kind: 'idle' });
  });

  it('reports the device loss if loading cannot continue', () => {
    const { document } = stateAfter([open, { kind: 'deviceLost', fault: lost }, { kind: 'deviceGone', fault: lost }]);
    expect(document).toMatchObject({ kind: 'failed', name: 'a.nii', fault: lost });
  });

  it('accepts progress only from the running job', () => {
    const next = { ...progress, done: 5 };
    expect(changeLoadProgress(stateAfter([open]), next)).toMatchObject({ document: { name: 'a.nii', progress: next } });
    expect(changeLoadProgress(stateAfter([open, loaded]), next)).toEqual({});
    expect(changeJobProgress(stateAfter([open, loaded]), next)).toEqual({});
    expect(changeJobProgress(stateAfter([open, loaded, compress]), next)).toMatchObject({ compression: { progress: next } });
    expect(changeJobProgress(stateAfter([open, loaded, compress, done, save]), next)).toMatchObject({ save: { progress: next } });
    const exchanging = stateAfter([open, loaded, { kind: 'exchange', progress }]);
    expect(changeJobProgress(exchanging, next)).toMatchObject({ residency: { progress: next } });
    // The exchange was started without progress.
    expect(changeJobProgress(stateAfter([open, loaded, { kind: 'exchange', progress: undefined }]), next)).toEqual({});
  });
});
