import { cross, dot, scaled, sum, unitVector, type Vector3, vectorLength } from '../shared/vectors.ts';

/**
 * Maps points of space: three rows of four numbers, row by row. A point (x, y, z) goes to the three products of the rows with
 * (x, y, z, 1).
 */
export type Transform = readonly number[];

export const identityTransform: Transform = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0];

/** @param columns the images of the unit vectors along x, y and z @param shift the image of the origin */
export function transformOf(columns: readonly [Vector3, Vector3, Vector3], shift: Vector3): Transform {
  const [a, b, c] = columns;
  // Adding 0 turns −0 into 0.
  return ([0, 1, 2] as const).flatMap((row) => [a[row] + 0, b[row] + 0, c[row] + 0, shift[row] + 0]);
}

export function translation(by: Vector3): Transform {
  return [1, 0, 0, by[0], 0, 1, 0, by[1], 0, 0, 1, by[2]];
}

export function shiftOf(transform: Transform): Vector3 {
  return [transform[3] as number, transform[7] as number, transform[11] as number];
}

/** The images of the unit vectors along x, y and z. */
export function columnsOf(transform: Transform): readonly [Vector3, Vector3, Vector3] {
  const column = (at: number): Vector3 => [transform[at] as number, transform[4 + at] as number, transform[8 + at] as number];
  return [column(0), column(1), column(2)];
}

/** Transforms a step or direction. */
export function stepThrough(transform: Transform, [x, y, z]: Vector3): Vector3 {
  const [a, b, c] = columnsOf(transform);
  return sum(scaled(a, x), scaled(b, y), scaled(c, z));
}

/** Transforms a point. */
export function pointThrough(transform: Transform, point: Vector3): Vector3 {
  return sum(shiftOf(transform), stepThrough(transform, point));
}

/** The transform as a 4×4 matrix, column by column, for shaders. */
export function matrixOf(transform: Transform): number[] {
  const [a, b, c] = columnsOf(transform);
  return [...a, 0, ...b, 0, ...c, 0, ...shiftOf(transform), 1];
}

/** Composes transforms: the first one is applied first. */
export function chained(first: Transform, ...others: readonly Transform[]): Transform {
  return others.reduce((before, next) => {
    const [a, b, c] = columnsOf(before);
    const columns = [stepThrough(next, a), stepThrough(next, b), stepThrough(next, c)] as const;
    return transformOf(columns, pointThrough(next, shiftOf(before)));
  }, first);
}

/** @param transform must be usable */
export function inverted(transform: Transform): Transform {
  const [a, b, c] = columnsOf(transform);
  const determinant = dot(a, cross(b, c));
  const [p, q, r] = [cross(b, c), cross(c, a), cross(a, b)].map((row) => scaled(row, 1 / determinant)) as [
    Vector3,
    Vector3,
    Vector3,
  ];
  const columns = [
    [p[0], q[0], r[0]],
    [p[1], q[1], r[1]],
    [p[2], q[2], r[2]],
  ] as const;
  return transformOf(columns, scaled(stepThrough(transformOf(columns, [0, 0, 0]), shiftOf(transform)), -1));
}

export function determinantOf(transform: Transform): number {
  const [a, b, c] = columnsOf(transform);
  return dot(a, cross(b, c));
}

/** The most by which a transform may stretch or shrink a step. Larger factors cannot be a sensible placement of a volume. */
const mostScale = 1e6;
const farthest = 1e9;

/** Whether it has twelve finite numbers of a reasonable size and can be inverted. */
export function isUsableTransform(transform: Transform): boolean {
  if (transform.length !== 12 || !transform.every((value) => Number.isFinite(value) && Math.abs(value) <= farthest)) return false;
  const columns = columnsOf(transform);
  if (!columns.every((column) => vectorLength(column) <= mostScale && vectorLength(column) >= 1 / mostScale)) return false;
  const [a, b, c] = columns.map(unitVector) as [Vector3, Vector3, Vector3];
  return Math.abs(dot(a, cross(b, c))) > 1e-6;
}

export function isIdentity(transform: Transform): boolean {
  return transform.every((value, at) => value === identityTransform[at]);
}

/** A transform with the same linear part that leaves `point` in place. */
export function aboutPoint(linear: Transform, point: Vector3): Transform {
  return transformOf(columnsOf(linear), sum(point, scaled(stepThrough(linear, point), -1)));
}

/** A rotation about an axis through the origin, by the right-hand rule. @param axis of length 1 */
export function rotation(axis: Vector3, degrees: number): Transform {
  const radians = (degrees * Math.PI) / 180;
  const [cosine, sine] = [Math.cos(radians), Math.sin(radians)];
  const turned = (vector: Vector3): Vector3 =>
    sum(scaled(vector, cosine), scaled(cross(axis, vector), sine), scaled(axis, dot(axis, vector) * (1 - cosine)));
  return transformOf([turned([1, 0, 0]), turned([0, 1, 0]), turned([0, 0, 1])], [0, 0, 0]);
}

/** Rotations about x, then y, then z, in degrees. */
export function rotationOfAngles([x, y, z]: Vector3): Transform {
  return chained(rotation([1, 0, 0], x), rotation([0, 1, 0], y), rotation([0, 0, 1], z));
}

/** The angles of a rotation, for `rotationOfAngles`. If y is ±90°, x and z rotate about the same axis, and z is 0. */
export function anglesOf(turn: Transform): Vector3 {
  const [a, b, c] = columnsOf(turn);
  const degrees = (radians: number): number => (radians * 180) / Math.PI + 0;
  const y = Math.asin(Math.min(1, Math.max(-1, -a[2])));
  if (Math.abs(a[2]) > 1 - 1e-12) return [degrees(Math.atan2(-c[1], b[1])), degrees(y), 0];
  return [degrees(Math.atan2(b[2], c[2])), degrees(y), degrees(Math.atan2(a[1], a[0]))];
}

/**
 * The rotation that is closest to a transform's linear part, by Newton's iteration for the polar decomposition (Higham 1986).
 * For a mirrored transform, the mirroring is left out.
 */
export function nearestRotation(transform: Transform): Transform {
  let turn = transformOf(columnsOf(transform), [0, 0, 0]);
  if (determinantOf(turn) < 0) turn = turn.map((value) => -value + 0);
  for (let round = 0; round < 100; round++) {
    const [a, b, c] = columnsOf(inverted(turn));
    // The inverse's transpose.
    const other = [a[0], a[1], a[2], 0, b[0], b[1], b[2], 0, c[0], c[1], c[2], 0];
    const next = turn.map((value, at) => (value + (other[at] as number)) / 2);
    const change = Math.max(...next.map((value, at) => Math.abs(value - (turn[at] as number))));
    turn = next;
    if (change < 1e-15) break;
  }
  return turn;
}
