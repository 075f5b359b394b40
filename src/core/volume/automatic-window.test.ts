import { expect, test } from 'vitest';
import { type BinCounter, percentileWindow } from './automatic-window.ts';

/** Counts integers as the GPU does, in bins of integer width. */
function counter(values: readonly number[]): BinCounter {
  return async (low, high) => {
    const binWidth = Math.max(1, Math.ceil((high - low + 1) / 256));
    const counts = new Array<number>(256).fill(0);
    for (const value of values) {
      if (value >= low && value <= high)
        counts[Math.floor((value - low) / binWidth)] = (counts[Math.floor((value - low) / binWidth)] ?? 0) + 1;
    }
    return { low, binWidth, counts };
  };
}

async function percentiles(values: readonly number[]): Promise<readonly [number, number]> {
  const [min, max] = [Math.min(...values), Math.max(...values)];
  const countBins = counter(values);
  return percentileWindow({ min, max, count: values.length, direction: 1 }, await countBins(min, max), countBins);
}

test('percentiles equal those of the sorted values', async () => {
  const values = Array.from({ length: 1000 }, (_, index) => index);
  const [low, high] = await percentiles(values);
  expect(Math.abs(low - 10)).toBeLessThanOrEqual(4);
  expect(Math.abs(high - 990)).toBeLessThanOrEqual(4);
});

test('values that outliers squeeze into a few bins are counted again', async () => {
  const values = Array.from({ length: 10_000 }, (_, index) => (index < 5 ? 65_535 : 1000 + (index % 1000)));
  const [low, high] = await percentiles(values);
  // In the first count, a bin is 253 wide.
  expect(Math.abs(low - 1009)).toBeLessThanOrEqual(8);
  expect(Math.abs(high - 1990)).toBeLessThanOrEqual(8);
});

test('a window is never empty', async () => {
  expect(await percentiles([7, 7, 7])).toEqual([7, 8]);
  const mostlyOne = [...new Array<number>(1000).fill(3), 90, 100];
  const [low, high] = await percentiles(mostlyOne);
  expect(high).toBeGreaterThan(low);
});
