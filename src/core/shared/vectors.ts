/** Three numbers along x, y and z: a position, step or direction in any space. */
export type Vector3 = readonly [x: number, y: number, z: number];

export function sum(...vectors: readonly Vector3[]): Vector3 {
  const along = (axis: 0 | 1 | 2): number => vectors.reduce((total, vector) => total + vector[axis], 0);
  return [along(0), along(1), along(2)];
}

export function scaled([x, y, z]: Vector3, by: number): Vector3 {
  return [x * by, y * by, z * by];
}

export function dot(a: Vector3, b: Vector3): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

export function cross(a: Vector3, b: Vector3): Vector3 {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

export function vectorLength(vector: Vector3): number {
  return Math.hypot(...vector);
}

/** The vector scaled to length 1; the zero vector is unchanged. */
export function unitVector(vector: Vector3): Vector3 {
  const length = vectorLength(vector);
  return length > 0 ? [vector[0] / length, vector[1] / length, vector[2] / length] : vector;
}
