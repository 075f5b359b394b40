import type { EncodedChunk } from '../../../core/format/chunk.ts';
import type { ChunkShape } from '../../../core/format/chunk-grid.ts';
import type { FaultData } from '../../../core/shared/errors.ts';
import type { Dims3, Dims4, VolumeInfo } from '../../../core/shared/volume.ts';
import type { LevelsBlob } from './levels-protocol.ts';
import type { LoadRequest } from './load-protocol.ts';

/** To the worker that reads bricks of a file at all levels. `open` comes first, and only once. */
export type BrickCommand =
  | { readonly kind: 'open'; readonly request: LoadRequest }
  /** Reads chunks of one level at once. */
  | { readonly kind: 'read'; readonly number: number; readonly level: number; readonly chunks: readonly number[] }
  | { readonly kind: 'cancel'; readonly number: number }
  /** Coarser bricks of a time point are now to be read from these levels, or again from the file. */
  | { readonly kind: 'add-levels'; readonly levels: LevelsBlob }
  | { readonly kind: 'drop-levels'; readonly timePoint: number };

/** The bricks of a level, and where they lie in the file. */
export interface BrickLevelPlaces {
  /** In codec elements. */
  readonly dims: Dims4;
  readonly chunkShape: ChunkShape;
  readonly factors: Dims3;
  /** For each brick's record; 0 and 0 for a brick without one. Its payload's length is then 0 too, unless it is a box of voxels. */
  readonly recordOffsets: Float64Array<ArrayBuffer>;
  readonly recordLengths: Uint32Array<ArrayBuffer>;
  readonly payloadLengths: Uint32Array<ArrayBuffer>;
}

/** The worker's answers: `opened` or `failed` to `open`, one to each read, and `renewed` or `levels-lost` to `add-levels`. */
export type BrickAnswer =
  | {
      readonly kind: 'opened';
      readonly info: VolumeInfo;
      readonly levels: readonly BrickLevelPlaces[];
      /** Whether it takes levels: those of the file skip voxels. */
      readonly takesLevels: boolean;
    }
  /** From now on, bricks of a time point at this level and coarser ones have other voxels. */
  | { readonly kind: 'renewed'; readonly timePoint: number; readonly firstLevel: number }
  | { readonly kind: 'levels-lost'; readonly timePoint: number; readonly fault: FaultData }
  | { readonly kind: 'failed'; readonly fault: FaultData }
  | { readonly kind: 'read'; readonly number: number; readonly chunks: readonly (EncodedChunk | { readonly fault: FaultData })[] }
  | { readonly kind: 'unread'; readonly number: number; readonly fault: FaultData };
