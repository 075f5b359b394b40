import type { DocumentJob, DocumentLifeState, DocumentPhase } from '../state/document-state.ts';
import type { Transitions } from '../state/transitions.ts';

/** What can happen to the document. document-change.ts declares the data of each event. */
export const documentEvents = [
  // The document is opened or closed.
  'open',
  'seek',
  'ask',
  'fail',
  'close',
  'loaded',
  'returned',
  // A finer resolution has replaced the first one, or could not be loaded.
  'refined',
  // The statistics at full resolution are known. They change neither phase nor job.
  'measured',
  // The last result is in host memory, or was lost before it was. Neither changes phase or job.
  'readBack',
  'resultLost',
  'cancel',
  // The device is lost, replaced, or cannot be replaced.
  'deviceLost',
  'deviceBack',
  'deviceGone',
  // A job begins.
  'compress',
  'stream',
  'exchange',
  'save',
  // A job ends.
  'compressed',
  'compressFailed',
  'streamed',
  'exchanged',
  'exchangeFailed',
  'saved',
  'saveFailed',
] as const;
export type DocumentEventKind = (typeof documentEvents)[number];
type JobStart = 'compress' | 'stream' | 'exchange' | 'save';

/** In every phase the document may be replaced. */
const replace = { open: 'loading', seek: 'seeking', ask: 'asking', fail: 'failed', close: 'empty' } as const;

/** The phase after each event. Events that are not listed do not change the phase. */
export const phases: Transitions<DocumentPhase, DocumentEventKind> = {
  empty: { ...replace },
  seeking: { ...replace, cancel: 'empty' },
  asking: { ...replace },
  // Without a device, loading waits for one and starts over.
  loading: { ...replace, cancel: 'empty', loaded: 'ready', deviceLost: 'loading', deviceBack: 'loading', deviceGone: 'failed' },
  failed: { ...replace },
  ready: { ...replace, deviceLost: 'lost', refined: 'ready' },
  lost: { ...replace, deviceBack: 'returning', deviceGone: 'stranded' },
  returning: { ...replace, returned: 'ready', deviceLost: 'lost' },
  stranded: { ...replace, deviceBack: 'returning' },
};

/** Events that leave the job as it is. */
function aside(job: DocumentJob) {
  return { measured: job, readBack: job, resultLost: job } as const;
}

/** The job after each event. A new job ends the one before, except that no job ends the writing of a file. */
export const jobs: Transitions<DocumentJob, DocumentEventKind> = {
  none: {
    compress: 'compressing',
    stream: 'streaming',
    exchange: 'exchanging',
    save: 'saving',
    saveFailed: 'none',
    ...aside('none'),
  },
  compressing: {
    compress: 'compressing',
    exchange: 'exchanging',
    compressed: 'none',
    compressFailed: 'none',
    cancel: 'none',
    deviceLost: 'none',
    ...aside('compressing'),
  },
  // Streaming uses a device of its own.
  streaming: { streamed: 'none', compressFailed: 'none', cancel: 'none', ...aside('streaming') },
  exchanging: {
    compress: 'compressing',
    exchange: 'exchanging',
    save: 'saving',
    exchanged: 'none',
    exchangeFailed: 'none',
    cancel: 'none',
    deviceLost: 'none',
    ...aside('exchanging'),
  },
  // Saving writes the compressed bytes and needs no device.
  saving: { saved: 'none', saveFailed: 'none', cancel: 'none', ...aside('saving') },
};

/** The jobs that may begin in each phase. In phases that are not listed there is no document, so there is no job. */
const beginnings: Readonly<Partial<Record<DocumentPhase, readonly JobStart[]>>> = {
  ready: ['compress', 'stream', 'exchange', 'save'],
  lost: ['save'],
  returning: ['save'],
  stranded: ['save'],
};

/** Whether a volume is open, even if only its bytes on the CPU side are left. */
export function hasDocument(phase: DocumentPhase): boolean {
  return phase in beginnings;
}

/** The phase and job after an event. Undefined if the event is ignored. */
export function nextLife({ phase, job }: DocumentLifeState, event: DocumentEventKind): DocumentLifeState | undefined {
  const nextPhase = phases[phase][event];
  const mayChangeJob = isJobStart(event) ? beginnings[phase]?.includes(event) : hasDocument(phase);
  const nextJob = mayChangeJob ? jobs[job][event] : undefined;
  if (nextPhase === undefined && nextJob === undefined) return undefined;
  const isGone = nextPhase !== undefined && !(hasDocument(phase) && hasDocument(nextPhase));
  return { phase: nextPhase ?? phase, job: isGone ? 'none' : (nextJob ?? job) };
}

/** Whether an event ends the running job, even if the same kind of job starts again. */
export function endsJob(before: DocumentLifeState, event: DocumentEventKind): boolean {
  const after = nextLife(before, event);
  return after !== undefined && before.job !== 'none' && (after.job !== before.job || isJobStart(event));
}

/** Whether an event begins a job. */
export function isJobStart(event: DocumentEventKind): event is JobStart {
  return event === 'compress' || event === 'stream' || event === 'exchange' || event === 'save';
}
