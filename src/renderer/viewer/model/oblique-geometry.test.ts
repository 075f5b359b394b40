import { describe, expect, test } from 'vitest';
import { dot } from '../../../core/shared/vectors.ts';
import { testInfo } from '../../../core/volume/resident-testing.ts';
import {
  alongNormal,
  cutLine,
  fittedObliquePixelsPerUnit,
  type ObliquePlacement,
  obliqueInScene,
  obliqueKeptInSight,
  obliqueNormal,
  placeOblique,
  sideLetters,
  tiltTowards,
  voxelInScene,
  zoomOblique,
} from './oblique-geometry.ts';
import { safeSpacing, sliceFrame, worldOf } from './orientation.ts';
import { type Point, pixelOf, placeSlice, positionAt, type Voxel } from './slice-geometry.ts';

const dims: Voxel = [40, 50, 20];
const straight = { ...testInfo([...dims, 1], 'u8'), affine: [-0.7, 0, 0, 12, 0, 0.8, 0, 3, 0, 0, 2.5, -8] };
const slanted = { ...straight, affine: [0.7, 0.1, 0, 5, 0, 0.9, 0.8, 0, 0.2, 0, 2.5, 0] };

const placement: ObliquePlacement = {
  info: straight,
  tilt: { turn: 0, tilt: 0 },
  crosshair: [11, 30, 6],
  camera: { zoom: 1, center: undefined },
  width: 400,
  height: 300,
  margin: 20,
};

test('without turn and tilt, it is the slice across z', () => {
  const { map, letters, crosshairPixel } = placeOblique(placement);
  const frame = sliceFrame(straight, 'z');
  const slice = placeSlice({ ...placement, frame, dims, spacing: safeSpacing(straight), index: 6 });
  expect(letters).toEqual(frame.letters);
  expect(map.pixelsPerUnit).toBeCloseTo(slice.pixelsPerUnit, 9);
  for (const pixel of [
    [0, 0],
    [400, 300],
    [123, 45],
  ] as const) {
    for (const axis of [0, 1, 2] as const) expect(positionAt(map, pixel)[axis]).toBeCloseTo(positionAt(slice, pixel)[axis], 9);
  }
  expect(cutLine(straight, placeOblique(placement).normal, { ...placement, map: slice, frame })).toBeUndefined();
  const [x, y] = pixelOf(slice, frame, [11, 30, 6]);
  expect(crosshairPixel).toEqual([expect.closeTo(x, 9), expect.closeTo(y, 9)]);
});

describe.each([
  ['at right angles', straight],
  ['slanted', slanted],
])('turned, with axes %s', (_, info) => {
  const turned: ObliquePlacement = { ...placement, info, tilt: { turn: 35, tilt: -50 }, camera: { zoom: 1.6, center: [3, -2] } };

  test('it goes through the crosshair, and pixels have the stated length', () => {
    const { map, crosshairPixel } = placeOblique(turned);
    const at = positionAt(map, crosshairPixel);
    for (const axis of [0, 1, 2] as const) expect(at[axis]).toBeCloseTo((turned.crosshair[axis] as number) + 0.5, 9);
    const world = (pixel: Point): Voxel => worldOf(info, positionAt(map, pixel));
    const length = (a: Voxel, b: Voxel): number => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
    for (const to of [
      [110, 20],
      [10, 120],
      [40, 60],
    ] as const) {
      const pixels = Math.hypot(to[0] - 10, to[1] - 20);
      expect(length(world([10, 20]), world(to)) * map.pixelsPerUnit).toBeCloseTo(pixels, 6);
    }
  });

  test('moving the crosshair within the plane does not move the picture, and steps along the normal leave the plane', () => {
    const { map, normal } = placeOblique(turned);
    const at = positionAt(map, [250, 90]);
    const moved = placeOblique({ ...turned, crosshair: [at[0] - 0.5, at[1] - 0.5, at[2] - 0.5] });
    expect(moved.map.origin).toEqual(map.origin.map((place) => expect.closeTo(place, 9)));
    expect(moved.crosshairPixel).toEqual([expect.closeTo(250, 6), expect.closeTo(90, 6)]);
    const [before, after] = [turned.crosshair, alongNormal(info, normal, turned.crosshair, 2)].map((voxel) =>
      worldOf(info, voxel),
    );
    const way = [0, 1, 2].map((axis) => (after?.[axis] ?? 0) - (before?.[axis] ?? 0));
    const length = 2 * Math.min(...safeSpacing(info));
    expect(way).toEqual(normal.map((part) => expect.closeTo(part * length, 9)));
  });

  test('its line in a slice is in both planes', () => {
    const { normal } = placeOblique(turned);
    for (const axis of ['x', 'y', 'z'] as const) {
      const frame = sliceFrame(info, axis);
      const index = turned.crosshair[frame.across];
      const map = placeSlice({ ...turned, frame, dims, spacing: safeSpacing(info), index });
      const line = cutLine(info, normal, { ...turned, map, frame });
      const here = worldOf(info, turned.crosshair);
      for (const pixel of line ?? []) {
        const [x, y, z] = positionAt(map, pixel);
        const there = worldOf(info, [x - 0.5, y - 0.5, z - 0.5]);
        expect(there.reduce((sum, place, at) => sum + (place - (here[at] ?? 0)) * (normal[at] ?? 0), 0)).toBeCloseTo(0, 6);
      }
      expect(line).toHaveLength(2);
    }
  });

  test('zooming keeps the point under the pointer in place', () => {
    const pixel = [310, 60] as const;
    const before = positionAt(placeOblique(turned).map, pixel);
    const camera = zoomOblique(turned, pixel, 4);
    const after = positionAt(placeOblique({ ...turned, camera }).map, pixel);
    for (const axis of [0, 1, 2] as const) expect(after[axis]).toBeCloseTo(before[axis], 9);
    expect(camera.zoom).toBe(4);
  });
});

