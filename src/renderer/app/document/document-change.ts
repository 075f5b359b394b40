import type { ChunkMap } from '../../../core/chunks/chunk-map.ts';
import type { FaultData } from '../../../core/shared/errors.ts';
import type { VolumeStatistics } from '../../../core/volume/statistics.ts';
import type {
  CompressedState,
  DocumentJob,
  DocumentState,
  OpenDocument,
  ReadBack,
  SavedFile,
  StillPossible,
} from '../state/document-state.ts';
import type { JobProgress } from '../state/progress.ts';
import type { ResidencyState } from '../state/residency-state.ts';
import type { AppState } from '../state/store.ts';
import { faultDetails, wordsOf } from '../words/messages.ts';
import { endsJob, hasDocument, nextLife } from './document-machine.ts';

/** The data of each event. */
export type DocumentEvent =
  | { readonly kind: 'open' | 'seek'; readonly name: string; readonly progress: JobProgress }
  | { readonly kind: 'ask'; readonly question: Extract<DocumentState, { readonly kind: 'layout' | 'choice' | 'waiting' }> }
  | ({ readonly kind: 'fail'; readonly name: string; readonly fault: FaultData } & StillPossible)
  | ({ readonly kind: 'loaded'; readonly document: OpenDocument } & OnGpu)
  | ({ readonly kind: 'returned' | 'refined'; readonly document: OpenDocument } & OnGpu)
  | { readonly kind: 'measured'; readonly statistics: VolumeStatistics }
  | { readonly kind: 'readBack'; readonly readBack: ReadBack }
  /** With what is left: the earlier result if there is one, or else the chunks as they were read. */
  | ({ readonly kind: 'resultLost'; readonly fault: FaultData; readonly isEarlierLeft: boolean } & Pick<OnGpu, 'chunks'> &
      Pick<ResidencyState, 'asFile'>)
  | { readonly kind: 'close' | 'cancel' | 'deviceBack' }
  | { readonly kind: 'deviceLost' | 'deviceGone'; readonly fault: FaultData }
  | { readonly kind: 'compress'; readonly progress: JobProgress; readonly isAsked: boolean }
  | { readonly kind: 'stream'; readonly progress: JobProgress }
  /** `progress` is undefined if none is shown. */
  | { readonly kind: 'exchange'; readonly progress: JobProgress | undefined }
  | { readonly kind: 'save'; readonly name: string; readonly progress: JobProgress }
  | ({ readonly kind: 'compressed'; readonly compressed: CompressedState } & OnGpu)
  | { readonly kind: 'streamed'; readonly compressed: CompressedState; readonly saved: SavedFile }
  | { readonly kind: 'exchanged'; readonly residency: ResidencyState }
  | { readonly kind: 'saved'; readonly saved: SavedFile }
  | { readonly kind: 'compressFailed' | 'exchangeFailed' | 'saveFailed'; readonly fault: FaultData };

interface OnGpu {
  readonly residency: ResidencyState | undefined;
  readonly chunks: ChunkMap | undefined;
}

/** The changes that an event makes to the state. Undefined if the event is ignored in this state. */
export function changeDocument(state: AppState, event: DocumentEvent): Partial<AppState> | undefined {
  const life = nextLife(state.life, event.kind);
  if (!life) return undefined;
  return {
    ...(endsJob(state.life, event.kind) && jobEnded(state, state.life.job)),
    ...(!hasDocument(life.phase) && nothingOpen),
    ...dataOf(state, event),
    life,
  };
}

/** Updates the progress of loading. */
export function changeLoadProgress({ document }: AppState, progress: JobProgress): Partial<AppState> {
  return document.kind === 'loading' ? { document: { ...document, progress } } : {};
}

/** Updates the progress of the job. */
export function changeJobProgress({ life, compression, save, residency }: AppState, progress: JobProgress): Partial<AppState> {
  if (compression.kind === 'running') return { compression: { ...compression, progress } };
  if (save.kind === 'saving') return { save: { ...save, progress } };
  return life.job === 'exchanging' && residency?.progress ? { residency: { ...residency, progress } } : {};
}

/** Says how GPU memory holds the volume after an exchange. The progress of a later exchange stays. */
export function changeResidency(state: AppState, residency: ResidencyState): Partial<AppState> {
  return { residency: { ...residency, progress: state.residency?.progress } };
}

const idle = { kind: 'idle' } as const;

