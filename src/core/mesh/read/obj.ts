import { StriaError } from '../../shared/errors.ts';
import { GrowingList } from '../mesh.ts';
import type { NamedMesh } from '../mesh-formats.ts';
import { type MeshInput, mostObjects, mostTriangles } from './mesh-file.ts';
import { MeshMaker, tooLarge } from './mesh-maker.ts';
import { linesOf, lpsToRas, numberIn, saysLps } from './text-lines.ts';

interface Part {
  readonly name: string;
  readonly maker: MeshMaker;
  /** Its corners by their number in the file. */
  readonly corners: Map<number, number>;
}

/**
 * Wavefront OBJ: a mesh for each object or group with faces. Polygons become triangles. Lines, curves, colours, normals and materials are
 * not read. @param mostVertices for tests @throws StriaError `corrupt`, `unsupported` for too many vertices or triangles
 */
export function readObj({ bytes, name }: Pick<MeshInput, 'bytes' | 'name'>, mostVertices = mostTriangles): readonly NamedMesh[] {
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, 4096));
  const parts = readParts(bytes, name, mostVertices, false);
  // Atlases may have thousands of groups, and the list of layers is for people.
  const used = parts.length > mostObjects ? readParts(bytes, name, mostVertices, true) : parts;
  return used.map((part) => ({ name: part.name, mesh: part.maker.finish(saysLps(head) ? lpsToRas : undefined) }));
}

function readParts(bytes: Uint8Array, name: string, mostVertices: number, isOne: boolean): readonly Part[] {
  const points = new GrowingList((length) => new Float32Array(length));
  const parts: Part[] = [];
  let title = name;
  let part: Part | undefined;
  for (const line of linesOf(bytes, { continues: true })) {
    const [key, ...words] = line.split(/\s+/);
    if (key === 'v') {
      if (points.length >= 3 * mostVertices) throw tooLarge('vertices');
      const what = `vertex ${points.length / 3 + 1}`;
      points.push(numberIn(words[0], what), numberIn(words[1], what), numberIn(words[2], what));
    } else if ((key === 'o' || key === 'g') && !isOne) {
      title = line.slice(1).trim().slice(0, 200) || name;
      part = undefined;
    } else if (key === 'f') {
      if (!part) {
        part = { name: title, maker: new MeshMaker(), corners: new Map() };
        parts.push(part);
        if (parts.length > mostObjects) return parts;
      }
      addFace(part, words, points);
    }
  }
  return parts;
}

function addFace({ maker, corners }: Part, words: readonly string[], points: GrowingList<Float32Array>): void {
  const count = points.length / 3;
  const numbers = points.numbers();
  const comment = words.findIndex((word) => word.startsWith('#'));
  const polygon = words.slice(0, comment < 0 ? words.length : comment).map((word) => {
    const slash = word.indexOf('/');
    const given = Number(slash < 0 ? word : word.slice(0, slash));
    // Negative numbers count from the last corner so far.
    const at = given < 0 ? count + given : given - 1;
    if (!Number.isInteger(at) || at < 0 || at >= count)
      throw new StriaError(
        'corrupt',
        `a face names the corner ${JSON.stringify(word.slice(0, 40))}, but there are ${count} so far`,
      );
    const known = corners.get(at);
    if (known !== undefined) return known;
    maker.addCorner(numbers[3 * at] as number, numbers[3 * at + 1] as number, numbers[3 * at + 2] as number);
    corners.set(at, maker.cornerCount - 1);
    return maker.cornerCount - 1;
  });
  if (polygon.length < 3) throw new StriaError('corrupt', 'a face has fewer than three corners');
  maker.addPolygon(polygon);
}
