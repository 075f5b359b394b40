import type { ChunkGrid } from '../format/chunk-grid.ts';
import type { Dims3, ElementType } from '../shared/volume.ts';

/** A chunk and the voxels that it covers, for reports. */
export interface ChunkPlace {
  readonly chunk: number;
  /** First voxel along x, y and z, and the extent within a time point. */
  readonly origin: Dims3;
  readonly shape: Dims3;
  /** The first time point, and the number of time points. */
  readonly t: number;
  readonly timePoints: number;
}

export function placeOf(grid: ChunkGrid, type: ElementType, chunk: number): ChunkPlace {
  const { origin, shape, t, timePoints } = grid.box(chunk);
  const inVoxels = ([x, y, z]: Dims3): Dims3 => [type === 'f64' ? x / 2 : x, y, z];
  const [x, y, z] = inVoxels(shape);
  return { chunk, origin: inVoxels(origin), shape: [x, y, z / timePoints], t, timePoints };
}
