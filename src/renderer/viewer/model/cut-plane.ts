import { dot, scaled, sum } from '../../../core/shared/vectors.ts';
import { type CameraFrame, draggedAlong, type ScenePoint } from './camera-frame.ts';

/** The oblique clip plane of the 3D view, in scene coordinates, whose origin is the volume's centre. */
export interface CutPlane {
  /** A unit vector towards the side that is cut away. */
  readonly normal: ScenePoint;
  /** Distance of the plane from the volume's centre along the normal, in scene units. */
  readonly offset: number;
}

/** Length of the arrow that tilts the plane, in scene units. */
export const armLength = 0.22;

function normalized(vector: ScenePoint): ScenePoint {
  return scaled(vector, 1 / Math.max(1e-12, Math.hypot(...vector)));
}

/** The largest offset at which a plane still touches the volume. @param edges the volume's edges in the scene */
export function reachOf(normal: ScenePoint, edges: readonly ScenePoint[]): number {
  return 0.5 * edges.reduce((total, edge) => total + Math.abs(dot(normal, edge)), 0);
}

/** The plane through the same point that faces the camera: the near side is cut away. */
export function facingCut(plane: CutPlane | undefined, { toEye }: CameraFrame): CutPlane {
  const normal = normalized(toEye);
  return { normal, offset: plane ? dot(normal, scaled(plane.normal, plane.offset)) : 0 };
}

export function flippedCut({ normal, offset }: CutPlane): CutPlane {
  return { normal: scaled(normal, -1), offset: -offset };
}

/** The plane with a normal of length 1; undefined if its normal has no direction, which a file may contain. */
export function fittedCut({ normal, offset }: CutPlane): CutPlane | undefined {
  const length = Math.hypot(...normal);
  if (!(length > 1e-6 && Number.isFinite(length) && Number.isFinite(offset))) return undefined;
  return Math.abs(length - 1) < 1e-9 ? { normal, offset } : { normal: scaled(normal, 1 / length), offset };
}

/** The plane at another offset, limited to where it touches the volume. */
export function movedCut({ normal }: CutPlane, offset: number, edges: readonly ScenePoint[]): CutPlane {
  const reach = reachOf(normal, edges);
  return { normal, offset: Math.min(reach, Math.max(-reach, offset)) };
}

/** The direction of a normal in degrees: around the vertical axis from the front (−180…180), and up (−90…90). */
export interface NormalAngles {
  readonly around: number;
  readonly up: number;
}

/** The angles changed by a step. `around` wraps around; `up` stops at vertical. */
export function steppedAngles({ around, up }: NormalAngles, [right, upwards]: readonly [number, number]): NormalAngles {
  const turned = around + right;
  return {
    around: turned > 180 ? turned - 360 : turned < -180 ? turned + 360 : turned,
    up: Math.min(90, Math.max(-90, up + upwards)),
  };
}

export function cutAngles({ normal: [x, y, z] }: CutPlane): NormalAngles {
  const degrees = 180 / Math.PI;
  return { around: Math.atan2(x, z) * degrees, up: Math.asin(Math.min(1, Math.max(-1, y))) * degrees };
}

/** The plane turned about its point nearest to the volume's centre. */
export function turnedCut({ offset }: CutPlane, { around, up }: NormalAngles): CutPlane {
  const [a, u] = [(around * Math.PI) / 180, (up * Math.PI) / 180];
  return { normal: [Math.sin(a) * Math.cos(u), Math.sin(u), Math.cos(a) * Math.cos(u)], offset };
}

/**
 * The plane after its disc was dragged along its normal.
 * @param at position of the disc @param drag in pixels, from `plane` on
 */
export function draggedCut(
  plane: CutPlane,
  at: ScenePoint,
  frame: CameraFrame,
  drag: readonly [number, number],
  edges: readonly ScenePoint[],
): CutPlane {
  return movedCut(plane, plane.offset + draggedAlong(frame, at, plane.normal, drag), edges);
}

/**
 * The plane after its arrow was dragged. The tip stays under the pointer, as if on a sphere around the disc.
 * @param at position of the disc, which stays on the plane @param drag in pixels, from `plane` on
 */
export function tiltedCut(
  { normal }: CutPlane,
  at: ScenePoint,
  { right, up, toEye, pixelsPerLength }: CameraFrame,
  [dragX, dragY]: readonly [number, number],
): CutPlane {
  const arm = armLength * pixelsPerLength;
  const x = dot(normal, right) + dragX / arm;
  const y = dot(normal, up) - dragY / arm;
  const length = Math.hypot(x, y);
  const towards = length < 1 ? Math.sqrt(1 - length * length) * (dot(normal, toEye) < -1e-3 ? -1 : 1) : 0;
  const next = normalized(sum(scaled(right, x), scaled(up, y), scaled(toEye, towards)));
  return { normal: next, offset: dot(next, at) };
}

/** Corners of the plane's intersection with the volume, in order around it; empty if they do not meet. */
export function cutOutline({ normal, offset }: CutPlane, edges: readonly ScenePoint[]): ScenePoint[] {
  const corner = (bits: number): ScenePoint => sum(...edges.map((edge, axis) => scaled(edge, bits & (1 << axis) ? 0.5 : -0.5)));
  const found: ScenePoint[] = [];
  for (let bits = 0; bits < 8; bits++) {
    for (let axis = 0; axis < 3; axis++) {
      if (bits & (1 << axis)) continue;
      const [from, to] = [corner(bits), corner(bits | (1 << axis))];
      const [a, b] = [dot(normal, from) - offset, dot(normal, to) - offset];
      if (a < 0 !== b < 0) found.push(sum(from, scaled(sum(to, scaled(from, -1)), a / (a - b))));
    }
  }
  const middle = middleOf(found);
  const [first] = found;
  if (!middle || !first) return [];
  const right = normalized(sum(first, scaled(middle, -1)));
  const [nx, ny, nz] = normal;
  const up: ScenePoint = [ny * right[2] - nz * right[1], nz * right[0] - nx * right[2], nx * right[1] - ny * right[0]];
  const angle = (place: ScenePoint): number => {
    const from = sum(place, scaled(middle, -1));
    return Math.atan2(dot(from, up), dot(from, right));
  };
  return found.sort((a, b) => angle(a) - angle(b));
}

function middleOf(places: readonly ScenePoint[]): ScenePoint | undefined {
  return places.length > 0 ? scaled(sum(...places), 1 / places.length) : undefined;
}

/** Position of the plane's handles: the centre of its intersection with the volume. */
export function cutMiddle(plane: CutPlane, edges: readonly ScenePoint[]): ScenePoint {
  return middleOf(cutOutline(plane, edges)) ?? scaled(plane.normal, plane.offset);
}

/**
 * The plane in the volume's unit cube, as in `RayLook.plane`. A point p of the cube is at edges · p + origin in the scene,
 * and its centre is the scene's origin.
 */
export function planeInCube(
  { normal, offset }: CutPlane,
  edges: readonly ScenePoint[],
): readonly [number, number, number, number] {
  const [x, y, z] = edges.map((edge) => dot(normal, edge));
  const [a, b, c] = [x as number, y as number, z as number];
  return [-a, -b, -c, offset + 0.5 * (a + b + c)];
}
