import { totalOf } from '../shared/total.ts';
import type { Histogram } from './histogram.ts';

/** Counts all finite voxels from `low` to `high` in equal bins. */
export type BinCounter = (low: number, high: number) => Promise<Histogram>;

/** The input of the window functions, in stored values. */
export interface ValueRange {
  readonly min: number;
  readonly max: number;
  /** The number of counted voxels: the sum of the histogram. */
  readonly count: number;
  /** −1 if real values fall as stored values rise: see real-order.ts. */
  readonly direction: 1 | -1;
}

/**
 * The shares of the non-background voxels that lie below and above the window. More voxels are cut off below, because bright detail
 * matters more than dark detail.
 */
const lowTail = 0.005;
const highTail = 0.002;
/** The fullest bin is background if it holds at least this share of all voxels… */
const backgroundPart = 0.1;
/** …and at least this share of all voxels remains without it. */
const leftPart = 0.0005;
/** A window that spans fewer bins is counted again on a finer scale. */
const enoughBins = 24;
const maxRounds = 8;

/**
 * A robust window for display, in the order of real values: from the 0.5th to the 99.8th percentile of the voxels that are not
 * background. The background is the fullest bin, if it is full enough (the air of a scan, the 0 of a mask or of a sparse field). If
 * a few outliers stretch the histogram so that the window covers only a few bins, those bins are counted again on a finer scale.
 */
export async function automaticWindow(
  range: ValueRange,
  histogram: Histogram,
  countBins: BinCounter,
): Promise<readonly [low: number, high: number]> {
  const { min, max, count, direction } = range;
  if (count === 0 || min === max) return besideOne(range);
  const [firstTail, lastTail] = direction > 0 ? [lowTail, highTail] : [highTail, lowTail];
  let finest = histogram;
  /** Foreground voxels below the first bin of `finest`. */
  let below = 0;
  let background = 0;
  let window: [number, number] = [min, max];
  for (let round = 0; round < maxRounds; round++) {
    const found = foreground(finest, count);
    const { counts } = found;
    // A finer count may exclude the background bin. The background found earlier then still counts as background.
    background = found.background || background;
    const total = count - background;
    const first = binReaching(counts, firstTail * total - below);
    const last = binReaching(counts, (1 - lastTail) * total - below);
    const { low, binWidth } = finest;
    const singleValues = binWidth === 1 && Number.isInteger(low);
    window = [Math.max(min, low + first * binWidth), Math.min(max, low + last * binWidth + (singleValues ? 0 : binWidth))];
    if (singleValues || last - first >= enoughBins || !(window[1] > window[0])) break;
    const finer = await countBins(window[0], window[1]);
    if (!(finer.binWidth < binWidth)) break;
    below += totalOf(counts.slice(0, first));
    finest = finer;
  }
  const [low, high] = window[1] > window[0] ? window : [min, max];
  return direction > 0 ? [low, high] : [high, low];
}

/** A window for a volume of a single value, with the value at its low end. */
function besideOne({ min, direction }: ValueRange): readonly [low: number, high: number] {
  return [min, min + direction * Math.max(1, 1e-6 * Math.abs(min))];
}

/**
 * The 1st and the 99th percentile of all voxels, including background, accurate to one bin. If they cover only a few bins,
 * those are counted again, which makes them accurate to 1/24 of their distance.
 */
export async function percentileWindow(
  range: ValueRange,
  histogram: Histogram,
  countBins: BinCounter,
): Promise<readonly [low: number, high: number]> {
  const { min, max, count } = range;
  const between = ({ low, binWidth, counts }: Histogram, below: number) => {
    const first = binReaching(counts, 0.01 * count - below);
    const last = binReaching(counts, 0.99 * count - below);
    const singleValues = binWidth === 1 && Number.isInteger(low);
    const window = [low + first * binWidth, Math.min(max, low + (last + (singleValues ? 0 : 1)) * binWidth)] as const;
    return { window, first, isFine: singleValues || last - first >= enoughBins };
  };
  if (count === 0 || min === max) return besideOne(range);
  const coarse = between(histogram, 0);
  let { window } = coarse;
  if (!coarse.isFine && window[1] > window[0]) {
    const finer = await countBins(...window);
    if (finer.binWidth < histogram.binWidth) window = between(finer, totalOf(histogram.counts.slice(0, coarse.first))).window;
  }
  return window[1] > window[0] ? window : [min, max];
}

/** The counts without the background's bin, and the count of that bin (0 if there is no background). */
function foreground({ counts }: Histogram, count: number): { counts: readonly number[]; background: number } {
  const background = counts.reduce((most, bin) => Math.max(most, bin), 0);
  if (background < backgroundPart * count || count - background < leftPart * count) return { counts, background: 0 };
  const fullest = counts.indexOf(background);
  return { counts: counts.map((bin, index) => (index === fullest ? 0 : bin)), background };
}

/** The first bin at which the running sum exceeds `target`. */
function binReaching(counts: readonly number[], target: number): number {
  let running = 0;
  for (const [index, bin] of counts.entries()) {
    running += bin;
    if (bin > 0 && running > target) return index;
  }
  return counts.length - 1;
}