test('directions between two of the patient’s sides have both letters', () => {
  expect(sideLetters([1, 0, 0])).toBe('R');
  expect(sideLetters([-0.6, 0.8, 0])).toBe('AL');
  expect(sideLetters([0.05, 0.1, -0.99])).toBe('I');
});

/** A volume without orientation, like a picture. */
const plain = { ...straight, affine: [0.7, 0, 0, 0, 0, 0.8, 0, 0, 0, 0, 2.5, 0] };

describe.each([
  ['straight', straight],
  ['slanted', slanted],
  ['without orientation', plain],
])('in the 3D scene, of a volume that is %s', (_, info) => {
  const tilt = { turn: 35, tilt: -50 };
  const crosshair: Voxel = [11, 30, 6];

  test('the plane goes through the voxels that its slice shows', () => {
    const plane = obliqueInScene(info, tilt, crosshair);
    const { map } = placeOblique({ ...placement, info, tilt, crosshair });
    expect(Math.hypot(...plane.normal)).toBeCloseTo(1, 9);
    for (const pixel of [
      [0, 0],
      [400, 10],
      [123, 300],
    ] as const) {
      const [x, y, z] = positionAt(map, pixel);
      const at = voxelInScene(info, [x - 0.5, y - 0.5, z - 0.5]);
      expect(dot(plane.normal, at)).toBeCloseTo(plane.offset, 9);
    }
    expect(voxelInScene(info, [19.5, 24.5, 9.5]).map((part) => part || 0)).toEqual([0, 0, 0]);
  });

  test('an axis with a given direction has the angles that were found for it', () => {
    for (const angles of [{ turn: 0, tilt: 0 }, { turn: 170, tilt: 12 }, { turn: -95, tilt: -71 }, tilt]) {
      const { normal } = obliqueInScene(info, angles, crosshair);
      expect(tiltTowards(info, normal, { turn: 3, tilt: 3 })).toEqual(angles);
    }
    // If the normal is vertical on its canvas, every turn gives the same axis.
    const { normal } = obliqueInScene(info, { turn: 40, tilt: 90 }, crosshair);
    expect(tiltTowards(info, normal, { turn: 3, tilt: 88 })).toEqual({ turn: 3, tilt: 90 });
    expect(obliqueNormal(info, { turn: 3, tilt: 90 })).toEqual(
      obliqueNormal(info, { turn: 40, tilt: 90 }).map((part) => expect.closeTo(part, 9)),
    );
  });
});

test('the oblique slice stays visible, however it is panned and turned', () => {
  const fitted = { zoom: 1, center: undefined };
  expect(obliqueKeptInSight({ ...placement, camera: fitted })).toBe(fitted);
  for (const tilt of [placement.tilt, { turn: 35, tilt: -50 }]) {
    const away = { ...placement, tilt, camera: { zoom: 2, center: [900, -900] } } as const;
    const camera = obliqueKeptInSight(away);
    const pixels = (camera.center as readonly number[]).map((pan) => Math.abs(pan) * 2 * fittedObliquePixelsPerUnit(away));
    // At a zoom of 2, a slice that fits the canvas is at most twice as long, and a quarter of the canvas shows it.
    for (const [axis, length] of [away.width, away.height].entries()) {
      expect(pixels[axis]).toBeGreaterThan(0);
      expect(pixels[axis]).toBeLessThanOrEqual(1.5 * length - length / 4);
    }
    expect(obliqueKeptInSight({ ...away, camera })).toBe(camera);
  }
});
