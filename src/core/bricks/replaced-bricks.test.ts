import { expect, test } from 'vitest';
import { chunkGridOf } from '../format/chunk-grid.ts';
import { testInfo } from '../volume/resident-testing.ts';
import { brickKey } from './brick.ts';
import { replacedBricks } from './replaced-bricks.ts';

/** Two time points of 5 × 3 × 2 bricks, of 3 × 2 × 1 and of one. The third axis is halved only once. */
const levels = [
  { dims: [40, 24, 16, 2], factors: [1, 1, 1] },
  { dims: [20, 12, 8, 2], factors: [2, 2, 2] },
  { dims: [5, 3, 8, 2], factors: [8, 8, 2] },
].map(({ dims, factors }) => ({
  grid: chunkGridOf(testInfo(dims as [number, number, number, number], 'u8'), [8, 8, 8]),
  factors: factors as [number, number, number],
}));
const key = (level: number, number: number) => brickKey({ level, number });

test('missed bricks are grouped by the finest drawn brick around them, also if it is two levels coarser', () => {
  const drawn = [key(2, 0), key(1, 2), key(0, 7)];
  // The brick 4, 1, 1 lies in the brick 2, 0, 0 of the next level, as does 4, 0, 0. The others are in the brick of the coarsest level.
  const missed = [key(0, 24), key(1, 0), key(0, 4), key(0, 12)];
  expect(replacedBricks({ levels }, drawn, missed)).toEqual({
    replaced: new Set([key(1, 2), key(2, 0)]),
    missed: [key(0, 24), key(0, 4), key(1, 0), key(0, 12)],
  });
});

test('a missed brick replaces nothing at another time point, and nothing if no coarser brick is drawn', () => {
  const drawn = [key(1, 2), key(0, 3)];
  expect(replacedBricks({ levels }, drawn, [key(0, 34), key(0, 0)])).toEqual({
    replaced: new Set(),
    missed: [key(0, 34), key(0, 0)],
  });
});
