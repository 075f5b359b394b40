import { expect, test } from 'vitest';
import { fittedWindow } from './fitted-window.ts';

const rising = { slope: 1 };
const falling = { slope: -2.5 };

test('a window follows physical values, whatever the order of its ends', () => {
  expect(fittedWindow([0, 10], rising)).toEqual([0, 10]);
  expect(fittedWindow([10, 0], rising)).toEqual([0, 10]);
  expect(fittedWindow([0, 10], falling)).toEqual([10, 0]);
  expect(fittedWindow([10, 0], falling)).toEqual([10, 0]);
});

test('a window is not empty and consists of finite 32-bit floats', () => {
  const largest = 3.4028234663852886e38;
  expect(fittedWindow([5, 5], rising)).toEqual([5, 5 + 5e-6]);
  expect(fittedWindow([5, 5], falling)).toEqual([5, 5 - 5e-6]);
  expect(fittedWindow([-1e300, 1e300], rising)).toEqual([-largest, largest]);
  const [low = 0, high = 0] = fittedWindow([1e300, 1e300], rising) ?? [];
  expect(low).toBeLessThan(high);
  expect(high).toBeLessThanOrEqual(largest);
  expect(fittedWindow([Number.NaN, 1], rising)).toBeUndefined();
  expect(fittedWindow([0, Infinity], rising)).toBeUndefined();
});
