import type { Mesh } from '../mesh.ts';

const batch = 2 ** 16;

/** Binary PLY, little-endian: corners as three floats, faces as a count and three numbers. Source: Turk, The PLY Polygon File Format. */
export function* plyParts({ positions, triangles }: Mesh): Generator<Uint8Array[]> {
  const count = triangles.length / 3;
  const head = [
    'ply',
    'format binary_little_endian 1.0',
    'comment by Stria',
    `element vertex ${positions.length / 3}`,
    'property float x',
    'property float y',
    'property float z',
    `element face ${count}`,
    'property list uchar uint vertex_indices',
    'end_header',
    '',
  ];
  yield [new TextEncoder().encode(head.join('\n')), new Uint8Array(positions.buffer, positions.byteOffset, positions.byteLength)];
  for (let start = 0; start < count; start += batch) {
    const some = Math.min(batch, count - start);
    const view = new DataView(new ArrayBuffer(13 * some));
    for (let at = 0; at < some; at++) {
      view.setUint8(13 * at, 3);
      for (let corner = 0; corner < 3; corner++)
        view.setUint32(13 * at + 1 + 4 * corner, triangles[3 * (start + at) + corner] as number, true);
    }
    yield [new Uint8Array(view.buffer)];
  }
}
