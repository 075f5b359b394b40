import { dot, scaled, sum } from '../../../core/shared/vectors.ts';
import { type CameraFrame, draggedAlong, type ScenePoint } from './camera-frame.ts';

/** A plane that cuts the 3D view's volume, at any angle. In its scene, whose origin is the volume's middle. */
export interface CutPlane {
  /** Unit vector towards what is cut away. */
  readonly normal: ScenePoint;
  /** How far the plane is from the volume's middle along the normal, in scene lengths. */
  readonly offset: number;
}

/** How far the arrow that tilts the plane stands out, in scene lengths. */
export const armLength = 0.22;

function normalized(vector: ScenePoint): ScenePoint {
  return scaled(vector, 1 / Math.max(1e-12, Math.hypot(...vector)));
}

/** How far from the middle a plane still touches the volume. @param edges the volume's, in the scene */
export function reachOf(normal: ScenePoint, edges: readonly ScenePoint[]): number {
  return 0.5 * edges.reduce((total, edge) => total + Math.abs(dot(normal, edge)), 0);
}

/** The plane through the same place, looked at from the front: what is nearer is cut away. */
export function facingCut(plane: CutPlane | undefined, { toEye }: CameraFrame): CutPlane {
  const normal = normalized(toEye);
  return { normal, offset: plane ? dot(normal, scaled(plane.normal, plane.offset)) : 0 };
}

export function flippedCut({ normal, offset }: CutPlane): CutPlane {
  return { normal: scaled(normal, -1), offset: -offset };
}

/** The plane with a normal of length 1; none where it has no direction. What a file holds may be anything. */
export function fittedCut({ normal, offset }: CutPlane): CutPlane | undefined {
  const length = Math.hypot(...normal);
  if (!(length > 1e-6 && Number.isFinite(length) && Number.isFinite(offset))) return undefined;
  return Math.abs(length - 1) < 1e-9 ? { normal, offset } : { normal: scaled(normal, 1 / length), offset };
}

/** At another distance, which ends where the volume does. */
export function movedCut({ normal }: CutPlane, offset: number, edges: readonly ScenePoint[]): CutPlane {
  const reach = reachOf(normal, edges);
  return { normal, offset: Math.min(reach, Math.max(-reach, offset)) };
}

/** Where a normal points, in degrees: around the upright axis from the front (−180…180), and up (−90…90). */
export interface NormalAngles {
  readonly around: number;
  readonly up: number;
}

/** Angles so many degrees on: all the way around, and up to upright. */
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

/** Turned about the place on it that is nearest to the volume's middle. */
export function turnedCut({ offset }: CutPlane, { around, up }: NormalAngles): CutPlane {
  const [a, u] = [(around * Math.PI) / 180, (up * Math.PI) / 180];
  return { normal: [Math.sin(a) * Math.cos(u), Math.sin(u), Math.cos(a) * Math.cos(u)], offset };
}

/**
 * The plane after its disc was dragged along its normal.
 * @param at the disc's place @param drag in pixels since `plane`
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
 * The plane after its arrow was dragged: the tip stays under the pointer, as on a ball around the disc.
 * @param at the disc's place, which stays on the plane @param drag in pixels since `plane`
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

/** The corners of what the plane cuts out of the volume, in order around it; none where it misses. */
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

export function middleOf(places: readonly ScenePoint[]): ScenePoint | undefined {
  return places.length > 0 ? scaled(sum(...places), 1 / places.length) : undefined;
}

/** Where the plane's handles stand: in the middle of what it cuts. */
export function cutMiddle(plane: CutPlane, edges: readonly ScenePoint[]): ScenePoint {
  return middleOf(cutOutline(plane, edges)) ?? scaled(plane.normal, plane.offset);
}

/**
 * The plane in the volume's unit cube, as `RayLook.plane` has it. The cube's place p is edges · p + origin in the scene, and
 * its middle is the scene's origin.
 */
export function planeInCube(
  { normal, offset }: CutPlane,
  edges: readonly ScenePoint[],
): readonly [number, number, number, number] {
  const [x, y, z] = edges.map((edge) => dot(normal, edge));
  const [a, b, c] = [x as number, y as number, z as number];
  return [-a, -b, -c, offset + 0.5 * (a + b + c)];
}
