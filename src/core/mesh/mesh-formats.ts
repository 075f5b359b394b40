import type { Mesh } from './mesh.ts';

/** Files of meshes that Stria writes. */
export const meshFormats = ['stl', 'ply', 'obj', 'glb'] as const;
export type MeshFormat = (typeof meshFormats)[number];

/** A mesh with what files say about it. */
export interface NamedMesh {
  readonly name: string;
  readonly mesh: Mesh;
  /** Red, green and blue of sRGB, from 0 to 1. */
  readonly color?: readonly [number, number, number] | undefined;
}
