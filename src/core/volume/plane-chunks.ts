import type { ChunkGrid } from '../format/chunk-grid.ts';
import { cross, dot, scaled } from '../shared/vectors.ts';
import type { Dims3 } from '../shared/volume.ts';

/** A part of a plane: voxel position = origin + right × pixel x + down × pixel y, for pixels from 0 to `width` and `height`. */
export interface PlanePart {
  readonly origin: Dims3;
  readonly right: Dims3;
  readonly down: Dims3;
  readonly width: number;
  readonly height: number;
  /** Set for a slab: the plane is moved by each number of steps from `first` to `last`. */
  readonly sweep?: { readonly step: Dims3; readonly first: number; readonly last: number } | undefined;
}

/** Voxels are interpolated, so voxels up to this distance from the plane are read, in voxels along each axis. */
const reach = 1;

/**
 * The chunks whose voxels a part of a plane reads, as ascending numbers at time point 0. Some nearby chunks may be included.
 * @param elementsPerVoxel codec elements per voxel along x, because the grid's lengths are in codec elements
 */
export function chunksOnPlane(grid: ChunkGrid, elementsPerVoxel: number, plane: PlanePart): readonly number[] {
  const bounds = boundsOf(plane);
  if (!bounds) return [];
  const { counts, dims, chunkShape } = grid;
  const perVoxel: Dims3 = [elementsPerVoxel, 1, 1];
  /** Whether the plane comes near the chunks from `first` up to, not including, `end`. */
  const isNear = (first: Dims3, end: Dims3): boolean => {
    const edge = (chunk: Dims3, axis: 0 | 1 | 2): number => Math.min(dims[axis], chunk[axis] * chunkShape[axis]) / perVoxel[axis];
    const axes = [0, 1, 2] as const;
    return bounds.every(({ along, start, low, high }) => {
      let [middle, half] = [-start, 0];
      for (const axis of axes) {
        const [from, to] = [edge(first, axis) - reach, edge(end, axis) + reach];
        middle += (along[axis] * (from + to)) / 2;
        half += Math.abs(along[axis] * (to - from)) / 2;
      }
      return middle + half >= low && middle - half <= high;
    });
  };
  const found: number[] = [];
  for (let z = 0; z < counts[2]; z++) {
    if (!isNear([0, 0, z], [counts[0], counts[1], z + 1])) continue;
    for (let y = 0; y < counts[1]; y++) {
      if (!isNear([0, y, z], [counts[0], y + 1, z + 1])) continue;
      for (let x = 0; x < counts[0]; x++) {
        if (isNear([x, y, z], [x + 1, y + 1, z + 1])) found.push((z * counts[1] + y) * counts[0] + x);
      }
    }
  }
  return found;
}

/** A constraint on positions: low ≤ along · position − start ≤ high. */
interface Bound {
  readonly along: Dims3;
  readonly start: number;
  readonly low: number;
  readonly high: number;
}

/** The constraints on positions of the part: within its pixels, and on the plane or in the slab. Undefined if the steps do not span a plane. */
function boundsOf({ origin, right, down, width, height, sweep }: PlanePart): readonly Bound[] | undefined {
  const across = cross(right, down);
  const area = Math.hypot(...across);
  if (!(area > 0)) return undefined;
  const normal = scaled(across, 1 / area);
  // Along each of these vectors, one of the two steps has length 1 and the other has length 0.
  const [alongRight, alongDown] = [scaled(cross(down, normal), 1 / area), scaled(cross(normal, right), 1 / area)];
  const bound = (along: Dims3, length: number): Bound => {
    const [from, to] = sweep ? [dot(along, sweep.step) * sweep.first, dot(along, sweep.step) * sweep.last] : [0, 0];
    return { along, start: dot(along, origin), low: Math.min(from, to), high: length + Math.max(from, to) };
  };
  return [bound(normal, 0), bound(alongRight, width), bound(alongDown, height)];
}
