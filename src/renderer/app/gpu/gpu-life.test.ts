import { expect, test } from 'vitest';
import { isLostTooOften } from './gpu-life.ts';

test('a new device is requested after occasional losses, but not after frequent ones', () => {
  expect(isLostTooOften([0])).toBe(false);
  expect(isLostTooOften([0, 1000, 2000, 3000, 4000])).toBe(false);
  expect(isLostTooOften([0, 1000, 2000, 3000, 4000, 5000])).toBe(true);
  expect(isLostTooOften([0, 10_000, 20_000, 30_000, 40_000, 50_000, 60_000])).toBe(false);
});
