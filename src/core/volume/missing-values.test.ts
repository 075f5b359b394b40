import { expect, test } from 'vitest';
import type { ElementType } from '../shared/volume.ts';
import { findNumbers } from './missing-values.ts';

const largest = 3.4028234663852886e38;
const spread = Array.from({ length: 1000 }, (_, index) => index / 10);

/** The result for `values`, and how often all of them were examined again. */
async function numbersOf(values: readonly number[], type: ElementType = 'f32') {
  const [min, max] = [Math.min(...values), Math.max(...values)];
  const binWidth = (max - min) / 256;
  const counts = new Array<number>(256).fill(0);
  for (const value of values) {
    const bin = Math.min(255, Math.floor((value - min) / binWidth));
    counts[bin] = (counts[bin] ?? 0) + 1;
  }
  let looks = 0;
  const numbers = await findNumbers({
    ...{ type, min, max, count: values.length, histogram: { low: min, binWidth, counts } },
    between: async (low, high) => {
      looks++;
      const inner = values.filter((value) => value > low && value < high);
      return inner.length > 0 ? [Math.min(...inner), Math.max(...inner)] : undefined;
    },
    countFrom: async (low, high) => values.filter((value) => value >= low && value <= high).length,
  });
  return { numbers, looks };
}

test('common values are examined once', async () => {
  expect(await numbersOf(spread)).toEqual({ numbers: [0, 99.9], looks: 0 });
  expect((await numbersOf([...spread, 4000])).numbers).toEqual([0, 4000]);
});

test.each([
  ['the largest float, negative', [-largest]],
  ['with either sign', [-largest, largest]],
  ['a round number far below', [-1e30]],
  ['one at each end', [-1e30, 1e20]],
])('%s is not a number', async (_, marks) => {
  expect((await numbersOf([...spread, ...marks, ...marks])).numbers).toEqual([0, 99.9]);
  // A marker is found however many voxels it has.
  expect((await numbersOf([...spread, ...new Array<number>(20_000).fill(marks[0] as number)])).numbers).toEqual([0, 99.9]);
});

test('values across the whole range of floats are data, and so is a single value beside a marker', async () => {
  expect((await numbersOf(spread.map((value) => 3e38 * (value / 50 - 1)))).numbers[0]).toBe(-3e38);
  expect((await numbersOf([7, 7, -largest])).numbers).toEqual([7, 7]);
  expect((await numbersOf([7, -largest, largest])).numbers).toEqual([7, 7]);
});

test('a few values that are close by chance do not make the others markers, and integers have no markers', async () => {
  expect((await numbersOf([...new Array<number>(500).fill(0), ...new Array<number>(500).fill(1), 0.5, 0.50001])).numbers).toEqual(
    [0, 1],
  );
  expect((await numbersOf([0, 1, 2])).numbers).toEqual([0, 2]);
  expect((await numbersOf([0, 1, 2, 3, 4, 2 ** 31 - 1], 'i32')).numbers).toEqual([0, 2 ** 31 - 1]);
});
