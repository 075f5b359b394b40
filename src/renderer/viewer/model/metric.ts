import { cross, dot } from '../../../core/shared/vectors.ts';
import type { VolumeInfo } from '../../../core/shared/volume.ts';
import { affineColumns, safeSpacing } from './orientation.ts';
import type { Voxel } from './slice-geometry.ts';

/**
 * The inner products of the voxel steps along x, y and z, in `spatialUnit` squared. They follow from the affine, so that
 * sheared volumes (a tilted gantry) are measured correctly too.
 */
export type Metric = readonly [Voxel, Voxel, Voxel];

/** The metric of a volume, from the affine if it is invertible, else from the spacing. */
export function metricOf(info: VolumeInfo): Metric {
  const [x, y, z] = safeSpacing(info);
  const columns = affineColumns(info) ?? ([[x, 0, 0], [0, y, 0], [0, 0, z]] as const); // biome-ignore format: a matrix
  const row = (a: Voxel): Voxel => [dot(a, columns[0] as Voxel), dot(a, columns[1] as Voxel), dot(a, columns[2] as Voxel)];
  return [row(columns[0] as Voxel), row(columns[1] as Voxel), row(columns[2] as Voxel)];
}

/** The inner product of two steps in voxels. */
export function innerProduct(metric: Metric, a: Voxel, b: Voxel): number {
  return a[0] * dot(metric[0], b) + a[1] * dot(metric[1], b) + a[2] * dot(metric[2], b);
}

/** The length of a step in voxels, in `spatialUnit`. */
export function lengthOf(metric: Metric, step: Voxel): number {
  return Math.sqrt(Math.max(0, innerProduct(metric, step, step)));
}

/** The angle between two steps in voxels, in degrees from 0 to 180; NaN if one has no length. */
export function degreesBetween(metric: Metric, a: Voxel, b: Voxel): number {
  const cosine = innerProduct(metric, a, b) / (lengthOf(metric, a) * lengthOf(metric, b));
  return (Math.acos(Math.min(1, Math.max(-1, cosine))) * 180) / Math.PI;
}

/** The volume of one voxel, in `spatialUnit` cubed. */
export function voxelVolume([a, b, c]: Metric): number {
  return Math.sqrt(Math.max(0, dot(a, cross(b, c))));
}

/** The step from one voxel position to another. */
export function stepBetween(a: Voxel, b: Voxel): Voxel {
  return [b[0] - a[0], b[1] - a[1], b[2] - a[2]];
}
