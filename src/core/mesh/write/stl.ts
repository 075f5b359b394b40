import { cross, type Vector3 } from '../../shared/vectors.ts';
import type { Mesh } from '../mesh.ts';

const recordBytes = 50;
const batch = 20_000;

/** Binary STL: 80 bytes of text, the number of triangles, and for each its normal, three corners and two empty bytes. */
export function* stlParts({ positions, triangles }: Mesh): Generator<Uint8Array[]> {
  const count = triangles.length / 3;
  const head = new Uint8Array(84);
  // Readers take a file that begins with 'solid' for text.
  head.set(new TextEncoder().encode('Binary STL by Stria'));
  new DataView(head.buffer).setUint32(80, count, true);
  yield [head];
  for (let start = 0; start < count; start += batch) {
    const some = Math.min(batch, count - start);
    const view = new DataView(new ArrayBuffer(some * recordBytes));
    for (let at = 0; at < some; at++) {
      const [a, b, c] = [0, 1, 2].map((corner) => pointOf(positions, triangles[3 * (start + at) + corner] as number)) as [
        Vector3,
        Vector3,
        Vector3,
      ];
      for (const [place, point] of [normalOf(a, b, c), a, b, c].entries())
        for (let axis = 0; axis < 3; axis++)
          view.setFloat32(at * recordBytes + 12 * place + 4 * axis, point[axis] as number, true);
    }
    yield [new Uint8Array(view.buffer)];
  }
}

function pointOf(positions: Float32Array, corner: number): Vector3 {
  return [positions[3 * corner] as number, positions[3 * corner + 1] as number, positions[3 * corner + 2] as number];
}

/** Of length 1, outwards; zero for a triangle without area. */
function normalOf(a: Vector3, b: Vector3, c: Vector3): Vector3 {
  const normal = cross([b[0] - a[0], b[1] - a[1], b[2] - a[2]], [c[0] - a[0], c[1] - a[1], c[2] - a[2]]);
  const length = Math.hypot(...normal) || 1;
  return [normal[0] / length, normal[1] / length, normal[2] / length];
}
