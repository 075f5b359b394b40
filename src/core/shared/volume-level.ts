import { StriaError } from './errors.ts';
import type { JobOptions } from './job.ts';
import type { Dims3, Dims4 } from './volume.ts';

/** A resolution at which a file holds a volume. For the volume itself, the dimensions are its own and all factors are 1. */
export interface VolumeLevel {
  /** Time points are never combined. */
  readonly dims: Dims4;
  /** How many voxels of the volume each voxel combines along x, y and z. Its centre is the centre of those voxels. */
  readonly factors: Dims3;
}

export const wholeFactors: Dims3 = [1, 1, 1];

/** The message of a fault: a box is of a level that will be made while the file is open. */
export const levelsNotMade = 'the levels of this file have not been made';

/** The factors of a level that is made from another one. @param further how many voxels of that one each of its voxels combines */
export function combinedFactors(factors: Dims3, further: Dims3): Dims3 {
  return [factors[0] * further[0], factors[1] * further[1], factors[2] * further[2]];
}

/** The largest number of voxels along an axis that are shown as one. 1 if all voxels are shown. */
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

/** Reads any box of voxels from a volume's file at any of its resolutions. For volumes that the GPU holds only in part. */
export interface LeveledVoxels {
  /** The volume itself, then its levels, from the finest to the coarsest. */
  readonly levels: readonly VolumeLevel[];
  /**
   * Reads a box: its voxels as little-endian bytes, x fastest, without padding. Later requests are answered first.
   * @throws StriaError `invalid-input` for a box outside the level; `unsupported` if the file can only be read in order, or if the
   * box would need too much of the file; `aborted`; the readers' errors
   */
  read(box: LevelBox, options?: Pick<JobOptions, 'signal'>): Promise<Uint8Array<ArrayBuffer>>;
  /** The chunks in which the file stores the volume itself, in voxels: each is decoded as a whole. Undefined if it stores none. */
  readonly chunkShape?: Dims3 | undefined;
  /** Set for a file without levels of its own: which of `levels` have been made while it is open. */
  readonly making?: LevelsInMaking | undefined;
  /** Ends all requests with `aborted`. */
  close(): void;
}

/** Levels that are made while a file is open. */
export interface LevelsInMaking {
  /** Whether the voxels of a level combine all voxels of the volume, at a time point. */
  isMade(level: number, timePoint: number): boolean;
  /** Whether a level that is not made can be read nevertheless, as every second voxel of the volume, every fourth and so on. */
  readonly canSkip: boolean;
}

/** Levels that can also be read as a whole. */
export interface StreamedLevels extends LeveledVoxels {
  /** The voxels of a level in order (x fastest, then y, z, t), little-endian, in pieces of any size. @throws like `read` */
  voxels(level: number, options?: LevelOptions): AsyncIterable<Uint8Array<ArrayBuffer>>;
}

export interface LevelOptions extends JobOptions {
  /** Reads only this time point. Default: all. */
  readonly timePoint?: number | undefined;
}

/** The indices along t that `StreamedLevels.voxels` reads. @param times how many there are */
export function timePointsOf({ timePoint }: LevelOptions, times: number): readonly number[] {
  return timePoint === undefined ? Array.from({ length: times }, (_, index) => index) : [timePoint];
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
