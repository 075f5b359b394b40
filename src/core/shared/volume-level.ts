import { StriaError } from './errors.ts';
import type { JobOptions } from './job.ts';
import type { Dims3, Dims4 } from './volume.ts';

/** A resolution at which a file holds a volume. Those of the volume itself are its dimensions, and factors of 1. */
export interface VolumeLevel {
  /** Time points are never combined. */
  readonly dims: Dims4;
  /** How many voxels of the volume one voxel combines along x, y and z. It lies in their middle. */
  readonly factors: Dims3;
}

export const wholeFactors: Dims3 = [1, 1, 1];

/** The largest number of voxels that are shown as one along an axis. 1 if all are shown. */
export function decimationOf(factors: Dims3): number {
  return Math.max(...factors);
}

/** A box of voxels of a level at a time point. */
export interface LevelBox {
  /** 0 is the volume itself. */
  readonly level: number;
  readonly first: Dims3;
  readonly size: Dims3;
  readonly timePoint: number;
}

/** The voxels of a volume's file, any box of them at any of its resolutions, for a volume of which the GPU holds only a part. */
export interface LeveledVoxels {
  /** The volume itself, then its levels, from the finest to the coarsest. */
  readonly levels: readonly VolumeLevel[];
  /**
   * Reads a box: its voxels as little-endian bytes, x fastest, without padding. Later requests are answered first.
   * @throws StriaError `invalid-input` for a box outside the level, `unsupported` if the file can only be read in order, or if too
   * much would be read for it; `aborted`; errors of the readers
   */
  read(box: LevelBox, options?: Pick<JobOptions, 'signal'>): Promise<Uint8Array<ArrayBuffer>>;
  /** Ends all requests with `aborted`. */
  close(): void;
}

/** Levels that can also be read as a whole. */
export interface StreamedLevels extends LeveledVoxels {
  /** The voxels of a level in order (x fastest, then y, z, t), little-endian, in pieces of any size. @throws as `read` */
  voxels(level: number, options?: JobOptions): AsyncIterable<Uint8Array<ArrayBuffer>>;
}

/** @returns the level of a box. @throws StriaError `invalid-input` for a box outside its level */
export function checkedLevelBox(levels: readonly VolumeLevel[], { level, first, size, timePoint }: LevelBox): VolumeLevel {
  const found = levels[level];
  const isInside = (at: number, length: number, end: number): boolean =>
    Number.isInteger(at) && Number.isInteger(length) && at >= 0 && length > 0 && at + length <= end;
  const isSound =
    found !== undefined &&
    isInside(timePoint, 1, found.dims[3]) &&
    first.every((at, axis) => isInside(at, size[axis] as number, found.dims[axis] as number));
  if (isSound) return found;
  throw new StriaError('invalid-input', `level ${level} has no box of ${size.join('×')} voxels at ${first.join(', ')}`);
}
