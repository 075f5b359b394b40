import type { Dims3 } from './volume.ts';

/** A grid without a volume: cubic voxels along the axes of the world (RAS), in millimetres. */
export interface EmptySpace {
  readonly dims: Dims3;
  /** Edge length of a voxel. */
  readonly edge: number;
  /** The centre of the first voxel. */
  readonly origin: Dims3;
}

/** The largest number of voxels along an axis. */
export const mostSpaceVoxels = 256;

/** Whether numbers read from a file describe a valid grid. */
export function isEmptySpace({ dims, edge, origin }: EmptySpace): boolean {
  const isLength = (length: number): boolean => Number.isInteger(length) && length >= 1 && length <= mostSpaceVoxels;
  return dims.every(isLength) && Number.isFinite(edge) && edge > 0 && origin.every(Number.isFinite);
}
