import { expect, test } from 'vitest';
import { frameName, type MoviePath, movieFrames } from './movie-frames.ts';

const dims = { dims: [8, 9, 10, 4] } as const;
const path: MoviePath = { kind: 'turn', turn: 'upright', degrees: 360, frames: 120, axis: 'z', first: 0, last: 0 };

test('a full turn does not end where it started', () => {
  const frames = movieFrames({ ...path, frames: 4, degrees: 360 }, dims);
  expect(frames.map(({ turn }) => turn?.degrees)).toEqual([0, 90, 180, 270]);
  expect(movieFrames({ ...path, frames: 0 }, dims)).toEqual([]);
  expect(movieFrames({ ...path, frames: 1e9 }, dims)).toHaveLength(10_000);
});

test('slices and time points run either way, within the volume', () => {
  const slices = movieFrames({ ...path, kind: 'slices', axis: 'y', first: 7, last: 99 }, dims);
  expect(slices).toEqual([{ slice: 7 }, { slice: 8 }]);
  const back = movieFrames({ ...path, kind: 'time', first: 2, last: 0 }, dims);
  expect(back).toEqual([{ timePoint: 2 }, { timePoint: 1 }, { timePoint: 0 }]);
});

test('frames sort by name', () => {
  expect(frameName(0, 12)).toBe('frame-0001.png');
  expect(frameName(9_999, 10_000)).toBe('frame-10000.png');
  expect(frameName(0, 10_000)).toBe('frame-00001.png');
});
