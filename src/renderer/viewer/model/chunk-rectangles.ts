import type { ChunkGrid } from '../../../core/format/chunk-grid.ts';
import type { AxisNumber } from './orientation.ts';
import { placeSlice, type SlicePlacement } from './slice-geometry.ts';

/** Chunks that are painted over slices: how they were stored (`ChunkMap`), or which are loaded (`BrickMap`). */
export interface PaintedChunks {
  readonly grid: Pick<ChunkGrid, 'chunkShape'>;
  /** Codec elements per voxel along x: 2 for f64. */
  readonly elementsPerVoxel: 1 | 2;
  /** Changes whenever a chunk looks different. */
  readonly version?: number;
  /** How to paint the chunk that contains a voxel, as in `ChunkRectangle`; undefined if it is not painted. */
  chunkAt(x: number, y: number, z: number, t: number): { readonly way: number; readonly text?: string | undefined } | undefined;
}

/** The section of a chunk on the canvas, from pixel `left` up to but not including `right`. It may extend beyond the canvas. */
export interface ChunkRectangle {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  /** The index of its way in `ChunkMap.shares`, or its level. */
  readonly way: number;
  /** The text to paint. Default: the number of its way, counted from 1. */
  readonly text?: string | undefined;
}

export interface ChunkPicture {
  /** Changes whenever `rectangles` changes. */
  readonly key: string;
  rectangles(): readonly ChunkRectangle[];
}

const identities = new WeakMap<PaintedChunks, number>();
let identityCount = 0;

/** A number unique to each map, so that the keys of two maps differ. */
function identityOf(chunks: PaintedChunks): number {
  const identity = identities.get(chunks) ?? ++identityCount;
  identities.set(chunks, identity);
  return identity;
}

/** The visible chunks that a slice cuts. They are computed on demand, since for most frames comparing the key is enough. */
export function chunkPicture(chunks: PaintedChunks, placement: SlicePlacement, timePoint: number): ChunkPicture {
  const { frame, index, ...place } = placement;
  const layer = Math.floor(index / voxelsPerChunk(chunks, frame.across));
  return {
    key: JSON.stringify([identityOf(chunks), chunks.version, frame.across, layer, timePoint, frame.right, frame.down, place]),
    rectangles: () => chunkRectangles(chunks, placement, timePoint),
  };
}

/** The rectangles of `chunkPicture`. A pixel belongs to the chunk that contains its centre. */
export function chunkRectangles(chunks: PaintedChunks, placement: SlicePlacement, timePoint: number): ChunkRectangle[] {
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
    columns.flatMap(({ first: column, from: left, to: right }) => {
      voxel[frame.right.axis] = column;
      voxel[frame.down.axis] = row;
      const chunk = chunks.chunkAt(...voxel, timePoint);
      return chunk ? [{ left, top, right, bottom, way: chunk.way, text: chunk.text }] : [];
    }),
  );
}

function voxelsPerChunk(chunks: PaintedChunks, axis: AxisNumber): number {
  return chunks.grid.chunkShape[axis] / (axis === 0 ? chunks.elementsPerVoxel : 1);
}
