import { cross, dot, unitVector, type Vector3, vectorLength } from '../../shared/vectors.ts';

/**
 * Maps voxel indexes to world coordinates, as in `VolumeInfo.affine`: three rows of four numbers, row by row. The first three
 * numbers of a row are the steps along x, y and z; the fourth is the position of voxel (0, 0, 0).
 */
export type Affine = readonly number[];

/** Axes along the world's axes, with the first voxel at the origin. */
export function diagonalAffine(spacing: readonly number[]): Affine {
  const [x = 1, y = 1, z = 1] = spacing;
  return [x, 0, 0, 0, 0, y, 0, 0, 0, 0, z, 0];
}

/** An affine with the steps along x, y and z as columns. */
export function affineFromColumns(columns: readonly [Vector3, Vector3, Vector3], origin: Vector3): Affine {
  const [x, y, z] = columns;
  const numbers = [x[0], y[0], z[0], origin[0], x[1], y[1], z[1], origin[1], x[2], y[2], z[2], origin[2]];
  // Adding 0 turns −0 into 0.
  return numbers.map((number) => number + 0);
}

export function affineColumns(affine: Affine): [Vector3, Vector3, Vector3] {
  const column = (index: number): Vector3 => [affine[index] ?? 0, affine[4 + index] ?? 0, affine[8 + index] ?? 0];
  return [column(0), column(1), column(2)];
}

export function affineOrigin(affine: Affine): Vector3 {
  return [affine[3] ?? 0, affine[7] ?? 0, affine[11] ?? 0];
}

/** True if every number is finite and the three steps span space, so that a viewer can invert the affine. */
export function isUsableAffine(affine: Affine): boolean {
  if (affine.length !== 12 || !affine.every(Number.isFinite)) return false;
  const [x, y, z] = affineColumns(affine).map(unitVector) as [Vector3, Vector3, Vector3];
  return Math.abs(dot(x, cross(y, z))) > 1e-6;
}

/** Whether two affines differ by no more than rounding. @param tolerance relative to the largest number */
export function isSameAffine(a: Affine, b: Affine, tolerance: number): boolean {
  const most = tolerance * Math.max(...a.map(Math.abs));
  return a.every((value, at) => Math.abs(value - (b[at] as number)) <= most);
}

/** A rotation as NIfTI stores it: the quaternion's b, c, d (a = √(1 − b² − c² − d²)) and the z axis's handedness. */
export interface NiftiRotation {
  readonly b: number;
  readonly c: number;
  readonly d: number;
  /** +1, or −1 if the third axis is mirrored. */
  readonly qfac: 1 | -1;
}

/** NIfTI's "method 2". Source: nifti1.h, and `nifti_quatern_to_mat44` of nifti1_io.c for quaternions longer than 1. */
export function affineFromRotation(rotation: NiftiRotation, spacing: readonly number[], origin: Vector3): Affine {
  let { b, c, d } = rotation;
  let a = Math.sqrt(Math.max(0, 1 - (b * b + c * c + d * d)));
  if (a < 1e-7) {
    const length = Math.hypot(b, c, d);
    [a, b, c, d] = [0, b / length, c / length, d / length];
  }
  const [dx = 1, dy = 1, dz = 1] = spacing;
  const z = dz * rotation.qfac;
  return affineFromColumns(
    [
      [(a * a + b * b - c * c - d * d) * dx, 2 * (b * c + a * d) * dx, 2 * (b * d - a * c) * dx],
      [2 * (b * c - a * d) * dy, (a * a + c * c - b * b - d * d) * dy, 2 * (c * d + a * b) * dy],
      [2 * (b * d + a * c) * z, 2 * (c * d - a * b) * z, (a * a + d * d - b * b - c * c) * z],
    ],
    origin,
  );
}

/**
 * The rotation of an affine with orthogonal axes of the lengths in `spacing`. Undefined for any other affine, which a
 * quaternion cannot represent. Source: `nifti_mat44_to_quatern` of nifti1_io.c.
 */
export function rotationFromAffine(affine: Affine, spacing: readonly number[]): NiftiRotation | undefined {
  const columns = affineColumns(affine);
  const fits = columns.every((column, index) => {
    const step = spacing[index] ?? 1;
    return Math.abs(vectorLength(column) - step) <= 1e-5 * step;
  });
  const [x, y, z] = columns.map(unitVector) as [Vector3, Vector3, Vector3];
  const skew = Math.max(Math.abs(dot(x, y)), Math.abs(dot(x, z)), Math.abs(dot(y, z)));
  if (!fits || !(skew <= 1e-5)) return undefined;
  const qfac = dot(cross(x, y), z) < 0 ? -1 : 1;
  const [r13, r23, r33] = [z[0] * qfac, z[1] * qfac, z[2] * qfac];
  const [r11, r21, r31] = x;
  const [r12, r22, r32] = y;
  // Four times the square of each component. The largest is the divisor, to keep precision.
  const squares = [1 + r11 + r22 + r33, 1 + r11 - r22 - r33, 1 - r11 + r22 - r33, 1 - r11 - r22 + r33] as const;
  const largest = squares.indexOf(Math.max(...squares));
  const divisor = 2 * Math.sqrt(Math.max(...squares));
  const quaternions = [
    [divisor / 4, (r32 - r23) / divisor, (r13 - r31) / divisor, (r21 - r12) / divisor],
    [(r32 - r23) / divisor, divisor / 4, (r12 + r21) / divisor, (r13 + r31) / divisor],
    [(r13 - r31) / divisor, (r12 + r21) / divisor, divisor / 4, (r23 + r32) / divisor],
    [(r21 - r12) / divisor, (r13 + r31) / divisor, (r23 + r32) / divisor, divisor / 4],
  ] as const;
  const [a, b, c, d] = quaternions[largest] ?? quaternions[0];
  const sign = a < 0 ? -1 : 1;
  return { b: b * sign, c: c * sign, d: d * sign, qfac };
}
