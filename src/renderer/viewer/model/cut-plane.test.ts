import { describe, expect, test } from 'vitest';
import { dot } from '../../../core/shared/vectors.ts';
import type { CameraFrame, ScenePoint } from './camera-frame.ts';
import {
  armLength,
  type CutPlane,
  cutAngles,
  cutMiddle,
  cutOutline,
  draggedCut,
  facingCut,
  fittedCut,
  flippedCut,
  movedCut,
  planeInCube,
  steppedAngles,
  tiltedCut,
  turnedCut,
} from './cut-plane.ts';

/** A box whose y and z are opposite to the scene's, like a volume without orientation. */
const edges: readonly ScenePoint[] = [
  [1, 0, 0],
  [0, -0.5, 0],
  [0, 0, -0.8],
];
/** An orthographic camera in front. */
const frame: CameraFrame = {
  right: [1, 0, 0],
  up: [0, 1, 0],
  toEye: [0, 0, 1],
  pixelsPerLength: 200,
  width: 400,
  height: 400,
  project: ([x, y]) => [200 + 200 * x, 200 - 200 * y],
  isAhead: () => true,
};
const front: CutPlane = { normal: [0, 0, 1], offset: 0.1 };
const right: CutPlane = { normal: [1, 0, 0], offset: 0.2 };
const near = (vector: readonly number[]) => vector.map((part) => expect.closeTo(part, 9));

test('the outline is on the plane and on the box, in order', () => {
  const outline = cutOutline(front, edges);
  expect(outline).toHaveLength(4);
  for (const [index, place] of outline.entries()) {
    expect(place).toEqual([expect.anything(), expect.anything(), expect.closeTo(0.1, 9)]);
    const [x, y] = outline[(index + 1) % 4] as ScenePoint;
    // Neighbours share an edge of the rectangle.
    expect(Math.abs(x - place[0]) < 1e-9 || Math.abs(y - place[1]) < 1e-9).toBe(true);
  }
  const slanted: CutPlane = { normal: [0.6, 0.64, 0.48], offset: 0 };
  expect(cutOutline(slanted, edges).length).toBeGreaterThanOrEqual(4);
  expect(cutMiddle(slanted, edges)).toEqual(near([0, 0, 0]));
  expect(cutOutline({ normal: [0, 0, 1], offset: 0.41 }, edges)).toEqual([]);
  expect(cutMiddle({ normal: [0, 0, 1], offset: 0.41 }, edges)).toEqual(near([0, 0, 0.41]));
});

test('it cuts the same part of the cube as of the scene', () => {
  const plane: CutPlane = { normal: [0.6, 0.64, -0.48], offset: 0.07 };
  const [a, b, c, w] = planeInCube(plane, edges);
  for (let index = 0; index < 40; index++) {
    const cube: ScenePoint = [(index * 0.37) % 1, (index * 0.61) % 1, (index * 0.83) % 1];
    const scene: ScenePoint = [cube[0] - 0.5, -0.5 * (cube[1] - 0.5), -0.8 * (cube[2] - 0.5)];
    expect(a * cube[0] + b * cube[1] + c * cube[2] + w).toBeCloseTo(plane.offset - dot(plane.normal, scene), 9);
  }
});

describe('a drag', () => {
  test('of the disc moves the plane with the pointer, within the volume', () => {
    const moved = draggedCut(right, [0.2, 0, 0], frame, [20, 55], edges);
    expect(moved).toEqual({ normal: [1, 0, 0], offset: expect.closeTo(0.3, 9) });
    expect(draggedCut(right, [0.2, 0, 0], frame, [900, 0], edges).offset).toBe(0.5);
    expect(draggedCut(right, [0.2, 0, 0], frame, [-900, 0], edges).offset).toBe(-0.5);
    // The normal points at the camera, so drag upwards.
    expect(draggedCut(front, [0, 0, 0.1], frame, [50, -20], edges).offset).toBeCloseTo(0.2, 9);
  });

  test('of the arrow turns the plane about the disc, and the tip stays under the pointer', () => {
    const at: ScenePoint = [0.1, 0.05, 0.1];
    for (const drag of [
      [10, 0],
      [0, -14],
      [-21, 17],
    ] as const) {
      const { normal, offset } = tiltedCut(front, at, frame, drag);
      expect(Math.hypot(...normal)).toBeCloseTo(1, 9);
      expect(dot(normal, at)).toBeCloseTo(offset, 9);
      expect([normal[0] * armLength * 200, -normal[1] * armLength * 200]).toEqual(near(drag));
      expect(normal[2]).toBeGreaterThan(0);
    }
    // Dragging the tip inwards turns it out of the screen plane, at most to perpendicular.
    expect(tiltedCut(right, at, frame, [-10, 0]).normal[2]).toBeGreaterThan(0.5);
    expect(tiltedCut(front, at, frame, [500, 0]).normal).toEqual(near([1, 0, 0]));
  });
});

test('align, flip, move and turn', () => {
  expect(facingCut(undefined, frame)).toEqual({ normal: [0, 0, 1], offset: 0 });
  expect(facingCut({ normal: [0.6, 0, 0.8], offset: 0.5 }, frame).offset).toBeCloseTo(0.4, 9);
  expect(flippedCut(flippedCut(right))).toEqual(right);
  expect(movedCut(front, 7, edges).offset).toBeCloseTo(0.4, 9);
  for (const [around, up] of [
    [0, 0],
    [90, 10],
    [-135, -60],
    [20, 80],
  ] as const) {
    const angles = cutAngles(turnedCut(front, { around, up }));
    expect(angles.around).toBeCloseTo(around, 6);
    expect(angles.up).toBeCloseTo(up, 6);
  }
  expect(cutAngles(right)).toEqual({ around: 90, up: 0 });
  expect(steppedAngles({ around: 175, up: 85 }, [10, 10])).toEqual({ around: -175, up: 90 });
  expect(steppedAngles({ around: -175, up: -85 }, [-10, -1])).toEqual({ around: 175, up: -86 });
});

test('a plane from a file is normalized, or refused', () => {
  expect(fittedCut({ normal: [0, 3, 4], offset: 0.1 })).toEqual({ normal: near([0, 0.6, 0.8]), offset: 0.1 });
  expect(fittedCut(right)).toEqual(right);
  expect(fittedCut({ normal: [0, 0, 0], offset: 0 })).toBeUndefined();
  expect(fittedCut({ normal: [0, 0, 1], offset: Number.NaN })).toBeUndefined();
});
