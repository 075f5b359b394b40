import { rowBytes } from '../../codec/codec.ts';
import type { Gpu } from '../../gpu/gpu.ts';
import { type Dims3, elementBytes, type VolumeInfo } from '../../shared/volume.ts';
import type { PlaneBox } from '../../volume/plane-reader.ts';

/** With three buffers of 32-bit words of so many voxels, and one for values, a slab takes about 128 MiB. */
const slabVoxels = 2 ** 23;

/** How a volume's planes are put into slabs. */
export interface SlabShape {
  /** Voxels along x, y and z of the volume. */
  readonly dims: Dims3;
  /** From row to row and from plane to plane, in voxels: there is one more on each side. */
  readonly row: number;
  readonly plane: number;
  /** The most planes of a slab, besides plane 0. */
  readonly planes: number;
}

/**
 * @param planes the most planes of a slab; for tests
 * @returns undefined if two planes are more than the device can bind
 */
export function slabShape(gpu: Gpu, { dims, type }: VolumeInfo, planes = Number.POSITIVE_INFINITY): SlabShape | undefined {
  const [width, height, depth] = dims;
  const row = width + 2;
  const plane = row * (height + 2);
  const most = Math.floor(gpu.maxBindingBytes / (Math.max(4, elementBytes(type)) * plane)) - 1;
  const wanted = Math.max(1, Math.floor(slabVoxels / plane));
  if (most < 1) return undefined;
  return { dims: [width, height, depth], row, plane, planes: Math.min(most, wanted, planes, depth + 1) };
}

/** The planes of a volume that are put into a slab: the first of them is plane 1 of the slab. */
export interface SlabPlanes {
  readonly boxes: readonly PlaneBox[];
  /** Numbered through all time points. */
  readonly first: number;
  readonly count: number;
}

/** The part of a box that lies in a slab. */
export interface SlabPiece {
  readonly buffer: GPUBuffer;
  readonly rowWords: number;
  readonly rowCount: number;
  /** Of the box. */
  readonly firstPlane: number;
  readonly planeCount: number;
  /** Where the first voxel goes in the slab. */
  readonly to: number;
}

export function slabPieces({ boxes, first, count }: SlabPlanes, { row, plane }: SlabShape): readonly SlabPiece[] {
  return boxes.flatMap(({ voxels, firstRow, rowCount, firstPlane, planeCount }) => {
    const from = Math.max(first, firstPlane);
    const end = Math.min(first + count, firstPlane + planeCount);
    if (from >= end) return [];
    return {
      buffer: voxels.buffer,
      rowWords: rowBytes(voxels.dims[0], voxels.elementBytes) / 4,
      rowCount,
      firstPlane: from - firstPlane,
      planeCount: end - from,
      to: (from - first + 1) * plane + (firstRow + 1) * row + 1,
    };
  });
}
