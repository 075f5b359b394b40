import type { NamedMesh } from '../mesh-formats.ts';

/** Files of meshes that Stria reads. */
export type ReadableMesh = 'stl' | 'ply' | 'obj' | 'gltf' | 'gifti' | 'freesurfer';

export interface MeshFile {
  readonly format: ReadableMesh;
  /** At least one, none of them empty. */
  readonly meshes: readonly NamedMesh[];
}

/** What a reader is given. */
export interface MeshInput {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** For a mesh that the file does not name. */
  readonly name: string;
  /** Of the unit in which positions are wanted; undefined if it is unknown. For files that say theirs. */
  readonly metres: number | undefined;
  readonly signal: AbortSignal | undefined;
}

/** Larger files are refused: all of a file is in memory while it is read. */
export const mostFileBytes = 2 ** 30;
/** Of a file; also the limit for corners. */
export const mostTriangles = 2 ** 26;
/** A file with more objects is read as one mesh. */
export const mostObjects = 64;
