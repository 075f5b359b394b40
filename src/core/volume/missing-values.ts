import type { ElementType } from '../shared/volume.ts';
import type { Histogram } from './histogram.ts';
import { isFloatType, typeRange } from './voxel-key.ts';

/** An extreme value marks missing data if its distance from the others is at least this many times their range. */
const farAway = 1000;
/** The others must be at least this share of all voxels: two or three close values are not a distribution. */
const fewestOthers = 0.01;
/** If values fill more of the histogram's bins than this, no value is far enough from the others. */
const mostBins = 6;
/** The maximum number of extremes that are excluded at each end, one after another. */
const mostExtremes = 6;

export interface MissingSearch {
  readonly type: ElementType;
  readonly min: number;
  readonly max: number;
  /** Number of finite voxels. */
  readonly count: number;
  /** The histogram of all finite voxels. */
  readonly histogram: Histogram;
  /** The minimum and maximum value strictly between two values; undefined if there is none. */
  between(low: number, high: number): Promise<readonly [min: number, max: number] | undefined>;
  /** Number of voxels from `low` to `high`. */
  countFrom(low: number, high: number): Promise<number>;
}

/**
 * The range of the meaningful values. Floating-point volumes mark missing voxels by the largest float, of either sign, or by a
 * value far outside all others; files rarely document it.
 */
export async function findNumbers(search: MissingSearch): Promise<readonly [lowest: number, highest: number]> {
  const { type, min, max, count, histogram } = search;
  const largest = typeRange('f32')[1];
  const isLargest = (value: number): boolean => Math.abs(value) === largest;
  const filled = histogram.counts.filter((bin) => bin > 0).length;
  if (!isFloatType(type) || min === max || !(isLargest(min) || isLargest(max) || filled <= mostBins)) return [min, max];
  let [low, high] = [min, max];
  for (let round = 0; round < mostExtremes; round++) {
    const inner = await search.between(low, high);
    if (!inner) {
      // Only one or two distinct values are left.
      if (isLargest(low) !== isLargest(high)) return isLargest(low) ? [high, high] : [low, low];
      break;
    }
    const width = inner[1] - inner[0];
    const isFar = (value: number, next: number): boolean => width > 0 && Math.abs(value - next) > farAway * width;
    let dropsLow = isLargest(low);
    let dropsHigh = isLargest(high);
    if (isFar(low, inner[0]) || isFar(high, inner[1])) {
      const isDistribution = (await search.countFrom(...inner)) >= fewestOthers * count;
      dropsLow ||= isDistribution && isFar(low, inner[0]);
      dropsHigh ||= isDistribution && isFar(high, inner[1]);
    }
    if (!dropsLow && !dropsHigh) break;
    if (dropsLow) low = inner[0];
    if (dropsHigh) high = inner[1];
  }
  return [low, high];
}
