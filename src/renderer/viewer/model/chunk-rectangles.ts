import type { ChunkMap } from '../../../core/chunks/chunk-map.ts';
import type { AxisNumber } from './orientation.ts';
import { placeSlice, type SlicePlacement } from './slice-geometry.ts';

/** A chunk that a slice cuts, on the canvas, from pixel `left` up to but not including `right`. It may extend beyond the canvas. */
export interface ChunkRectangle {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  /** Index of its way in `ChunkMap.shares`. */
  readonly way: number;
}

export interface ChunkPicture {
  /** Changes whenever `rectangles` changes. */
  readonly key: string;
  rectangles(): readonly ChunkRectangle[];
}

const identities = new WeakMap<ChunkMap, number>();
let identityCount = 0;

/** A number unique to each map, so that the keys of two maps differ. */
function identityOf(chunks: ChunkMap): number {
  const identity = identities.get(chunks) ?? ++identityCount;
  identities.set(chunks, identity);
  return identity;
}

/** The visible chunks that a slice cuts. They are computed on demand, since for most frames comparing the key is enough. */
export function chunkPicture(chunks: ChunkMap, placement: SlicePlacement, timePoint: number): ChunkPicture {
  const { frame, index, ...place } = placement;
  const layer = Math.floor(index / voxelsPerChunk(chunks, frame.across));
  return {
    key: JSON.stringify([identityOf(chunks), frame.across, layer, timePoint, frame.right, frame.down, place]),
    rectangles: () => chunkRectangles(chunks, placement, timePoint),
  };
}

/** The rectangles of `chunkPicture`. A pixel belongs to the chunk that contains its centre. */
export function chunkRectangles(chunks: ChunkMap, placement: SlicePlacement, timePoint: number): ChunkRectangle[] {
  const { frame, dims, index, width, height } = placement;
  const map = placeSlice(placement);
  const pixel = (axis: AxisNumber, step: number, voxel: number) => Math.ceil((voxel - map.origin[axis]) / step - 0.5);
  const spans = (axis: AxisNumber, step: number, pixels: number) => {
    const length = voxelsPerChunk(chunks, axis);
    return Array.from({ length: Math.ceil(dims[axis] / length) }, (_, at) => {
      const first = at * length;
      const ends = [pixel(axis, step, first), pixel(axis, step, Math.min(first + length, dims[axis]))] as const;
      return { first, from: Math.min(...ends), to: Math.max(...ends) };
    }).filter(({ from, to }) => from < to && from < pixels && to > 0);
  };
  const columns = spans(frame.right.axis, map.right[frame.right.axis], width);
  const rows = spans(frame.down.axis, map.down[frame.down.axis], height);
  const voxel: [number, number, number] = [0, 0, 0];
  voxel[frame.across] = index;
  return rows.flatMap(({ first: row, from: top, to: bottom }) =>
    columns.map(({ first: column, from: left, to: right }) => {
      voxel[frame.right.axis] = column;
      voxel[frame.down.axis] = row;
      return { left, top, right, bottom, way: chunks.chunkAt(...voxel, timePoint).way };
    }),
  );
}

function voxelsPerChunk(chunks: ChunkMap, axis: AxisNumber): number {
  return chunks.grid.chunkShape[axis] / (axis === 0 ? chunks.elementsPerVoxel : 1);
}
