import type { ChunkMap } from '../../../core/chunks/chunk-map.ts';
import type { RawLayout } from '../../../core/io/common/volume-reader.ts';
import type { FaultData } from '../../../core/shared/errors.ts';
import type { VolumeInfo } from '../../../core/shared/volume.ts';
import type { StageSpan } from '../../../core/stream/stage-times.ts';
import type { VolumeStatistics } from '../../../core/volume/statistics.ts';
import type { HostFile } from '../../host/host.ts';
import type { JobProgress } from './progress.ts';
import type { ResidencyState } from './residency-state.ts';
import type { CompressionResult } from './result.ts';
import type { WaitingSession } from './saved-session.ts';

/** Where the document is in its life. `document-machine.ts` says what leads from one to the other. */
export type DocumentPhase =
  | 'empty'
  /** The volume of a saved session is looked for. */
  | 'seeking'
  /** People are asked: for a raw file's layout, or for the files of a session. */
  | 'asking'
  | 'loading'
  | 'failed'
  | 'ready'
  /** The device was lost, and a new one has been asked for. */
  | 'lost'
  /** There is a new device, and the volume is brought back to it. */
  | 'returning'
  /** No new device could be had. People may try again. */
  | 'stranded';

/** What is being done with the open document: one thing at a time. */
export type DocumentJob =
  | 'none'
  | 'compressing'
  /** Compressed from its file straight into another one, on a device of its own. */
  | 'streaming'
  /** Exchanged in GPU memory: voxels for compressed bytes, or back. */
  | 'exchanging'
  | 'saving';

export interface DocumentLifeState {
  readonly phase: DocumentPhase;
  readonly job: DocumentJob;
}

/** What is open, as panels see it. Voxels and compressed bytes are in document/document-life.ts. */
export interface OpenDocument {
  readonly name: string;
  /** `NIfTI`, `Stria`, `Sample`. */
  readonly format: string;
  /** Size of the file as it lies on the disk, in bytes; undefined for a sample. */
  readonly fileBytes: number | undefined;
  readonly info: VolumeInfo;
  readonly statistics: VolumeStatistics;
  readonly decimation: number;
  /** Its planes were pictures, each by itself. */
  readonly arePictures: boolean;
}

/** How long opening took. */
export interface Opening {
  /** From the request until the first picture was presented. */
  readonly ms: number;
  /** When reading, uploading and the rest went on. */
  readonly timeline: readonly StageSpan[];
}

export type DocumentState =
  | { readonly kind: 'empty' }
  | { readonly kind: 'loading'; readonly name: string; readonly progress: JobProgress }
  /** A raw file whose layout nobody knows: the form asks. */
  | { readonly kind: 'layout'; readonly file: HostFile; readonly suggestions: readonly RawLayout[] }
  /** A session whose volume was not found: people are asked for it. */
  | { readonly kind: 'waiting'; readonly session: WaitingSession }
  /** `rawFile`: what failed may still be opened as raw voxels, by a layout that people give. */
  | { readonly kind: 'failed'; readonly name: string; readonly fault: FaultData; readonly rawFile?: HostFile | undefined }
  | { readonly kind: 'ready'; readonly document: OpenDocument };

/** Compressing the open volume. What it made is `compressed`, which outlives a later attempt that is cancelled or fails. */
export type CompressionState =
  | { readonly kind: 'idle' }
  /** `isAsked`: people wait for this, and want to see it; else something that they asked for needs it. */
  | { readonly kind: 'running'; readonly progress: JobProgress; readonly isAsked: boolean }
  | { readonly kind: 'failed'; readonly fault: FaultData };

/** What compressing the open volume made last. `isAsked`: people waited for it. */
export interface CompressedState {
  readonly result: CompressionResult;
  readonly isAsked: boolean;
}

export interface SavedFile {
  readonly name: string;
  readonly folder: string;
  readonly reveal: (() => Promise<void>) | undefined;
  /** When it was written; empty where that is a part of compressing. */
  readonly timeline: readonly StageSpan[];
}

export type SaveState =
  | { readonly kind: 'idle' }
  | { readonly kind: 'saving'; readonly name: string; readonly progress: JobProgress }
  | ({ readonly kind: 'saved' } & SavedFile)
  | { readonly kind: 'failed'; readonly fault: FaultData };

/** All that the life of the document changes in the store. */
export interface DocumentSlice {
  /** The other fields show it: `changeDocument` alone changes them. */
  readonly life: DocumentLifeState;
  readonly document: DocumentState;
  /** Of the document. Undefined until its first picture. */
  readonly opening: Opening | undefined;
  readonly compression: CompressionState;
  /** Undefined until the open volume was compressed. */
  readonly compressed: CompressedState | undefined;
  readonly save: SaveState;
  /** What the chunks of the open volume became: as they were compressed last, or as they came. */
  readonly chunks: ChunkMap | undefined;
  /** Undefined while no volume is open. */
  readonly residency: ResidencyState | undefined;
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
