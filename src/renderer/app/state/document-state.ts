import type { ChunkMap } from '../../../core/chunks/chunk-map.ts';
import type { RawLayout } from '../../../core/io/common/volume-reader.ts';
import type { EmptySpace } from '../../../core/shared/empty-space.ts';
import type { FaultData } from '../../../core/shared/errors.ts';
import type { OwnLabels } from '../../../core/shared/label-table.ts';
import type { VolumeInfo } from '../../../core/shared/volume.ts';
import type { VolumeTag } from '../../../core/shared/volume-facts.ts';
import type { StageSpan } from '../../../core/stream/stage-times.ts';
import type { VolumeStatistics } from '../../../core/volume/statistics.ts';
import type { HostFile } from '../../host/host.ts';
import type { JobProgress } from './progress.ts';
import type { ResidencyState } from './residency-state.ts';
import type { CompressionResult } from './result.ts';
import type { WaitingSession } from './saved-session.ts';

/** The phase of the document. `document-machine.ts` defines the transitions. */
export type DocumentPhase =
  | 'empty'
  /** Looking for the volume of a saved session. */
  | 'seeking'
  /** Waiting for the user: for a raw file's layout, for one of several volumes, or for the files of a session. */
  | 'asking'
  | 'loading'
  | 'failed'
  | 'ready'
  /** The device was lost, and a new one has been requested. */
  | 'lost'
  /** There is a new device, and the volume is being loaded again. */
  | 'returning'
  /** There is no new device. The user may try again. */
  | 'stranded';

/** The current job on the open document, one at a time. */
export type DocumentJob =
  | 'none'
  | 'compressing'
  /** Compressing from the file straight into another file, on a separate device. */
  | 'streaming'
  /** Replacing voxels by compressed bytes in GPU memory, or vice versa. */
  | 'exchanging'
  | 'saving';

export interface DocumentLifeState {
  readonly phase: DocumentPhase;
  readonly job: DocumentJob;
}

/** The open document as panels see it. Voxels and compressed bytes are in document/document-life.ts. */
export interface OpenDocument {
  /** Identifies one opening: it stays the same object while finer resolutions replace coarser ones and devices come and go. */
  readonly opened: object;
  readonly name: string;
  /** `NIfTI`, `Stria`, `Sample`. */
  readonly format: string;
  /** Size of the file on disk in bytes; undefined for a sample. */
  readonly fileBytes: number | undefined;
  readonly info: VolumeInfo;
  readonly statistics: VolumeStatistics;
  /** Whether the statistics are of the full resolution although a lower one is shown. */
  readonly areStatisticsFull?: boolean | undefined;
  readonly decimation: number;
  /** The shown level of the file; undefined for the volume itself. */
  readonly level?: { readonly number: number; readonly count: number } | undefined;
  /** Whether a finer level would fit into GPU memory, but is too much to fetch from a network. */
  readonly isHeldBack?: boolean | undefined;
  /** Whether a finer level was tried, for which the device had no memory. */
  readonly lacksMemory?: boolean | undefined;
  /** Whether levels can be kept beside its file, and no usable ones are there. */
  readonly canKeepLevels?: boolean | undefined;
  /** Whether only the chunks that the middle slices cross are loaded. */
  readonly isPreview?: boolean | undefined;
  /** Whether it is shown at a lower resolution and its file can only be read as a whole, not voxel by voxel. */
  readonly isReadWhole?: boolean | undefined;
  /** Whether a finer level is being loaded. */
  readonly isRefining: boolean;
  /** Whether its planes were single pictures. */
  readonly arePictures: boolean;
  /** What its file, or a file beside it, says about labels. */
  readonly labels?: OwnLabels | undefined;
  /** The file's metadata. It may be personal data, so it is only shown. */
  readonly tags: readonly VolumeTag[];
  /** Set if surfaces are open without a volume: the grid around them. Its voxels have no meaning and are not shown. */
  readonly space?: EmptySpace | undefined;
  /** Set if it is one of several volumes: the source of the others. */
  readonly chosenFrom: { readonly file: HostFile; readonly dataset: string | undefined } | undefined;
}

