import { expect, test } from 'vitest';
import { chunkGridOf } from '../format/chunk-grid.ts';
import { testInfo } from '../volume/resident-testing.ts';
import { brickKey } from './brick.ts';
import { mostFinerBricks } from './finer-bricks.ts';

/** Two time points of 5 × 3 × 2 bricks, of 3 × 2 × 1 and of one. The third axis is halved only once. */
const levels = [
  { dims: [40, 24, 16, 2], factors: [1, 1, 1] },
  { dims: [20, 12, 8, 2], factors: [2, 2, 2] },
  { dims: [5, 3, 8, 2], factors: [8, 8, 2] },
].map(({ dims, factors }) => ({
  grid: chunkGridOf(testInfo(dims as [number, number, number, number], 'u8'), [8, 8, 8]),
  factors: factors as [number, number, number],
}));
const key = (level: number, x: number, y: number, z: number, t = 0) =>
  brickKey({ level, number: levels[level]?.grid.numberAt([x, y, z, t]) as number });
const most = (drawn: readonly number[], missed: readonly number[]) => mostFinerBricks({ levels }, new Set(drawn), missed);

test('all bricks in the coarser one that is drawn are counted, once', () => {
  expect(most([key(1, 0, 0, 0)], [key(0, 0, 0, 0)])).toBe(8);
  expect(most([key(1, 0, 0, 0)], [key(0, 0, 0, 0), key(0, 8, 8, 8)])).toBe(8);
  expect(most([key(1, 0, 0, 0), key(1, 8, 0, 0)], [key(0, 0, 0, 0), key(0, 16, 0, 0)])).toBe(16);
  // At the end of the volume there are fewer.
  expect(most([key(1, 16, 8, 0)], [key(0, 32, 16, 0)])).toBe(2);
  // At another time point nothing is drawn.
  expect(most([key(1, 0, 0, 0)], [key(0, 0, 0, 0, 1)])).toBe(8);
});

test('of several levels, the finest drawn one around a brick counts; each level that is missed in it is counted', () => {
  expect(most([key(2, 0, 0, 0), key(1, 0, 0, 0)], [key(0, 0, 0, 0)])).toBe(8);
  expect(most([key(2, 0, 0, 0)], [key(0, 0, 0, 0)])).toBe(30);
  expect(most([key(2, 0, 0, 0)], [key(0, 0, 0, 0), key(1, 0, 0, 0)])).toBe(30 + 6);
});

test('where nothing is drawn, those in the next coarser brick are counted; the coarsest level has none', () => {
  expect(most([], [key(0, 0, 0, 0)])).toBe(8);
  expect(most([], [key(2, 0, 0, 0)])).toBe(1);
  expect(most([key(2, 0, 0, 0)], [])).toBe(0);
});
