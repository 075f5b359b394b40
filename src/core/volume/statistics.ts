import { inRealOrder, realDirection } from '../shared/real-order.ts';
import { totalOf } from '../shared/total.ts';
import { elementBytes, type VolumeInfo } from '../shared/volume.ts';
import { automaticWindow, type BinCounter, percentileWindow } from './automatic-window.ts';
import type { Histogram } from './histogram.ts';
import { findNumbers } from './missing-values.ts';
import { keyValue, typeRange, voxelKey } from './voxel-key.ts';

/** Statistics of all stored values. NaN and infinities are only counted. */
export interface VolumeStatistics {
  /** Exact, except that f64 is rounded to f32. Both are 0 if nothing is finite. */
  readonly min: number;
  readonly max: number;
  /** Number of finite voxels. */
  readonly count: number;
  /**
   * The range of the meaningful values: without markers for missing data, such as the largest float or values far outside all
   * others. Values beyond it are displayed like NaN, and excluded from histogram, window and percentiles.
   */
  readonly numbers: readonly [lowest: number, highest: number];
  /** Number of finite voxels beyond `numbers`. */
  readonly missing: number;
  /** Number of NaN and infinite voxels. */
  readonly notFinite: number;
  /** The histogram of the values within `numbers`, of which there are `count − missing`. */
  readonly histogram: Histogram;
  /** A robust display window in the order of real values (real-order.ts): see `automaticWindow`. */
  readonly window: readonly [low: number, high: number];
  /** The 1st and the 99th percentile, in the same order: see `percentileWindow`. */
  readonly percentiles: readonly [low: number, high: number];
  /** The share of nonzero voxels that equal their left neighbour, in a sample of rows, 0…1: near 1 for labels, low for scans. */
  readonly flatness: number;
}

/** Keys (voxel-key.ts) of the lowest and the highest value that is counted. */
export type CountedKeys = readonly [first: number, last: number];

export interface RangeFound {
  /** Keys of the lowest and the highest finite value in the range. If there is none, the first is above the second. */
  readonly lowKey: number;
  readonly highKey: number;
  /** Number of NaN and infinite voxels. */
  readonly notFinite: number;
  /** In every 16th row: the voxels in the range that are not 0 and have a left neighbour, and how many of them equal it. */
  readonly inner: number;
  readonly flat: number;
}

/** The passes over the voxels from which statistics are derived, on any device. */
export interface StatisticsPasses {
  /** For 8-bit voxels, the extremes may be those of every 16th row, because the histogram gives the exact ones. */
  range(keys: CountedKeys): Promise<RangeFound>;
  /** Counts finite voxels from one value to another in `binCount` bins of `binWidthOf`. */
  bins: BinCounter;
}

export const binCount = 256;
const everyKey: CountedKeys = [0, 0xffffffff];

/**
 * Derives the statistics of a volume from counts of its voxels, in two passes, or more if outliers or markers stretch the range.
 * @param voxels the number of voxels
 */
export async function deriveStatistics(
  info: Pick<VolumeInfo, 'type' | 'slope'>,
  voxels: number,
  { range, bins }: StatisticsPasses,
): Promise<VolumeStatistics> {
  const { type } = info;
  const isByte = elementBytes(type) === 1;
  const { lowKey, highKey, notFinite, inner, flat } = await range(everyKey);
  const count = voxels - notFinite;
  let min = count === 0 ? 0 : keyValue(type, lowKey);
  let max = count === 0 ? 0 : keyValue(type, highKey);
  let histogram = await (isByte ? bins(...typeRange(type)) : bins(min, max));
  if (isByte) {
    min = histogram.low + histogram.counts.findIndex((bin) => bin > 0);
    max = histogram.low + histogram.counts.findLastIndex((bin) => bin > 0);
  }
  const numbers = await findNumbers({
    ...{ type, min, max, count, histogram },
    between: async (low, high) => {
      const found = await range([voxelKey(type, low) + 1, voxelKey(type, high) - 1]);
      return found.lowKey <= found.highKey ? [keyValue(type, found.lowKey), keyValue(type, found.highKey)] : undefined;
    },
    countFrom: async (low, high) => totalOf((await bins(low, high)).counts),
  });
  if (numbers[0] !== min || numbers[1] !== max) histogram = await bins(...numbers);
  const known = totalOf(histogram.counts);
  const counted = { min: numbers[0], max: numbers[1], count: known, direction: realDirection(info) };
  const window = await automaticWindow(counted, histogram, bins);
  const percentiles = inRealOrder(await percentileWindow(counted, histogram, bins), info);
  return {
    ...{ min, max, count, notFinite, numbers, histogram, window, percentiles },
    missing: count - known,
    flatness: inner === 0 ? 0 : flat / inner,
  };
}

/** The width of each bin from `low` to `high`; whole numbers for integers. */
export function binWidthOf(isFloat: boolean, low: number, high: number): number {
  return isFloat ? Math.max((high - low) / binCount, Number.MIN_VALUE) : Math.max(1, Math.ceil((high - low + 1) / binCount));
}
