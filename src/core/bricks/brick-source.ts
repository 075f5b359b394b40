import type { EncodedChunk } from '../format/chunk.ts';
import type { ChunkGrid } from '../format/chunk-grid.ts';
import type { StriaError } from '../shared/errors.ts';
import type { JobOptions } from '../shared/job.ts';
import type { Dims3, VolumeInfo } from '../shared/volume.ts';
import { type Brick, type BrickKey, brickOf } from './brick.ts';

/** A volume at one resolution. */
export interface BrickLevel {
  readonly grid: ChunkGrid;
  /** How many voxels of the volume one voxel combines along each axis: powers of two; 1, 1, 1 for level 0. */
  readonly factors: Dims3;
}

/** What is known about a brick before it is read. */
export interface BrickPlace {
  /** The maximum number of bytes that its payload takes in memory; 0 for a chunk without payload. */
  readonly payloadBytes: number;
  /** Where its record lies in the file. Undefined if reading it reads no file. */
  readonly range?: { readonly offset: number; readonly length: number } | undefined;
}

/** A source of bricks: a file, an address, or a computation. Each of its chunks belongs to one time point. */
export interface BrickSource {
  readonly info: VolumeInfo;
  /** From the volume itself to the coarsest level. All have the chunk shape of level 0, or a shorter one. */
  readonly levels: readonly BrickLevel[];
  place(brick: Brick): BrickPlace;
  /**
   * Reads bricks of one level in one read, from the start of the first range to the end of the last. Each payload has its own
   * memory. The result has a chunk or a fault for each brick, in order.
   * @throws StriaError `not-readable`, `aborted`, if no brick could be read
   */
  read(bricks: readonly Brick[], options?: JobOptions): Promise<readonly (EncodedChunk | StriaError)[]>;
}

/** A brick's neighbour in the same level and time point. @param by bricks along x, y, z @returns undefined outside the volume */
export function brickBeside({ levels }: Pick<BrickSource, 'levels'>, key: BrickKey, by: Dims3): BrickKey | undefined {
  const { level, number } = brickOf(key);
  const { counts, chunksPerTimePoint } = (levels[level] as BrickLevel).grid;
  const [columns, rows, layers] = counts;
  const inTimePoint = number % chunksPerTimePoint;
  const x = (inTimePoint % columns) + by[0];
  const y = (Math.floor(inTimePoint / columns) % rows) + by[1];
  const z = Math.floor(inTimePoint / columns / rows) + by[2];
  if (Math.min(x, y, z) < 0 || x >= columns || y >= rows || z >= layers) return undefined;
  return key + by[0] + columns * (by[1] + rows * by[2]);
}
