import { type ByteSink, writeParts } from '../../shared/bytes.ts';
import { StriaError } from '../../shared/errors.ts';
import type { MeshFormat, NamedMesh } from '../mesh-formats.ts';
import { glbParts } from './glb.ts';
import { objParts } from './obj.ts';
import { plyParts } from './ply.ts';
import { stlParts } from './stl.ts';

/**
 * Writes meshes as a file. STL and PLY hold one mesh.
 * @returns the length of the file in bytes
 * @param metres per unit of the positions, which GLB says; NaN if unknown
 * @throws StriaError `invalid-input` if the format cannot hold the meshes, `not-writable`
 */
export async function writeMesh(
  sink: ByteSink,
  format: MeshFormat,
  meshes: readonly NamedMesh[],
  metres: number,
): Promise<number> {
  const [first, ...others] = meshes;
  if (!first || ((format === 'stl' || format === 'ply') && others.length > 0)) {
    throw new StriaError('invalid-input', `${format.toUpperCase()} files hold one surface: choose one, or write .obj or .glb`);
  }
  let length = 0;
  for (const parts of partsOf(format, meshes, first, metres)) {
    await writeParts(sink, parts);
    length += parts.reduce((sum, { byteLength }) => sum + byteLength, 0);
  }
  return length;
}

function partsOf(format: MeshFormat, meshes: readonly NamedMesh[], { mesh }: NamedMesh, metres: number) {
  if (format === 'stl') return stlParts(mesh);
  if (format === 'ply') return plyParts(mesh);
  return format === 'obj' ? objParts(meshes) : glbParts(meshes, metres);
}
