import { affineColumns } from '../io/common/affine.ts';
import { cross, dot } from '../shared/vectors.ts';
import { metresOf, type VolumeInfo } from '../shared/volume.ts';

/** The volume of a voxel in cubic millimetres. NaN if the unit of length is unknown. */
export function voxelMm3({ affine, spatialUnit }: Pick<VolumeInfo, 'affine' | 'spatialUnit'>): number {
  const [x, y, z] = affineColumns(affine);
  return Math.abs(dot(x, cross(y, z))) * (1000 * metresOf[spatialUnit]) ** 3;
}
