import { scaled, sum, type Vector3 } from '../../../core/shared/vectors.ts';
import { metresOf, type VolumeInfo } from '../../../core/shared/volume.ts';
import {
  columnsOf as columnsThrough,
  inverted,
  shiftOf,
  type Transform,
  transformOf,
} from '../../../core/transforms/transform.ts';
import { affineColumns, safeSpacing, worldOf } from './orientation.ts';
import type { Voxel } from './slice-geometry.ts';

/** Maps voxel positions (voxel i covers i to i + 1) of one volume to those of another: shift + Σ columns[axis] × position[axis]. */
export interface VoxelMap {
  readonly columns: readonly [Vector3, Vector3, Vector3];
  readonly shift: Vector3;
}

/** The map from a volume to itself, or to one with the same voxels. */
export const identityMap: VoxelMap = {
  columns: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  shift: [0, 0, 0],
};

/** The map that applies the first map, then the second. */
export function chainedMap(first: VoxelMap, second: VoxelMap): VoxelMap {
  const [x, y, z] = first.columns;
  return { columns: [mapStep(second, x), mapStep(second, y), mapStep(second, z)], shift: mapPosition(second, first.shift) };
}

/** The inverse of a map. */
export function invertedMap(map: VoxelMap): VoxelMap {
  return mapOfTransform(inverted(transformOfMap(map)));
}

export function mapOfTransform(transform: Transform): VoxelMap {
  return { columns: columnsThrough(transform), shift: shiftOf(transform) };
}

export function transformOfMap({ columns, shift }: VoxelMap): Transform {
  return transformOf(columns, shift);
}

/** Maps a volume's voxel positions to world coordinates. */
export function positionsToWorld(info: VolumeInfo): Transform {
  return transformOf(columnsOf(info), worldOf(info, [-0.5, -0.5, -0.5]));
}

/** Maps a position of one volume to the other. */
export function mapPosition({ columns, shift }: VoxelMap, position: Voxel): Voxel {
  return sum(shift, mapStep({ columns }, position));
}

/** Maps a step in one volume to the other. */
export function mapStep({ columns: [x, y, z] }: Pick<VoxelMap, 'columns'>, step: Voxel): Voxel {
  return sum(scaled(x, step[0]), scaled(y, step[1]), scaled(z, step[2]));
}

/** The map between two volumes by the world coordinates of both. */
export function worldVoxelMap(from: VolumeInfo, to: VolumeInfo): VoxelMap {
  const units = unitRatio(from, to);
  const [columns, columnsThere] = [columnsOf(from), columnsOf(to)];
  const along = (column: Vector3): Vector3 => solve(columnsThere, scaled(column, units));
  const linear = [along(columns[0]), along(columns[1]), along(columns[2])] as const;
  // World coordinates refer to voxel centres: position 0.5 is the centre of voxel 0.
  const [first, firstThere] = [worldOf(from, [0, 0, 0]), worldOf(to, [0, 0, 0])];
  const there = solve(columnsThere, sum(scaled(first, units), scaled(firstThere, -1)));
  return { columns: linear, shift: sum(there, [0.5, 0.5, 0.5], scaled(mapStep({ columns: linear }, [0.5, 0.5, 0.5]), -1)) };
}

/** Maps world coordinates of a volume to its voxel positions. */
export function worldToVoxels(info: VolumeInfo): Transform {
  return inverted(positionsToWorld(info));
}

/** The number of spatial units of the second volume in one of the first; 1 if either has none. */
export function unitRatio(from: VolumeInfo, to: VolumeInfo): number {
  const ratio = metresOf[from.spatialUnit] / metresOf[to.spatialUnit];
  return Number.isFinite(ratio) ? ratio : 1;
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

/** Solves `columns · x = target` by Cramer's rule. The columns must be linearly independent. */
function solve([a, b, c]: VoxelMap['columns'], target: Vector3): Vector3 {
  const determinant = (x: Vector3, y: Vector3, z: Vector3): number =>
    x[0] * (y[1] * z[2] - y[2] * z[1]) - y[0] * (x[1] * z[2] - x[2] * z[1]) + z[0] * (x[1] * y[2] - x[2] * y[1]);
  const whole = determinant(a, b, c);
  return [determinant(target, b, c) / whole, determinant(a, target, c) / whole, determinant(a, b, target) / whole];
}
