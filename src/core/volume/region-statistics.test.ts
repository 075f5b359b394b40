import { describe, expect, test } from 'vitest';
import { RunningStatistics } from './region-statistics.ts';

/** The statistics by their definition, over all numbers at once. */
function direct(values: readonly number[]) {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, deviation: Math.sqrt(squares / (values.length - 1)) };
}

function inStretches(values: Float64Array, length: number, slope = 1, intercept = 0) {
  const running = new RunningStatistics();
  for (let at = 0; at < values.length; at += length)
    running.add(values, at, Math.min(values.length, at + length), slope, intercept);
  return running.result();
}

describe('mean and deviation are those of the definition', () => {
  const values = Float64Array.from({ length: 1000 }, (_, index) => ((index * 7919) % 1009) - 300);

  test.each([1, 7, 1000])('in stretches of %d', (length) => {
    const { mean, deviation, ...rest } = inStretches(values, length);
    expect(mean).toBeCloseTo(direct([...values]).mean, 9);
    expect(deviation).toBeCloseTo(direct([...values]).deviation, 9);
    expect(rest).toEqual({ count: 1000, notFinite: 0, min: Math.min(...values), max: Math.max(...values) });
  });

  test('also far from zero, where a sum of squares would lose precision', () => {
    const far = values.map((value) => value / 1000 + 1e9);
    const { deviation } = inStretches(far, 13);
    expect(deviation / direct([...far]).deviation).toBeCloseTo(1, 6);
    const naive =
      far.reduce((sum, value) => sum + value * value, 0) / far.length - (far.reduce((a, b) => a + b) / far.length) ** 2;
    expect(Math.abs(Math.sqrt(Math.max(0, naive)) / deviation - 1)).toBeGreaterThan(0.1);
  });

  test('of physical values, also with a negative slope', () => {
    const found = inStretches(values, 7, -0.5, 100);
    const physical = [...values].map((value) => -0.5 * value + 100);
    expect(found.mean).toBeCloseTo(direct(physical).mean, 9);
    expect(found.deviation).toBeCloseTo(direct(physical).deviation, 9);
    expect([found.min, found.max]).toEqual([Math.min(...physical), Math.max(...physical)]);
  });
});

test('values that are not finite are counted separately', () => {
  const found = inStretches(Float64Array.from([Number.NaN, 1, Infinity, 3]), 1);
  expect(found).toMatchObject({ count: 2, notFinite: 2, mean: 2, min: 1, max: 3 });
  expect(found.deviation).toBeCloseTo(Math.SQRT2, 12);
});

test('one voxel has no deviation, and no voxels have no statistics', () => {
  expect(inStretches(Float64Array.of(5), 1)).toEqual({ count: 1, notFinite: 0, mean: 5, deviation: NaN, min: 5, max: 5 });
  expect(inStretches(new Float64Array(0), 1)).toEqual({ count: 0, notFinite: 0, mean: NaN, deviation: NaN, min: NaN, max: NaN });
});
