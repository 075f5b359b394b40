import { describe, expect, test } from 'vitest';
import { lengthWords, roundLength, scaleBar } from './scale-bar.ts';

test.each([
  [2, 120, 50],
  [1, 99, 50],
  [0.37, 120, 200],
  [150, 120, 0.5],
])('at %d pixels a millimetre a bar of at most %d pixels is %d mm long', (pixelsPerUnit, maxPixels, length) => {
  expect(scaleBar(pixelsPerUnit, maxPixels, 'mm')?.pixels).toBeCloseTo(length * pixelsPerUnit, 9);
});

test('a bar is as long as allowed, and never longer', () => {
  for (let pixelsPerUnit = 1e-7; pixelsPerUnit < 1e7; pixelsPerUnit *= 1.37) {
    const { pixels } = scaleBar(pixelsPerUnit, 120, 'mm') ?? { pixels: 0 };
    expect(pixels).toBeLessThanOrEqual(120 * (1 + 1e-8));
    expect(pixels).toBeGreaterThan(120 / 2.5 - 1e-6);
  }
  expect(roundLength(1)).toBe(1);
  expect(roundLength(0.2)).toBeCloseTo(0.2, 12);
});

describe('texts', () => {
  test.each([
    [20, 'mm', '20\u202fmm'],
    [0.05, 'mm', '50\u202fµm'],
    [0.000002, 'm', '2\u202fµm'],
    [500, 'um', '500\u202fµm'],
    [5000, 'um', '5\u202fmm'],
    [0.1, 'um', '100\u202fnm'],
    [2000, 'm', '2\u202fkm'],
    [0, 'um', '0\u202fµm'],
    [50, 'unknown', '50'],
  ] as const)('%d %s is %s', (length, unit, words) => {
    expect(lengthWords(length, unit)).toBe(words);
  });

  test('there is no bar without a unit, or if nothing is shown', () => {
    expect(scaleBar(2, 120, 'unknown')).toBeUndefined();
    for (const pixelsPerUnit of [0, Number.NaN, Number.POSITIVE_INFINITY, -1])
      expect(scaleBar(pixelsPerUnit, 120, 'mm')).toBeUndefined();
  });
});
