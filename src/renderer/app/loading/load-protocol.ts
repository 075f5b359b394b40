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
import type { VolumeLevel } from '../../../core/shared/volume-level.ts';
import type { FileHandle, FolderHandle } from '../../host/host.ts';
import type { SampleChoice } from '../state/samples.ts';
import type { LevelOffer, LoadChoice } from './level-choice.ts';

/** What to load, in a form that can be posted to the worker. */
export type LoadRequest =
  | {
      readonly kind: 'file';
      readonly handle: FileHandle;
      /** Finds the files beside `handle` (`serveSiblings`). */
      readonly siblings: MessagePort;
      readonly raw: RawLayout | undefined;
      /** If set, the stack of these pictures is opened instead of `handle`. */
      readonly pictures: readonly FileHandle[] | undefined;
      /** If set, the files of this folder are opened instead of `handle`. */
      readonly folder: FolderHandle | undefined;
      /** The headers in the folder, if another worker has read them. */
      readonly headers: FolderHeaders | undefined;
      /** The id of the volume to open, if there are several. */
      readonly dataset: string | undefined;
    }
  | { readonly kind: 'sample'; readonly sample: SampleChoice }
  | { readonly kind: 'space'; readonly space: EmptySpace };

/** The ports in a request, which are transferred to its worker. */
export function portsOf(request: LoadRequest): MessagePort[] {
  if (request.kind !== 'file') return [];
  const { handle, siblings } = request;
  return handle.kind === 'port' ? [siblings, handle.port] : [siblings];
}

export type LoadStart = Pick<LoadChoice, 'as' | 'level'> & {
  /** Whether a finer resolution will be loaded afterwards. */
  readonly hasFiner: boolean;
};

/** From the window to the worker. */
export type LoadCommand =
  | { readonly kind: 'open'; readonly request: LoadRequest }
  /** The answer to 'info'. A .stria can send its chunks; every format can send voxels. `level` 0 is the volume itself. */
  | ({ readonly kind: 'start' } & LoadStart)
  /** The worker may send this many more bytes. */
  | { readonly kind: 'credit'; readonly bytes: number };

/** From the worker to the window. */
export type LoadMessage =
  | {
      readonly kind: 'info';
      readonly info: VolumeInfo;
      /** Such as `NIfTI` or `Stria (NIfTI)`. */
      readonly format: string;
      /** In codec elements; only for a .stria. */
      readonly chunkShape: ChunkShape | undefined;
      /** An upper bound of the compressed bytes; only for a .stria. */
      readonly payloadBytes: number | undefined;
      /** The lower resolutions, from the finest to the coarsest. */
      readonly levels: readonly LevelOffer[];
      /** Whether the file stores the levels. Otherwise they skip voxels of the file, and take nearly as long to read as all of it. */
      readonly areLevelsStored: boolean;
      /** Whether levels can be kept beside the file, and no usable ones are there. */
      readonly canKeepLevels: boolean;
      /** Something to tell about the file. */
      readonly note: string | undefined;
      /** What can be shown before all chunks of a .stria without levels have arrived. */
      readonly preview: LevelOffer | undefined;
      /** The resolutions at which any box of the file can be read (`DetailCommand`), the volume itself first; undefined if none can. */
      readonly boxLevels: readonly VolumeLevel[] | undefined;
      /**
       * Set if the levels among `boxLevels` are made while the file is open: whether boxes of one that is not made can be read
       * nevertheless, as every second voxel, every fourth and so on.
       */
      readonly making: { readonly canSkip: boolean } | undefined;
      /** Whether its planes were single pictures. */
      readonly arePictures: boolean;
      /** The file's metadata. */
      readonly tags: readonly VolumeTag[];
    }
  | { readonly kind: 'voxels'; readonly bytes: Uint8Array<ArrayBuffer> }
  /** The next chunks, in order. */
  | { readonly kind: 'chunks'; readonly chunks: readonly EncodedChunk[]; readonly payloadBytes: number }
  | {
      readonly kind: 'end';
      readonly source: SourceDescription;
      readonly labels: OwnLabels;
      /** The voxels that a recovered .stria lacks, as text; they are 0. Undefined also if a finer resolution is to tell it. */
      readonly lost: string | undefined;
    }
  /** `headers` are those of a folder, so that they need not be read again once a volume is chosen. */
  | { readonly kind: 'fault'; readonly fault: FaultData; readonly headers?: FolderHeaders | undefined };

/** How many bytes the worker may send ahead of the GPU. */
export const initialCreditBytes = 64 * 2 ** 20;
