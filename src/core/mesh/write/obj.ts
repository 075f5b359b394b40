import type { NamedMesh } from '../mesh-formats.ts';

const batch = 10_000;

/** Wavefront OBJ: text, an object for each mesh. Corners are counted from 1 through the whole file. */
export function* objParts(meshes: readonly NamedMesh[]): Generator<Uint8Array[]> {
  const text = new TextEncoder();
  yield [text.encode('# by Stria\n')];
  let first = 1;
  for (const { name, mesh } of meshes) {
    const { positions, triangles } = mesh;
    // A name is one word in most readers.
    yield [text.encode(`o ${name.replace(/[^\p{L}\p{N}._-]+/gu, '_')}\n`)];
    yield* linesOf(positions.length / 3, (at) => `v ${positions[3 * at]} ${positions[3 * at + 1]} ${positions[3 * at + 2]}\n`);
    const corner = (at: number) => first + (triangles[at] as number);
    yield* linesOf(triangles.length / 3, (at) => `f ${corner(3 * at)} ${corner(3 * at + 1)} ${corner(3 * at + 2)}\n`);
    first += positions.length / 3;
  }

  function* linesOf(count: number, line: (at: number) => string): Generator<Uint8Array[]> {
    for (let start = 0; start < count; start += batch) {
      const lines = Array.from({ length: Math.min(batch, count - start) }, (_, at) => line(start + at));
      yield [text.encode(lines.join(''))];
    }
  }
}
