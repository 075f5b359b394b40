import { expect, test } from 'vitest';
import { WantedBricks } from './wanted-bricks.ts';

test('viewers take turns by urgency, each brick counts once, and the last ones are left out', () => {
  const wanted = new WantedBricks(5, (key) => key !== 99);
  expect(wanted.set([1, 2, 99, 3], 'space')).toBe(0);
  expect(wanted.set([7, 1, 8, 9], 'slice')).toBe(1);
  expect([...wanted.ranks]).toEqual([
    [1, 0],
    [7, 1],
    [2, 2],
    [8, 3],
    [3, 4],
  ]);
  expect(wanted.countOfOthers('slice')).toBe(3);
  expect(wanted.countOfOthers('space')).toBe(4);
});

test('a viewer that wants nothing is forgotten', () => {
  const wanted = new WantedBricks(2, () => true);
  wanted.set([1, 2], 'space');
  expect(wanted.set([3], 'slice')).toBe(1);
  expect(wanted.set([], 'space')).toBe(0);
  expect([...wanted.ranks.keys()]).toEqual([3]);
  wanted.delete(3);
  expect(wanted.has(3)).toBe(false);
  wanted.set([], 'slice');
  expect(wanted.ranks.size).toBe(0);
});
