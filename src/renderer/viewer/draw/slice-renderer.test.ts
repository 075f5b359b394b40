import { expect, test } from 'vitest';
import { isBlended, type SliceDrawing } from './slice-contents.ts';

const drawing = {
  volume: { isSplit: true, decimation: 1 },
  axis: undefined,
  blended: {},
  state: { window: [0, 255], colormap: 'gray', smooth: true, missing: 'hide' },
} as unknown as SliceDrawing;

const isBlendedIn = (...window: [number, number]) => isBlended({ ...drawing, state: { ...drawing.state, window } });

test('an oblique slice interpolates across the seams of boxes, unless it marks missing voxels or shows bricks', () => {
  expect(isBlended(drawing)).toBe(true);
  const { state, volume } = drawing;
  expect(isBlended({ ...drawing, blended: undefined })).toBe(false);
  expect(isBlended({ ...drawing, axis: 2 })).toBe(false);
  expect(isBlended({ ...drawing, state: { ...state, missing: 'mark' } })).toBe(false);
  expect(isBlended({ ...drawing, state: { ...state, colormap: 'labels' } })).toBe(false);
  expect(isBlended({ ...drawing, bricks: {} as never })).toBe(false);
  for (const other of [{ isSplit: false }, { decimation: 2 }])
    expect(isBlended({ ...drawing, volume: { ...volume, ...other } as never })).toBe(false);
});

test('it does not if 32-bit floats would lose what the window shows', () => {
  // Signed and descending windows, and single ones of the largest 16-bit values.
  for (const window of [
    [-1000, 3000],
    [100, -100],
    [65_000, 65_002],
    [0, 2 ** 32],
    [1e-9, 2e-9],
  ] as const)
    expect(isBlendedIn(...window), String(window)).toBe(true);
  // 32-bit integers that floats cannot distinguish, floats that are close together, and floats at the limits.
  for (const window of [
    [2 ** 30, 2 ** 30 + 200],
    [-(2 ** 31), -(2 ** 31) + 1000],
    [1, 1 + 2 ** -20],
    [0, 1e-40],
    [-3.4e38, 3.4e38],
    [7, 7],
  ] as const)
    expect(isBlendedIn(...window), String(window)).toBe(false);
});
