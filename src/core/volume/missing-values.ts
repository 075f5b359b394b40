import type { ElementType } from '../shared/volume.ts';
import type { Histogram } from './histogram.ts';
import { isFloatType, typeRange } from './voxel-key.ts';

/** An extreme that lies so many times the width of all others away from them is no value but a mark for 'no data'. */
const farAway = 1000;
/** The others must be at least this part of all voxels: two or three values that happen to be close are no distribution. */
const fewestOthers = 0.01;
/** Where values fill more of the histogram's bins than this, none is so far away. */
const mostBins = 6;
/** Extremes that are left out, one after the other at each end. */
const mostExtremes = 6;

export interface MissingSearch {
  readonly type: ElementType;
  readonly min: number;
  readonly max: number;
  /** Finite voxels. */
  readonly count: number;
  /** Of all of them. */
  readonly histogram: Histogram;
  /** The least and the greatest value between two values, without these; undefined: there is none. */
  between(low: number, high: number): Promise<readonly [min: number, max: number] | undefined>;
  /** Voxels from `low` to `high`. */
  countFrom(low: number, high: number): Promise<number>;
}

/**
 * The range of the values that mean something. Floats mark voxels without a value by the largest float, with either sign, or by
 * something far outside all values; files seldom say so.
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
      // Two values are left, or one.
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
