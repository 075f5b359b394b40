import { expect, test } from 'vitest';
import { clipAt, isClipped, unclipped, withClip } from './clip.ts';

const fromY = { axis: 1, end: 'from' } as const;
const toY = { axis: 1, end: 'to' } as const;

test('a clip plane keeps whole voxels, including the named one', () => {
  const cut = withClip(withClip(unclipped, fromY, 4, 20), toY, 14, 20);
  expect(cut).toEqual([
    [0, 1],
    [0.2, 0.75],
    [0, 1],
  ]);
  expect([clipAt(cut, fromY, 20), clipAt(cut, toY, 20)]).toEqual([4, 14]);
  expect([unclipped, cut].map(isClipped)).toEqual([false, true]);
  expect([clipAt(unclipped, fromY, 20), clipAt(unclipped, toY, 20)]).toEqual([0, 19]);
});

test('planes stop at each other, with one voxel between them, and at the volume’s ends', () => {
  const cut = withClip(unclipped, toY, 6, 20);
  expect(clipAt(withClip(cut, fromY, 15, 20), fromY, 20)).toBe(6);
  expect(clipAt(withClip(withClip(cut, fromY, 6, 20), toY, 2, 20), toY, 20)).toBe(6);
  expect(withClip(unclipped, toY, 99, 20)).toEqual(unclipped);
  expect(withClip(unclipped, fromY, -3, 20)).toEqual(unclipped);
});

test('every voxel of an odd axis can be named', () => {
  for (let voxel = 0; voxel < 181; voxel++) {
    expect(clipAt(withClip(unclipped, fromY, voxel, 181), fromY, 181)).toBe(voxel);
    expect(clipAt(withClip(unclipped, toY, voxel, 181), toY, 181)).toBe(voxel);
  }
});
