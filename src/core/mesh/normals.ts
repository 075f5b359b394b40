import type { Mesh } from './mesh.ts';

/**
 * The normal of each corner, from those of its triangles, weighted by their area: x, y, z and 0 as 16-bit integers of −1…1. Corners
 * without area have none.
 */
export function cornerNormals({ positions, triangles }: Mesh): Int16Array<ArrayBuffer> {
  const sums = new Float32Array(positions.length);
  const at = (place: number): number => positions[place] as number;
  for (let start = 0; start < triangles.length; start += 3) {
    const [a, b, c] = [
      3 * (triangles[start] as number),
      3 * (triangles[start + 1] as number),
      3 * (triangles[start + 2] as number),
    ];
    const [ux, uy, uz] = [at(b) - at(a), at(b + 1) - at(a + 1), at(b + 2) - at(a + 2)];
    const [vx, vy, vz] = [at(c) - at(a), at(c + 1) - at(a + 1), at(c + 2) - at(a + 2)];
    const normal = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
    for (const corner of [a, b, c])
      for (let axis = 0; axis < 3; axis++) sums[corner + axis] = (sums[corner + axis] as number) + (normal[axis] as number);
  }
  const normals = new Int16Array((positions.length / 3) * 4);
  for (let corner = 0; corner < positions.length / 3; corner++) {
    const [x, y, z] = [sums[3 * corner] as number, sums[3 * corner + 1] as number, sums[3 * corner + 2] as number];
    const length = Math.hypot(x, y, z);
    if (!(length > 0) || !Number.isFinite(length)) continue;
    normals[4 * corner] = Math.round((x / length) * 32767);
    normals[4 * corner + 1] = Math.round((y / length) * 32767);
    normals[4 * corner + 2] = Math.round((z / length) * 32767);
  }
  return normals;
}
