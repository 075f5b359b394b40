import { cross, dot, scaled, sum } from '../../../core/shared/vectors.ts';
import { type CameraFrame, draggedAlong, type ScenePoint } from './camera-frame.ts';
import { type ClipPlane, clipAt, withClip } from './clip.ts';
import type { ViewState } from './viewer-api.ts';

type Clip = ViewState['clip'];
type Edges = readonly ScenePoint[];

/** The six faces of the clipped box. */
export const clipFaces: readonly ClipPlane[] = ([0, 1, 2] as const).flatMap((axis) => [
  { axis, end: 'from' },
  { axis, end: 'to' },
]);

/** Maps a point of the volume's unit cube to the scene. @param edges the volume's edges in the scene, whose origin is its centre */
function inScene(edges: Edges, cube: readonly number[]): ScenePoint {
  return sum(...edges.map((edge, axis) => scaled(edge, (cube[axis] as number) - 0.5)));
}

/** The centre of a face. */
export function faceMiddle(clip: Clip, { axis, end }: ClipPlane, edges: Edges): ScenePoint {
  const middle = clip.map(([from, to]) => (from + to) / 2);
  return inScene(edges, middle.with(axis, clip[axis][end === 'from' ? 0 : 1]));
}

/** The twelve edges of the clipped box. */
export function clipBox(clip: Clip, edges: Edges): readonly (readonly [ScenePoint, ScenePoint])[] {
  const corner = (bits: number): ScenePoint =>
    inScene(
      edges,
      clip.map((range, axis) => range[(bits >> axis) & 1] as number),
    );
  return [0, 1, 2].flatMap((axis) =>
    [0, 1, 2, 3, 4, 5, 6, 7]
      .filter((bits) => (bits & (1 << axis)) === 0)
      .map((bits) => [corner(bits), corner(bits | (1 << axis))] as const),
  );
}

/** Whether a face is turned towards the camera, also in perspective. Faces seen edge-on are not. */
export function isFaceInFront(clip: Clip, { axis, end }: ClipPlane, edges: Edges, { project }: CameraFrame): boolean {
  const [across, along] = [(axis + 1) % 3, (axis + 2) % 3] as const;
  const at = faceMiddle(clip, { axis, end }, edges);
  const small = 0.01;
  const [x, y] = project(at);
  const [rightX, rightY] = project(sum(at, scaled(edges[across] as ScenePoint, small)));
  const [upX, upY] = project(sum(at, scaled(edges[along] as ScenePoint, small)));
  // The area of the parallelogram that the two steps span on the screen, whose y runs down. Negative if they turn anticlockwise.
  const area = (rightX - x) * (upY - y) - (rightY - y) * (upX - x);
  const isOutwards = end === 'to' ? 1 : -1;
  return area * isOutwards * Math.sign(determinant(edges)) < -1e-6;
}

/**
 * The clip planes after a face was dragged along its axis. The face follows the pointer in whole voxels.
 * @param clip and `frame`: as at the start of the drag @param drag in pixels since then @param voxels their number along the axis
 */
export function draggedFace(
  clip: Clip,
  plane: ClipPlane,
  edges: Edges,
  frame: CameraFrame,
  drag: readonly [number, number],
  voxels: number,
): Clip {
  const edge = edges[plane.axis] as ScenePoint;
  const length = Math.hypot(...edge);
  // Outwards, so that an upward drag moves outwards if the axis points at the camera.
  const sign = plane.end === 'to' ? 1 : -1;
  const away = draggedAlong(frame, faceMiddle(clip, plane, edges), scaled(edge, sign / length), drag);
  const moved = Math.round((sign * away * voxels) / length);
  return withClip(clip, plane, clipAt(clip, plane, voxels) + moved, voxels);
}

function determinant([a, b, c]: Edges): number {
  if (!a || !b || !c) return 0;
  return dot(a, cross(b, c));
}
