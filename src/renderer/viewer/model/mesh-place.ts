import type { Mesh } from '../../../core/mesh/mesh.ts';
import type { VolumeInfo } from '../../../core/shared/volume.ts';
import { chained, inverted, type Transform } from '../../../core/transforms/transform.ts';
import { placeLayer } from './layer-place.ts';
import { positionsToWorld, transformOfMap } from './voxel-map.ts';

/** Converts a mesh from world coordinates of a layer to those of the open volume, as the layer's file places it. */
export function inBaseWorld(mesh: Mesh, base: VolumeInfo, layer: VolumeInfo): Mesh {
  const toLayer = transformOfMap(placeLayer(base, layer).map);
  const way = chained(inverted(positionsToWorld(layer)), inverted(toLayer), positionsToWorld(base));
  return moved(mesh, way);
}

/** A transformed mesh. */
export function moved({ positions, triangles }: Mesh, way: Transform): Mesh {
  const there = new Float32Array(positions.length);
  const part = (at: number): number => way[at] as number;
  for (let at = 0; at < positions.length; at += 3) {
    const [x, y, z] = [positions[at] as number, positions[at + 1] as number, positions[at + 2] as number];
    for (let row = 0; row < 3; row++)
      there[at + row] = part(4 * row) * x + part(4 * row + 1) * y + part(4 * row + 2) * z + part(4 * row + 3);
  }
  return { positions: there, triangles };
}
