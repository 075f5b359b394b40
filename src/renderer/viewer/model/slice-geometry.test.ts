import { describe, expect, test } from 'vitest';
import type { SliceFrame } from './orientation.ts';
import {
  clampVoxel,
  keptInSight,
  maxZoom,
  panBy,
  pixelAt,
  pixelOf,
  placeSlice,
  positionAt,
  type SlicePlacement,
  voxelAt,
  zoomAt,
} from './slice-geometry.ts';

const frame: SliceFrame = { across: 2, right: { axis: 0, sign: -1 }, down: { axis: 1, sign: 1 }, letters: undefined };
const placement: SlicePlacement = {
  frame,
  dims: [100, 50, 10],
  spacing: [1, 2, 5],
  width: 300,
  height: 220,
  index: 7,
  camera: { zoom: 1, center: undefined },
  margin: 10,
};

test('a fitted slice is centred, in true proportions, within its margin', () => {
  const map = placeSlice(placement);
  expect(map.pixelsPerUnit).toBe(2);
  expect(positionAt(map, [150, 110])).toEqual([50, 25, 7.5]);
  // 100 voxels of size 1 are as long as 50 of size 2; x runs to the left.
  expect(positionAt(map, [50, 10])).toEqual([100, 0, 7.5]);
  expect(positionAt(map, [250, 210])).toEqual([0, 50, 7.5]);
});

test('voxels and pixels convert both ways', () => {
  const map = placeSlice({ ...placement, camera: { zoom: 3.3, center: [20, 30] } });
  const pixel = pixelOf(map, frame, [12, 34, 7]);
  expect(voxelAt(positionAt(map, pixel), placement.dims)).toEqual([12, 34, 7]);
  expect(voxelAt([-0.1, 3, 3], placement.dims)).toBeUndefined();
  expect(voxelAt([100, 3, 3], placement.dims)).toBeUndefined();
  expect(clampVoxel([-4, 60, 3.9], placement.dims)).toEqual([0, 49, 3]);
});

describe('the camera', () => {
  test('zooms about the pointer, up to a limit', () => {
    const pixel = [210, 40] as const;
    const before = positionAt(placeSlice(placement), pixel);
    const camera = zoomAt(placement, pixel, 2.5);
    const after = positionAt(placeSlice({ ...placement, camera }), pixel);
    for (const axis of [0, 1, 2] as const) expect(after[axis]).toBeCloseTo(before[axis], 9);
    expect(zoomAt(placement, pixel, 1e9).zoom).toBe(maxZoom);
  });

  test.each([
    ['far away to one side', { zoom: 1, center: [1e6, -1e6] }],
    ['far away to the other', { zoom: 1, center: [-1e6, 1e6] }],
    ['large', { zoom: 40, center: [-90, 25] }],
    ['tiny', { zoom: 0.1, center: [4000, 4000] }],
  ] as const)('keeps a part of the slice in sight: %s', (_, camera) => {
    const kept = { ...placement, camera: keptInSight({ ...placement, camera }) };
    const map = placeSlice(kept);
    for (const [axis, length] of [
      [frame.right.axis, kept.width],
      [frame.down.axis, kept.height],
    ] as const) {
      const [a, b] = [0, kept.dims[axis]].map((at) => {
        const position: [number, number, number] = [0, 0, 0];
        position[axis] = at;
        return pixelAt(map, frame, position)[axis === frame.right.axis ? 0 : 1];
      }) as [number, number];
      const [low, high] = [Math.min(a, b), Math.max(a, b)];
      const seen = Math.min(high, length) - Math.max(low, 0);
      expect(seen).toBeGreaterThanOrEqual(Math.min(high - low, length / 4) - 1e-9);
    }
    expect(kept.camera.zoom).toBe(camera.zoom);
  });

  test('does not move while enough of the slice is visible', () => {
    for (const camera of [placement.camera, { zoom: 3, center: [20, 30] } as const, { zoom: 40, center: [0, 50] } as const]) {
      expect(keptInSight({ ...placement, camera })).toBe(camera);
    }
  });

  test('pans with the pointer', () => {
    const camera = panBy(placement, [30, -12]);
    const map = placeSlice({ ...placement, camera });
    const before = positionAt(placeSlice(placement), [100, 100]);
    expect(positionAt(map, [130, 88])).toEqual(before);
  });
});
