import type { ByteSource } from '../../shared/bytes.ts';
import { inContext, StriaError } from '../../shared/errors.ts';
import { type JobOptions, throwIfAborted } from '../../shared/job.ts';
import { meshFiles } from '../../shared/mesh-names.ts';
import type { NamedMesh } from '../mesh-formats.ts';
import { isFreesurferSurface, readFreesurfer } from './freesurfer.ts';
import { readGifti } from './gifti.ts';
import { readGltf } from './gltf.ts';
import { type MeshFile, type MeshInput, mostFileBytes, type ReadableMesh } from './mesh-file.ts';
import { readObj } from './obj.ts';
import { readPly } from './ply.ts';
import { readStl } from './stl.ts';

export interface MeshReadOptions extends JobOptions {
  /** Metres per unit of the volume over which the meshes are shown; NaN if it is unknown: then it is taken for millimetres. */
  readonly metres: number;
}

/**
 * The meshes of a file, in RAS world coordinates. STL, PLY and OBJ say no unit, so theirs is the volume's.
 * @throws StriaError `corrupt`, `unsupported`, `not-readable`, `aborted`
 */
export async function readMesh(source: ByteSource, options: MeshReadOptions): Promise<MeshFile> {
  try {
    if (source.size > mostFileBytes)
      throw new StriaError('unsupported', 'files of meshes are read up to 1 GiB. Reduce the mesh, for example with MeshLab');
    const bytes = await source.read(0, source.size, options);
    throwIfAborted(options.signal);
    return await parseMesh(bytes, source.name, options);
  } catch (error) {
    throw inContext(source.name, error);
  }
}

/** As `readMesh`, of bytes in memory. */
export async function parseMesh(
  bytes: Uint8Array<ArrayBuffer>,
  fileName: string,
  { metres, signal }: MeshReadOptions,
): Promise<MeshFile> {
  const format = formatOf(bytes, fileName);
  const name = fileName.replace(/\.(stl|ply|obj|glb|gltf|gii)$/i, '') || fileName;
  const input: MeshInput = { bytes, name, metres: Number.isFinite(metres) ? metres : undefined, signal };
  const meshes = (await readers[format](input)).filter(({ mesh }) => mesh.triangles.length > 0);
  if (meshes.length === 0) throw new StriaError('invalid-input', 'the file has no triangles, so there is no surface to show');
  return { format, meshes };
}

const readers: Readonly<Record<ReadableMesh, (input: MeshInput) => readonly NamedMesh[] | Promise<readonly NamedMesh[]>>> = {
  stl: (input) => [{ name: input.name, mesh: readStl(input) }],
  ply: (input) => [{ name: input.name, mesh: readPly(input) }],
  obj: (input) => readObj(input),
  gltf: readGltf,
  gifti: async (input) => [{ name: input.name, mesh: inUnit(await readGifti(input), input) }],
  freesurfer: (input) => [{ name: input.name, mesh: inUnit(readFreesurfer(input), input) }],
};

/** Of a mesh in millimetres. */
function inUnit(mesh: NamedMesh['mesh'], { metres = 1e-3 }: MeshInput): NamedMesh['mesh'] {
  const ratio = 1e-3 / metres;
  return ratio === 1 ? mesh : { ...mesh, positions: mesh.positions.map((value) => value * ratio) };
}

/** By the first bytes, and for STL and OBJ, which need not have any of their own, by the name. */
function formatOf(bytes: Uint8Array, name: string): ReadableMesh {
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, 1024)).trimStart();
  if (bytes.byteLength === 0) throw new StriaError('corrupt', 'the file is empty');
  if (head.startsWith('glTF')) return 'gltf';
  if (/^ply\s/.test(head)) return 'ply';
  if (isFreesurferSurface(bytes)) return 'freesurfer';
  if (/<GIFTI\b/.test(head)) return 'gifti';
  if (/\.stl$/i.test(name)) return 'stl';
  if (/\.obj$/i.test(name)) return 'obj';
  if (/\.gltf$/i.test(name)) return 'gltf';
  throw new StriaError('unsupported', `this is not a mesh that Stria can read. It reads ${meshFiles}`);
}
