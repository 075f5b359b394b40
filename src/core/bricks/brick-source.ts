import type { EncodedChunk } from '../format/chunk.ts';
import type { ChunkGrid } from '../format/chunk-grid.ts';
import type { StriaError } from '../shared/errors.ts';
import type { JobOptions } from '../shared/job.ts';
import type { Dims3, VolumeInfo } from '../shared/volume.ts';
import type { Brick } from './brick.ts';

/** A volume at one resolution. */
export interface BrickLevel {
  readonly grid: ChunkGrid;
  /** How many voxels of the volume one voxel combines along each axis: powers of two; 1, 1, 1 for level 0. */
  readonly factors: Dims3;
}

/** What is known of a brick before it is read. */
export interface BrickPlace {
  /** The most bytes that its payload takes in memory; 0 for a chunk without payload. */
  readonly payloadBytes: number;
  /** Where its record lies in the file. Undefined if reading it reads no file. */
  readonly range?: { readonly offset: number; readonly length: number } | undefined;
}

/** Where bricks come from: a file, an address, or a computation. Its chunks belong to one time point each. */
export interface BrickSource {
  readonly info: VolumeInfo;
  /** From the volume itself to the coarsest level. All have the chunk shape of level 0, or a shorter one. */
  readonly levels: readonly BrickLevel[];
  place(brick: Brick): BrickPlace;
  /**
   * Reads bricks of one level in one go, from the start of the first range to the end of the last. Each payload has memory of its
   * own. The answer has a chunk or a fault for each brick, in order.
   * @throws StriaError if none could be read: `not-readable`, `aborted`
   */
  read(bricks: readonly Brick[], options?: JobOptions): Promise<readonly (EncodedChunk | StriaError)[]>;
}
