import { expect, test } from 'vitest';
import { labelNumbers } from './label-number.ts';

test.each([
  [0.5, 0],
  [1.5, 2],
  [2.5, 2],
  [-0.5, 0],
  [-1.5, -2],
  [-2.5, -2],
  [0.49999999999999994, 0],
  [7.25, 7],
  [-7.75, -8],
  // As a 32-bit float this is a half.
  [4.5 + 1e-12, 4],
  [3e9, 2 ** 31 - 128],
  [-3e9, -(2 ** 31)],
  [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY],
  [Number.NaN, Number.NaN],
])('the label of %s in a volume of floats is %s', (stored, number) => {
  expect(labelNumbers('f64')(stored)).toBe(number);
});

test('integers are their own numbers', () => {
  expect(labelNumbers('u32')(2 ** 32 - 1)).toBe(2 ** 32 - 1);
  expect(labelNumbers('i16')(-3)).toBe(-3);
});
