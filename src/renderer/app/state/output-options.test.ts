import { expect, test } from 'vitest';
import { defaultMovieOptions, frameName, movieFrames, outputSize, shownSize } from './output-options.ts';

const dims = { dims: [8, 9, 10, 4] } as const;

test('the size of the layout is that of its views and the lines between them', () => {
  const size = [300, 200] as const;
  const all = new Map([
    ['3d', size],
    ['x', size],
    ['y', size],
    ['z', size],
  ] as const);
  expect(shownSize('layout', 'quad', all)).toEqual([601, 401]);
  expect(shownSize('z', 'quad', all)).toEqual([300, 200]);
  expect(shownSize('z', '3d', new Map([['3d', size]]))).toBeUndefined();
  expect(shownSize('layout', '3d', new Map())).toBeUndefined();
});

test('sizes: as on screen, twice that, 4K, and custom; text grows with the picture', () => {
  const own = { width: 600, height: 1000 };
  expect(outputSize({ ...own, size: 'screen' }, [300, 200], 1.5)).toEqual({ width: 450, height: 300, pixelRatio: 1.5 });
  expect(outputSize({ ...own, size: 'double' }, [300, 200], 1.5)).toEqual({ width: 900, height: 600, pixelRatio: 3 });
  expect(outputSize({ ...own, size: '4k' }, [300, 200], 1.5)).toEqual({ width: 3840, height: 2160, pixelRatio: 10.8 });
  expect(outputSize({ ...own, size: 'own' }, [300, 200], 1.5)).toEqual({ width: 600, height: 1000, pixelRatio: 2 });
});

test('a full turn does not end where it started', () => {
  const frames = movieFrames({ ...defaultMovieOptions, frames: 4, degrees: 360 }, dims);
  expect(frames.map(({ turn }) => turn?.degrees)).toEqual([0, 90, 180, 270]);
  expect(movieFrames({ ...defaultMovieOptions, frames: 0 }, dims)).toEqual([]);
  expect(movieFrames({ ...defaultMovieOptions, frames: 1e9 }, dims)).toHaveLength(10_000);
});

test('slices and time points run either way, within the volume', () => {
  const slices = movieFrames({ ...defaultMovieOptions, kind: 'slices', axis: 'y', first: 7, last: 99 }, dims);
  expect(slices).toEqual([{ slice: 7 }, { slice: 8 }]);
  const back = movieFrames({ ...defaultMovieOptions, kind: 'time', first: 2, last: 0 }, dims);
  expect(back).toEqual([{ timePoint: 2 }, { timePoint: 1 }, { timePoint: 0 }]);
});

test('frames sort by name', () => {
  expect(frameName(0, 12)).toBe('frame-0001.png');
  expect(frameName(9_999, 10_000)).toBe('frame-10000.png');
  expect(frameName(0, 10_000)).toBe('frame-00001.png');
});
