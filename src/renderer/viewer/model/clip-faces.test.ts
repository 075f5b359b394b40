import { describe, expect, test } from 'vitest';
import { dot } from '../../../core/shared/vectors.ts';
import type { CameraFrame, ScenePoint } from './camera-frame.ts';
import { type ClipPlane, unclipped, withClip } from './clip.ts';
import { clipBox, clipFaces, draggedFace, faceMiddle, isFaceInFront } from './clip-faces.ts';

/** The edges of a volume without orientation, whose y and z are opposite to the scene's, and of its mirror image. */
const edges: readonly ScenePoint[] = [
  [1, 0, 0],
  [0, -0.5, 0],
  [0, 0, -0.8],
];
const mirrored: readonly ScenePoint[] = [[-1, 0, 0], ...edges.slice(1)];
/** A camera in a direction, in perspective if the distance is finite. One scene unit is 200 pixels at the centre. */
function frameFrom(toEye: ScenePoint, right: ScenePoint, up: ScenePoint, distance: number): CameraFrame {
  return {
    right,
    up,
    toEye,
    pixelsPerLength: 200,
    width: 400,
    height: 400,
    project: (place) => {
      const scale = Number.isFinite(distance) ? (200 * distance) / (distance - dot(place, toEye)) : 200;
      return [200 + scale * dot(place, right), 200 - scale * dot(place, up)];
    },
    isAhead: () => true,
  };
}
const front = frameFrom([0, 0, 1], [1, 0, 0], [0, 1, 0], Number.POSITIVE_INFINITY);
const half = Math.SQRT1_2;
const aslant = frameFrom([half, 0, half], [half, 0, -half], [0, 1, 0], 4);
const plane = (axis: 0 | 1 | 2, end: ClipPlane['end']): ClipPlane => ({ axis, end });
const clip = withClip(withClip(unclipped, plane(0, 'from'), 4, 20), plane(2, 'to'), 14, 20);

test('a face’s handle is at the centre of the clipped face', () => {
  expect(faceMiddle(unclipped, plane(1, 'to'), edges)).toEqual([0, -0.25, 0]);
  const [x, y, z] = faceMiddle(clip, plane(0, 'from'), edges);
  // The clip range is x from 0.2 and z up to 0.75 of the volume.
  expect([x, y, z]).toEqual([expect.closeTo(-0.3, 9), expect.closeTo(0, 9), expect.closeTo(-0.8 * (0.375 - 0.5), 9)]);
});

test('the clipped box has twelve edges', () => {
  const lines = clipBox(clip, edges);
  expect(lines).toHaveLength(12);
  const lengths = lines.map(([a, b]) => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]).toFixed(6));
  for (const length of [0.8, 0.5, 0.6]) expect(lengths.filter((each) => each === length.toFixed(6))).toHaveLength(4);
});

describe.each([
  ['as it lies', edges, 'to'],
  ['in a mirror', mirrored, 'from'],
] as const)('of a volume %s', (_, box, right) => {
  test('faces towards the camera are distinguished from those that face away', () => {
    const seen = (frame: CameraFrame) =>
      clipFaces.filter((face) => isFaceInFront(unclipped, face, box, frame)).map(({ axis, end }) => `${axis} ${end}`);
    expect(seen(front)).toEqual(['2 from']);
    expect(seen(aslant)).toEqual([`0 ${right}`, '2 from']);
    // So close that the camera is no longer beyond the side.
    expect(seen(frameFrom([half, 0, half], [half, 0, -half], [0, 1, 0], 0.65))).toEqual(['2 from']);
  });
});

describe('a drag', () => {
  const from = plane(0, 'from');
  const to = plane(0, 'to');
  test('moves a face along its axis by the pointer’s travel along it, in whole voxels', () => {
    // 200 pixels are 20 voxels along x.
    expect(draggedFace(unclipped, from, edges, front, [31, 90], 20)).toEqual(withClip(unclipped, from, 3, 20));
    expect(draggedFace(unclipped, to, edges, front, [-58, -7], 20)).toEqual(withClip(unclipped, to, 13, 20));
    // y runs down, so its first face is at the top.
    expect(draggedFace(unclipped, plane(1, 'from'), edges, front, [500, 40], 10)).toEqual(
      withClip(unclipped, plane(1, 'from'), 4, 10),
    );
    expect(draggedFace(clip, from, edges, front, [0, 0], 20)).toEqual(clip);
  });

  test('stops at the opposite face and at the volume’s end', () => {
    expect(draggedFace(clip, from, edges, front, [9000, 0], 20)).toEqual(withClip(clip, from, 19, 20));
    expect(draggedFace(clip, from, edges, front, [-9000, 0], 20)).toEqual(withClip(clip, from, 0, 20));
  });

  test('follows the projected axis, also in perspective', () => {
    const [x, y] = aslant.project(faceMiddle(unclipped, to, edges));
    const wanted = withClip(unclipped, to, 99 - 7, 100);
    const [toX, toY] = aslant.project(faceMiddle(wanted, to, edges));
    expect(draggedFace(unclipped, to, edges, aslant, [toX - x, toY - y], 100)[0][1]).toBeCloseTo(0.93, 2);
  });

  test('moves outwards for an upward drag if the axis points at the camera', () => {
    const back = plane(2, 'to');
    const inFront = plane(2, 'from');
    expect(draggedFace(unclipped, inFront, edges, front, [50, 80], 10)).toEqual(withClip(unclipped, inFront, 5, 10));
    expect(draggedFace(unclipped, back, edges, front, [50, 80], 10)).toEqual(withClip(unclipped, back, 4, 10));
  });
});