/** The duration of opening. */
export interface Opening {
  /** From the request until the first picture was presented. */
  readonly ms: number;
  /** When each stage ran. */
  readonly timeline: readonly StageSpan[];
}

/** The ways in which a file that failed to open may still be opened. */
export interface StillPossible {
  /** The file, if it can be opened as raw voxels with a layout from the user. */
  readonly rawFile?: HostFile | undefined;
  /** The file, if it only lacks the one that the fault names as `missing`. */
  readonly incomplete?: HostFile | undefined;
}

export type DocumentState =
  | { readonly kind: 'empty' }
  | { readonly kind: 'loading'; readonly name: string; readonly progress: JobProgress }
  /** A raw file of unknown layout. A form asks for it. */
  | { readonly kind: 'layout'; readonly file: HostFile; readonly suggestions: readonly RawLayout[] }
  /** A file or folder with several volumes. The user chooses one. */
  | { readonly kind: 'choice'; readonly file: HostFile }
  /** A session whose volume was not found. The user is asked for it. */
  | { readonly kind: 'waiting'; readonly session: WaitingSession }
  | ({ readonly kind: 'failed'; readonly name: string; readonly fault: FaultData } & StillPossible)
  | { readonly kind: 'ready'; readonly document: OpenDocument };

/** Compression of the open volume. Its result is `compressed`, which survives a later attempt that is cancelled or fails. */
export type CompressionState =
  | { readonly kind: 'idle' }
  /** `isAsked` is true if the user started it and wants to see it, false if another action needs it. */
  | { readonly kind: 'running'; readonly progress: JobProgress; readonly isAsked: boolean }
  | { readonly kind: 'failed'; readonly fault: FaultData };

/** The last result of compressing the open volume. `isAsked` is true if the user started it. */
export interface CompressedState {
  readonly result: CompressionResult;
  readonly isAsked: boolean;
  /** From the click until the result was known. Undefined if the file was written while compressing. */
  readonly ms?: number | undefined;
  /** Undefined until the compressed bytes are in host memory. */
  readonly readBack?: ReadBack | undefined;
  /** The result before this one, until this one is in host memory. */
  readonly earlier?: CompressedState | undefined;
}

/** When the compressed bytes came to host memory. */
export interface ReadBack {
  /** Since the click. */
  readonly ms: number;
  /** In the result's timeline. */
  readonly span: StageSpan;
}

export interface SavedFile {
  readonly name: string;
  readonly folder: string;
  readonly reveal: (() => Promise<void>) | undefined;
  /** The stages of writing the file; empty if it was written while compressing. */
  readonly timeline: readonly StageSpan[];
}

export type SaveState =
  | { readonly kind: 'idle' }
  | { readonly kind: 'saving'; readonly name: string; readonly progress: JobProgress }
  | ({ readonly kind: 'saved' } & SavedFile)
  | { readonly kind: 'failed'; readonly fault: FaultData };

/** Everything in the store that belongs to the document's life. */
export interface DocumentSlice {
  /** The other fields depend on it. Only `changeDocument` changes them. */
  readonly life: DocumentLifeState;
  readonly document: DocumentState;
  /** The duration of opening the document. Undefined until its first picture. */
  readonly opening: Opening | undefined;
  readonly compression: CompressionState;
  /** Undefined until the open volume is compressed. */
  readonly compressed: CompressedState | undefined;
  readonly save: SaveState;
  /** The chunks of the open volume, as last compressed or as read. */
  readonly chunks: ChunkMap | undefined;
  /** Undefined while no volume is open. */
  readonly residency: ResidencyState | undefined;
}

/** Whether two states show the same open volume, perhaps at another resolution. */
export function isSameDocument(one: DocumentState, other: DocumentState): boolean {
  return one === other || (one.kind === 'ready' && other.kind === 'ready' && one.document.opened === other.document.opened);
}

export const firstDocument: DocumentSlice = {
  life: { phase: 'empty', job: 'none' },
  document: { kind: 'empty' },
  opening: undefined,
  compression: { kind: 'idle' },
  compressed: undefined,
  save: { kind: 'idle' },
  chunks: undefined,
  residency: undefined,
};