/** Drops everything that belonged to the old document. A new document replaces the Lab in the window. */
const nothingOpen = {
  opening: undefined,
  residency: undefined,
  chunks: undefined,
  compression: idle,
  compressed: undefined,
  save: idle,
  page: 'viewer',
  measurements: [],
  chosenMeasurement: undefined,
  regions: {},
  tool: 'pointer',
} as const satisfies Partial<AppState>;

function jobEnded({ residency }: AppState, job: DocumentJob): Partial<AppState> {
  if (job === 'saving') return { save: idle };
  if (job === 'exchanging') return { residency: residency && { ...residency, progress: undefined } };
  return { compression: idle };
}

function dataOf(state: AppState, event: DocumentEvent): Partial<AppState> {
  switch (event.kind) {
    case 'open':
    case 'seek':
      return { document: { kind: 'loading', name: event.name, progress: event.progress } };
    case 'ask':
      return { document: event.question };
    case 'fail':
      return { document: failed(event.name, event) };
    case 'deviceGone':
      return state.document.kind === 'loading' ? { document: failed(state.document.name, event) } : {};
    case 'close':
      return { document: { kind: 'empty' } };
    case 'cancel':
      return state.document.kind === 'loading' ? { document: { kind: 'empty' } } : {};
    case 'loaded':
      return shown(event);
    case 'returned':
    case 'refined':
      return shown({ ...event, document: { ...event.document, ...fullStatistics(state.document) } });
    case 'measured': {
      if (state.document.kind !== 'ready') return {};
      const { document } = state.document;
      return { document: { kind: 'ready', document: { ...document, statistics: event.statistics, areStatisticsFull: true } } };
    }
    case 'readBack':
      return { compressed: state.compressed && { ...state.compressed, readBack: event.readBack, earlier: undefined } };
    case 'resultLost':
      return {
        compressed: event.isEarlierLeft ? state.compressed?.earlier : undefined,
        chunks: event.chunks,
        residency: state.residency && { ...state.residency, asFile: event.asFile },
        ...(state.compression.kind !== 'running' && { compression: { kind: 'failed' as const, fault: event.fault } }),
      };
    case 'deviceBack':
      return {};
    case 'deviceLost':
      return state.life.job === 'compressing' ? { compression: { kind: 'failed', fault: event.fault } } : {};
    case 'compress':
      return { compression: { kind: 'running', progress: event.progress, isAsked: event.isAsked } };
    case 'stream':
      return { compression: { kind: 'running', progress: event.progress, isAsked: true } };
    case 'exchange':
      return { residency: state.residency && { ...state.residency, progress: event.progress } };
    case 'save':
      return { save: { kind: 'saving', name: event.name, progress: event.progress } };
    // An earlier save was of another result.
    case 'compressed':
      return {
        compressed: { ...event.compressed, earlier: state.compressed },
        residency: event.residency,
        chunks: event.chunks,
        save: idle,
      };
    case 'streamed':
      return { compressed: event.compressed, save: { kind: 'saved', ...event.saved } };
    case 'exchanged':
      return { residency: event.residency };
    case 'saved':
      return { save: { kind: 'saved', ...event.saved } };
    case 'compressFailed':
      return { compression: { kind: 'failed', fault: event.fault } };
    case 'exchangeFailed':
      return { notice: noticeOf(event.fault) };
    case 'saveFailed':
      return { save: { kind: 'failed', fault: event.fault } };
  }
}

/** The message says what to do, except that of an unknown error. */
function noticeOf(fault: FaultData): string {
  const { title, advice } = wordsOf(fault.tag);
  return fault.tag === 'internal' ? `${title}: ${faultDetails(fault)}. ${advice}` : fault.message;
}

function shown({ document, residency, chunks }: { readonly document: OpenDocument } & OnGpu): Partial<AppState> {
  return { document: { kind: 'ready', document }, residency, chunks };
}

/** Statistics at full resolution stay valid at every resolution and on every device. */
function fullStatistics(state: DocumentState): Partial<OpenDocument> {
  if (state.kind !== 'ready' || !state.document.areStatisticsFull) return {};
  return { statistics: state.document.statistics, areStatisticsFull: true };
}

function failed(name: string, { fault, rawFile, incomplete }: { readonly fault: FaultData } & StillPossible): DocumentState {
  return { kind: 'failed', name, fault, rawFile, incomplete };
}
