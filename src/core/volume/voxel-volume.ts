import { affineColumns } from '../io/common/affine.ts';
import { cross, dot } from '../shared/vectors.ts';
import { metresOf, type VolumeInfo } from '../shared/volume.ts';

/** The volume of a voxel in the cube of the volume's unit of length. */
export function voxelSize({ affine }: Pick<VolumeInfo, 'affine'>): number {
  const [x, y, z] = affineColumns(affine);
  return Math.abs(dot(x, cross(y, z)));
}

/** The volume of a voxel in cubic millimetres. NaN if the unit of length is unknown. */
export function voxelMm3(info: Pick<VolumeInfo, 'affine' | 'spatialUnit'>): number {
  return voxelSize(info) * (1000 * metresOf[info.spatialUnit]) ** 3;
}
