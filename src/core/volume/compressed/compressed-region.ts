import { rowBytes } from '../../codec/codec.ts';
import { type ChunkGrid, codecElementBytes } from '../../format/chunk-grid.ts';
import type { PlannedChunk, StoredChunk } from '../../gpu-chunks/decode-planner.ts';
import { emptyBox } from '../../gpu-chunks/gpu-transfer.ts';
import { type Dims3, type ElementType, elementBytes, typedVoxels } from '../../shared/volume.ts';
import type { AxisIndex, RegionBox, VoxelPiece } from '../volume-source.ts';
import type { LayerSource } from './compressed-layers.ts';

/**
 * The numbers of the chunks that a box of voxels touches, row by row along x. For any box, a row has few enough chunks to be decoded
 * and read back at once.
 */
export function* chunkRows(grid: ChunkGrid, type: ElementType, { first, size, timePoint }: RegionBox): Generator<number[]> {
  const perVoxel = elementBytes(type) / codecElementBytes(type);
  const range = (axis: AxisIndex): readonly [from: number, to: number] => {
    const [width, scale] = [grid.chunkShape[axis], axis === 0 ? perVoxel : 1];
    return [Math.floor((first[axis] * scale) / width), Math.floor(((first[axis] + size[axis]) * scale - 1) / width)];
  };
  const [[fromX, toX], [fromY, toY], [fromZ, toZ]] = [range(0), range(1), range(2)];
  const firstChunk = grid.timeBlock(timePoint) * grid.chunksPerTimePoint;
  for (let z = fromZ; z <= toZ; z++) {
    for (let y = fromY; y <= toY; y++) {
      const start = firstChunk + (z * grid.counts[1] + y) * grid.counts[0];
      yield Array.from({ length: toX - fromX + 1 }, (_, at) => start + fromX + at);
    }
  }
}

/** The part of a decoded piece that belongs to a time point: all of it, unless chunks hold several time points. */
export function pieceOfTimePoint(grid: ChunkGrid, piece: VoxelPiece, timePoint: number): VoxelPiece {
  if (grid.timePointsPerChunk === 1) return piece;
  const { first, size, values } = piece;
  const [width, height] = size;
  const depth = Math.min(grid.chunkShape[2], grid.dims[2] - first[2]);
  const plane = height * piece.rowLength;
  const from = grid.planeInChunk(first[2], timePoint);
  if (!grid.isInterleaved) {
    return { ...piece, size: [width, height, depth], values: values.subarray(from * plane, (from + depth) * plane) };
  }
  const own = values.slice(0, depth * plane);
  for (let z = 0; z < depth; z++) {
    const start = grid.planeInChunk(first[2] + z, timePoint) * plane;
    own.set(values.subarray(start, start + plane), z * plane);
  }
  return { ...piece, size: [width, height, depth], values: own };
}

/** Decodes chunks that are consecutive along x, and reads their voxels back. */
export async function decodeChunkRow(
  { gpu, grid, planner, stored, type }: LayerSource,
  row: readonly number[],
): Promise<VoxelPiece> {
  using scope = gpu.scope('decoded.region');
  const boxes = row.map((number) => grid.box(number));
  const from = (boxes[0] as (typeof boxes)[number]).origin;
  const [, height, depth] = (boxes[0] as (typeof boxes)[number]).shape;
  const dims: Dims3 = [boxes.reduce((sum, { shape }) => sum + shape[0], 0), height, depth];
  const voxels = emptyBox(scope, dims, codecElementBytes(type));
  const planned = boxes.map(({ origin, shape }, index): PlannedChunk => {
    const number = row[index] as number;
    return { origin: [origin[0] - from[0], 0, 0], shape, stored: stored[number] as StoredChunk, number };
  });
  const commands = gpu.commands('decode.region');
  planner.planNamed(planned, voxels, scope)(commands);
  // The read that follows reports a failure.
  commands.submit().catch(() => {});
  const bytes = await gpu.read(voxels.buffer);
  const width = elementBytes(type);
  const perVoxel = width / voxels.elementBytes;
  return {
    first: [from[0] / perVoxel, from[1], from[2]],
    size: [dims[0] / perVoxel, height, depth],
    values: typedVoxels(type, bytes),
    rowLength: rowBytes(dims[0], voxels.elementBytes) / width,
  };
}
