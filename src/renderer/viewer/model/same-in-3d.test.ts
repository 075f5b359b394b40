import { expect, test } from 'vitest';
import { testInfo } from '../../../core/volume/resident-testing.ts';
import { autoView } from './auto-view.ts';
import { isSameIn3d } from './same-in-3d.ts';

const statistics = {
  min: 0,
  max: 100,
  count: 1000,
  notFinite: 0,
  histogram: { low: 0, binWidth: 1, counts: [] },
  window: [0, 100],
  flatness: 0,
} as const;
const state = autoView(testInfo([8, 8, 8, 1], 'u8'), statistics);

test('the 3D view does not change with the crosshair, unless it shows the outline of the oblique slice', () => {
  const moved = { ...state, crosshair: [1, 2, 3] } as const;
  expect(isSameIn3d(moved, state, false)).toBe(true);
  expect(isSameIn3d(moved, state, true)).toBe(false);
});

test('the 3D view changes with its window and time point, not with how slices are drawn', () => {
  expect(isSameIn3d({ ...state, smooth: !state.smooth, slab: { kind: 'mean', thickness: 3 } }, state, true)).toBe(true);
  expect(isSameIn3d({ ...state, window: [3, 4] }, state, false)).toBe(false);
  expect(isSameIn3d({ ...state, timePoint: 1 }, state, false)).toBe(false);
});
