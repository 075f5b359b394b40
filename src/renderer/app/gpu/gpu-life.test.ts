import { expect, test } from 'vitest';
import { isLostTooOften } from './gpu-life.ts';

test('a device that is lost now and then is asked for again; one that is lost all the time is not', () => {
  expect(isLostTooOften([0])).toBe(false);
  expect(isLostTooOften([0, 1000, 2000, 3000, 4000])).toBe(false);
  expect(isLostTooOften([0, 1000, 2000, 3000, 4000, 5000])).toBe(true);
  expect(isLostTooOften([0, 10_000, 20_000, 30_000, 40_000, 50_000, 60_000])).toBe(false);
});
