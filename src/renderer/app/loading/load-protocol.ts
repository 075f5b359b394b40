import type { EncodedChunk } from '../../../core/format/chunk.ts';
import type { ChunkShape } from '../../../core/format/chunk-grid.ts';
import type { RawLayout } from '../../../core/io/common/volume-reader.ts';
import type { FolderHeaders } from '../../../core/io/folder-headers.ts';
import type { EmptySpace } from '../../../core/shared/empty-space.ts';
import type { FaultData } from '../../../core/shared/errors.ts';
import type { OwnLabels } from '../../../core/shared/label-table.ts';
import type { SourceDescription } from '../../../core/shared/source.ts';
import type { VolumeInfo } from '../../../core/shared/volume.ts';
import type { VolumeTag } from '../../../core/shared/volume-facts.ts';
import type { FileHandle, FolderHandle } from '../../host/host.ts';
import type { SampleChoice } from '../state/samples.ts';
import type { LevelOffer, LoadChoice } from './level-choice.ts';

/** What to load, in a form that can be posted to the worker. */
export type LoadRequest =
  | {
      readonly kind: 'file';
      readonly handle: FileHandle;
      /** Finds the files beside it (`serveSiblings`). */
      readonly siblings: MessagePort;
      readonly raw: RawLayout | undefined;
      /** If set, the stack of these pictures is opened instead of `handle`. */
      readonly pictures: readonly FileHandle[] | undefined;
      /** If set, the files of this folder are opened instead of `handle`. */
      readonly folder: FolderHandle | undefined;
      /** What another worker has read of its files' headers. */
      readonly headers: FolderHeaders | undefined;
      /** The id of the volume to open, if there are several. */
      readonly dataset: string | undefined;
    }
  | { readonly kind: 'sample'; readonly sample: SampleChoice }
  | { readonly kind: 'space'; readonly space: EmptySpace };

export type LoadStart = Pick<LoadChoice, 'as' | 'level'>;

/** From the window to the worker. */
export type LoadCommand =
  | { readonly kind: 'open'; readonly request: LoadRequest }
  /** Answers 'info'. A .stria can send its chunks; every format can send voxels. `level` 0 is the volume itself. */
  | ({ readonly kind: 'start' } & LoadStart)
  /** The worker may send this many more bytes. */
  | { readonly kind: 'credit'; readonly bytes: number };

/** From the worker to the window. */
export type LoadMessage =
  | {
      readonly kind: 'info';
      readonly info: VolumeInfo;
      /** `NIfTI`, `Stria (NIfTI)`. */
      readonly format: string;
      /** In codec elements; only for a .stria. */
      readonly chunkShape: ChunkShape | undefined;
      /** What a recovered .stria lacks, as text; those voxels are 0. */
      readonly lost: string | undefined;
      /** An upper bound of the compressed bytes; only for a .stria. */
      readonly payloadBytes: number | undefined;
      /** Its lower resolutions, from the finest to the coarsest. */
      readonly levels: readonly LevelOffer[];
      /** Whether the levels are in the file. Otherwise they are some of its voxels, and cost nearly as much to read. */
      readonly areLevelsStored: boolean;
      /** Whether any box of the file can be read (`DetailCommand`). */
      readonly readsBoxes: boolean;
      /** Its planes were single pictures. */
      readonly arePictures: boolean;
      /** The file's metadata. */
      readonly tags: readonly VolumeTag[];
    }
  | { readonly kind: 'voxels'; readonly bytes: Uint8Array<ArrayBuffer> }
  /** The next chunks, in order. */
  | { readonly kind: 'chunks'; readonly chunks: readonly EncodedChunk[]; readonly payloadBytes: number }
  | { readonly kind: 'end'; readonly source: SourceDescription; readonly labels: OwnLabels }
  /** With the headers of a folder, so that they need not be read again for the choice of a volume. */
  | { readonly kind: 'fault'; readonly fault: FaultData; readonly headers?: FolderHeaders | undefined };

/** How many bytes the worker may be ahead of the GPU. */
export const initialCreditBytes = 64 * 2 ** 20;
