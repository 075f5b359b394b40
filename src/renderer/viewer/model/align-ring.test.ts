import { expect, test } from 'vitest';
import { dot } from '../../../core/shared/vectors.ts';
import { pointThrough } from '../../../core/transforms/transform.ts';
import { alignRing, angleBetween, draggedInSlice, turnedInSlice } from './align-ring.ts';
import { layerCenter } from './alignment.ts';
import { base, baseDims, layerInfo } from './layer-testing.ts';
import { placeOblique } from './oblique-geometry.ts';
import { sliceFrame } from './orientation.ts';
import { type Point, placeSlice, positionAt, type SliceOnScreen } from './slice-geometry.ts';
import { positionsToWorld } from './voxel-map.ts';

const layer = layerInfo('u8');

function screenOf(axis: 'x' | 'y' | 'z', zoom = 1): SliceOnScreen {
  const [width, height] = [300, 200];
  const [x, y, z] = baseDims;
  const camera = { zoom, center: undefined };
  const frame = sliceFrame(base, axis);
  return {
    map: placeSlice({ frame, dims: [x, y, z], spacing: [1, 1, 1], width, height, index: 5, camera, margin: 3 }),
    width,
    height,
  };
}

const worldAt = (screen: SliceOnScreen, at: Point) => pointThrough(positionsToWorld(base), positionAt(screen.map, at));

function expectNear(found: readonly number[], expected: readonly number[]): void {
  found.forEach((value, at) => {
    expect(value).toBeCloseTo(expected[at] as number, 6);
  });
}

test.each(['x', 'y', 'z'] as const)('in the slice across %s, the dragged point stays under the pointer', (axis) => {
  const screen = screenOf(axis);
  const ring = alignRing(base, layer, undefined, screen);
  const [from, to] = [
    [120, 90],
    [150, 75],
  ] as const;
  const motion = draggedInSlice(undefined, ring, [to[0] - from[0], to[1] - from[1]]);
  expectNear(pointThrough(motion as readonly number[], worldAt(screen, from)), worldAt(screen, to));
  // The ring moves with the layer.
  const after = alignRing(base, layer, motion, screen);
  expectNear(after.center, [ring.center[0] + 30, ring.center[1] - 15]);
});

test('in an oblique slice, the dragged point stays under the pointer, too', () => {
  const placement = {
    info: base,
    tilt: { turn: 25, tilt: -35 },
    crosshair: [9, 8, 6],
    camera: { zoom: 1, center: undefined },
  } as const;
  const [width, height] = [300, 200];
  const screen = { map: placeOblique({ ...placement, width, height, margin: 3 }).map, width, height };
  const ring = alignRing(base, layer, undefined, screen);
  const motion = draggedInSlice(undefined, ring, [30, -15]);
  expectNear(pointThrough(motion as readonly number[], worldAt(screen, [120, 90])), worldAt(screen, [150, 75]));
  expectNear(alignRing(base, layer, motion, screen).center, [ring.center[0] + 30, ring.center[1] - 15]);
  expectNear(worldAt(screen, ring.center), ring.pivot);
});

test('turning is clockwise on the screen, and leaves the ring’s centre and plane in place', () => {
  const screen = screenOf('z');
  const ring = alignRing(base, layer, undefined, screen);
  const motion = turnedInSlice(undefined, ring, 90) as readonly number[];
  expectNear(pointThrough(motion, ring.pivot), ring.pivot);
  expectNear(worldAt(screen, ring.center), ring.pivot);
  const turned = pointThrough(motion, worldAt(screen, [ring.center[0] + 20, ring.center[1]]));
  const step = turned.map((value, at) => value - (ring.pivot[at] as number)) as [number, number, number];
  expect(dot(step, ring.down)).toBeGreaterThan(0);
  expect(angleBetween(ring, [ring.center[0] + 20, ring.center[1]], [ring.center[0], ring.center[1] + 20])).toBeCloseTo(90, 9);
  expect(angleBetween({ center: [0, 0] }, [-10, 1], [-10, -1])).toBeCloseTo(11.42, 2);
});

test('the ring stays on the canvas even if the layer’s centre does not', () => {
  const far = [1, 0, 0, 500, 0, 1, 0, 500, 0, 0, 1, 0];
  const screen = screenOf('z', 8);
  const ring = alignRing(base, layer, far, screen);
  expect(ring.center.every((at, index) => at >= 24 && at <= ([276, 176][index] as number))).toBe(true);
  expectNear(worldAt(screen, ring.center), ring.pivot);
  expect(layerCenter(base, layer, far)[0]).toBeGreaterThan(400);
});
