import { checkedSpacing } from '../io/common/streamed-volume.ts';
import type { Dims3, VolumeInfo } from '../shared/volume.ts';
import { combinedFactors } from '../shared/volume-level.ts';
import { halvedDims } from './halved-dims.ts';

/** A volume at a lower resolution. */
export interface LevelGeometry {
  /** Lengths along x, y and z in voxels. */
  readonly dims: Dims3;
  /** How many voxels of the volume one voxel combines, along each axis. */
  readonly factors: Dims3;
  /** 2 along each axis that was halved since the level before, otherwise 1. */
  readonly steps: Dims3;
}

/** A level at most this long along all axes is the last one. */
const smallestLevel = 128;

/** The level after the given one; undefined if that is small enough. */
export function nextLevel(dims: Dims3, factors: Dims3, spacing: readonly number[]): LevelGeometry | undefined {
  if (Math.max(...dims) <= smallestLevel) return undefined;
  const [x, y, z] = halvedAxes(dims, factors, spacing);
  if (!x && !y && !z) return undefined;
  const steps: Dims3 = [x ? 2 : 1, y ? 2 : 1, z ? 2 : 1];
  return {
    dims: halvedDims(dims, steps),
    factors: combinedFactors(factors, steps),
    steps,
  };
}

/** The axes to halve next: those with voxels less than twice as long as along the axis with the shortest ones. */
function halvedAxes(dims: Dims3, factors: Dims3, spacing: readonly number[]): readonly boolean[] {
  const steps = dims.map((_, axis) => checkedSpacing(spacing[axis]) * (factors[axis] as number));
  const shortest = Math.min(...steps.filter((_, axis) => (dims[axis] as number) > 1));
  return dims.map((length, axis) => length > 1 && (steps[axis] as number) < 2 * shortest);
}

/** All halvings of a volume, each from the result of the one before. None for a small volume. */
export function halvingsOf({ dims: [x, y, z], spacing }: Pick<VolumeInfo, 'dims' | 'spacing'>): LevelGeometry[] {
  const halvings: LevelGeometry[] = [];
  let next = nextLevel([x, y, z], [1, 1, 1], spacing);
  for (; next; next = nextLevel(next.dims, next.factors, spacing)) halvings.push(next);
  return halvings;
}

/** Each stored level but the last combines at least this many voxels of the stored one before, so that all take a seventh. */
const leastCombined = 8;

/** Which halvings a file stores, as indices. The others are only steps on the way: a slice halved along x and y alone is large. */
export function storedHalvings(halvings: readonly LevelGeometry[]): number[] {
  const stored: number[] = [];
  let before = 1;
  for (const [index, { factors }] of halvings.entries()) {
    const voxels = factors[0] * factors[1] * factors[2];
    if (voxels < leastCombined * before && index + 1 < halvings.length) continue;
    stored.push(index);
    before = voxels;
  }
  return stored;
}
