import { Matrix4, Vector3 } from 'three';
import type { VolumeInfo } from '../../../core/shared/volume.ts';
import { sceneEdges } from '../model/orientation.ts';

/** The position of a volume in the 3D view's scene. */
export interface SceneCube {
  /** The volume's edges along x, y and z. */
  readonly edges: readonly [Vector3, Vector3, Vector3];
  readonly lengths: readonly [number, number, number];
  /** The eight corners. */
  readonly corners: readonly Vector3[];
  /** Maps the volume's unit cube to the scene. */
  readonly cube: Matrix4;
}

export function sceneCube(info: VolumeInfo): SceneCube {
  const edges = sceneEdges(info).map((edge) => new Vector3(...edge)) as [Vector3, Vector3, Vector3];
  const [x, y, z] = edges;
  const origin = x.clone().add(y).add(z).multiplyScalar(-0.5);
  const corners = Array.from({ length: 8 }, (_, index) =>
    edges.reduce((corner, edge, axis) => (index & (1 << axis) ? corner.add(edge) : corner), origin.clone()),
  );
  const cube = new Matrix4().makeBasis(x, y, z).setPosition(origin);
  return { edges, lengths: [x.length(), y.length(), z.length()], corners, cube };
}
