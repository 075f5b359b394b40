import { affineColumns } from '../io/common/affine.ts';
import { cross, dot } from '../shared/vectors.ts';
import { metresOf, type VolumeInfo } from '../shared/volume.ts';

/** The volume of a voxel in the cube of the volume's unit of length. */
function voxelSize({ affine }: Pick<VolumeInfo, 'affine'>): number {
  const [x, y, z] = affineColumns(affine);
  return Math.abs(dot(x, cross(y, z)));
}

/**
 * Volumes of voxels in the cube of the volume's unit of length, which the name of their column in a table says: `volume_um3`. In mm³, those
 * of cells would be tiny. Undefined if the unit is unknown.
 */
export function volumeColumn(
  info: Pick<VolumeInfo, 'affine' | 'spatialUnit'>,
): { readonly name: string; of(voxels: number): number } | undefined {
  if (info.spatialUnit === 'unknown') return undefined;
  const size = voxelSize(info);
  return { name: `volume_${info.spatialUnit}3`, of: (voxels) => size * voxels };
}

/** The volume of a voxel in cubic millimetres. NaN if the unit of length is unknown. */
export function voxelMm3(info: Pick<VolumeInfo, 'affine' | 'spatialUnit'>): number {
  return voxelSize(info) * (1000 * metresOf[info.spatialUnit]) ** 3;
}
