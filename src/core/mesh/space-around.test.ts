import { expect, test } from 'vitest';
import { isEmptySpace } from '../shared/empty-space.ts';
import { betweenSpaces, boundsOf, isInside, joinedBounds, spaceAround } from './space-around.ts';

const mesh = (...positions: number[]) => ({ positions: Float32Array.from(positions) });

test('a space lies around meshes, centred, with a little room', () => {
  const bounds = boundsOf([mesh(-64, 10, 3, 64, 30, 3), mesh(0, 74, 3)]);
  expect(bounds).toEqual({ low: [-64, 10, 3], high: [64, 74, 3] });
  const space = spaceAround(bounds);
  expect(space).toEqual({ dims: [132, 68, 4], edge: 1, origin: [-65.5, 8.5, 1.5] });
  expect(isInside(bounds, space)).toBe(true);
  const larger = boundsOf([mesh(0, 200, 0)]);
  expect(isInside(larger, space)).toBe(false);
  expect(isInside(larger, spaceAround(joinedBounds(space, larger)))).toBe(true);
  expect(isInside(bounds, spaceAround(joinedBounds(space, larger)))).toBe(true);
});

test('a position in a space has the same place in another', () => {
  const from = spaceAround({ low: [0, 0, 0], high: [64, 64, 64] });
  const to = spaceAround({ low: [0, 0, 0], high: [64, 256, 64] });
  const moved = betweenSpaces([4.5, 4.5, 4.5], from, to);
  const worldIn = ({ origin, edge }: typeof to, place: readonly number[]) =>
    place.map((at, axis) => (origin[axis] as number) + edge * (at - 0.5));
  expect(worldIn(to, moved)).toEqual(worldIn(from, [4.5, 4.5, 4.5]));
  expect(betweenSpaces(moved, to, from)).toEqual([4.5, 4.5, 4.5]);
});

test.each([
  ['a point', mesh(5, 5, 5)],
  ['a line', mesh(0, 0, 0, 0, 0, 1e-30)],
  ['the largest floats', mesh(-3e38, -3e38, -3e38, 3e38, 3e38, 3e38)],
])('a space around %s is a grid', (_name, one) => {
  const space = spaceAround(boundsOf([one]));
  expect(isEmptySpace(space)).toBe(true);
});
