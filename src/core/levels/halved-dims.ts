import { elementsPerVoxel } from '../format/chunk-grid.ts';
import type { Dims3, ElementType } from '../shared/volume.ts';

/** The lengths of a volume halved along the axes whose step is 2. */
export function halvedDims(dims: Dims3, steps: Dims3): Dims3 {
  return [Math.ceil(dims[0] / steps[0]), Math.ceil(dims[1] / steps[1]), Math.ceil(dims[2] / steps[2])];
}

/** The lengths of a halved box of codec elements, of which a voxel of 8 bytes takes two along x. */
export function halvedElements([x, y, z]: Dims3, steps: Dims3, type: ElementType): Dims3 {
  const perVoxel = elementsPerVoxel(type);
  const voxels = halvedDims([x / perVoxel, y, z], steps);
  return [voxels[0] * perVoxel, voxels[1], voxels[2]];
}
