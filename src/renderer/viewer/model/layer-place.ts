import { scaled, sum, type Vector3 } from '../../../core/shared/vectors.ts';
import type { VolumeInfo } from '../../../core/shared/volume.ts';
import { affineColumns, hasOrientation, safeSpacing, worldOf } from './orientation.ts';
import { solve, unitRatio } from './same-place.ts';
import { type Voxel, voxelAt } from './slice-geometry.ts';

/** Maps voxel positions (voxel i covers i to i + 1) of one volume to those of another: shift + Σ columns[axis] × position[axis]. */
export interface VoxelMap {
  readonly columns: readonly [Vector3, Vector3, Vector3];
  readonly shift: Vector3;
}

/**
 * How a layer is placed over the open volume.
 * - `world`: by the world coordinates of both.
 * - `voxels`: voxel by voxel, since at least one has no position of its own, and both have the same dimensions.
 * - `center`: centre on centre, since only one has a position of its own.
 */
export type PlacedBy = 'world' | 'voxels' | 'center';

export interface LayerPlace {
  readonly by: PlacedBy;
  /** From the open volume to the layer. */
  readonly map: VoxelMap;
}

export function placeLayer(base: VolumeInfo, layer: VolumeInfo): LayerPlace {
  const [isBasePlaced, isLayerPlaced] = [isPlaced(base), isPlaced(layer)];
  if (isBasePlaced && isLayerPlaced) return { by: 'world', map: byWorld(base, layer) };
  if (base.dims.slice(0, 3).join() === layer.dims.slice(0, 3).join()) return { by: 'voxels', map: identity };
  if (isBasePlaced || isLayerPlaced) return { by: 'center', map: byCenter(base, layer) };
  return { by: 'world', map: byWorld(base, layer) };
}

/** Where a position of the open volume lies in the layer. */
export function mapPosition({ columns, shift }: VoxelMap, position: Voxel): Voxel {
  return sum(shift, mapStep({ columns }, position));
}

/** How far a step in the open volume leads in the layer. */
export function mapStep({ columns: [x, y, z] }: Pick<VoxelMap, 'columns'>, step: Voxel): Voxel {
  return sum(scaled(x, step[0]), scaled(y, step[1]), scaled(z, step[2]));
}

/** The layer's voxel at a position of the open volume; undefined beside the layer. */
export function layerVoxelAt(map: VoxelMap, position: Voxel, { dims: [x, y, z] }: VolumeInfo): Voxel | undefined {
  return voxelAt(mapPosition(map, position), [x, y, z]);
}

const identity: VoxelMap = {
  columns: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  shift: [0, 0, 0],
};

/** Whether a file says where the volume lies, and not only how large its voxels are. */
function isPlaced(info: VolumeInfo): boolean {
  return hasOrientation({ ...info, world: undefined });
}

function byWorld(base: VolumeInfo, layer: VolumeInfo): VoxelMap {
  const units = unitRatio(base, layer);
  const [columns, layerColumns] = [columnsOf(base), columnsOf(layer)];
  const along = (column: Vector3): Vector3 => solve(layerColumns, scaled(column, units));
  const linear = [along(columns[0]), along(columns[1]), along(columns[2])] as const;
  // World coordinates are of voxel centres: position 0.5 is the centre of voxel 0.
  const [first, layerFirst] = [worldOf(base, [0, 0, 0]), worldOf(layer, [0, 0, 0])];
  const there = solve(layerColumns, sum(scaled(first, units), scaled(layerFirst, -1)));
  return { columns: linear, shift: sum(there, [0.5, 0.5, 0.5], scaled(mapStep({ columns: linear }, [0.5, 0.5, 0.5]), -1)) };
}

/** The axes stay parallel. */
function byCenter(base: VolumeInfo, layer: VolumeInfo): VoxelMap {
  const units = unitRatio(base, layer);
  const [spacing, layerSpacing] = [safeSpacing(base), safeSpacing(layer)];
  const ratio = (axis: 0 | 1 | 2): number => (units * spacing[axis]) / layerSpacing[axis];
  const middle = (info: VolumeInfo): Voxel => [info.dims[0] / 2, info.dims[1] / 2, info.dims[2] / 2];
  const columns = [
    [ratio(0), 0, 0],
    [0, ratio(1), 0],
    [0, 0, ratio(2)],
  ] as const;
  return { columns, shift: sum(middle(layer), scaled(mapStep({ columns }, middle(base)), -1)) };
}

function columnsOf(info: VolumeInfo): readonly [Vector3, Vector3, Vector3] {
  const [x, y, z] = safeSpacing(info);
  const [a, b, c] = affineColumns(info) ?? [];
  return a && b && c
    ? [a, b, c]
    : [
        [x, 0, 0],
        [0, y, 0],
        [0, 0, z],
      ];
}
