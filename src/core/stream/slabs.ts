import type { ChunkBox, VoxelBox } from '../chunks/backend.ts';
import { gatherChunk, scatterChunk } from '../chunks/boxes.ts';
import { type CodecElementBytes, rowBytes } from '../codec/codec.ts';
import type { ChunkGrid } from '../format/chunk-grid.ts';
import type { Dims3 } from '../shared/volume.ts';

/** Consecutive chunks whose voxels make a box. */
export interface ChunkRange {
  readonly firstChunk: number;
  readonly dims: Dims3;
  /** Where each chunk lies in the box, in order. */
  readonly chunks: readonly ChunkBox[];
}

/** A range of chunks whose voxels are one run of bytes in the volume: what is held in memory at a time. */
export interface Slab extends ChunkRange {
  readonly byteLength: number;
}

/**
 * Cuts a volume into slabs, in order: as many whole layers (also of several time points) as fit in `targetBytes`, but
 * one at least. Where a layer is one slice of voxels over `targetBytes`, it is cut further, into chunk rows, and where
 * a row is one line of voxels, into chunks.
 * @param targetBytes of voxels in rows padded to whole words
 */
export function* slabsOf(grid: ChunkGrid, elementBytes: CodecElementBytes, targetBytes: number): Generator<Slab> {
  const [dimX, dimY, , dimT] = grid.dims;
  const [countX, countY, countZ] = grid.counts;
  const [width, height, depth] = grid.chunkShape;
  const line = rowBytes(dimX, elementBytes);
  const slab = (firstChunk: number, count: number, dims: Dims3, origin: Dims3, planeOffset: number): Slab => ({
    firstChunk,
    dims,
    chunks: Array.from({ length: count }, (_, at) => {
      const box = grid.box(firstChunk + at);
      const plane = box.t * grid.dims[2] + box.origin[2] - planeOffset;
      return { origin: [box.origin[0] - origin[0], box.origin[1] - origin[1], plane], shape: box.shape };
    }),
    byteLength: dims[0] * dims[1] * dims[2] * elementBytes,
  });
  const layerPlanes = (layer: number) => grid.layerBox(layer).shape[2];
  const planesBefore = (layer: number) => Math.floor(layer / countZ) * grid.dims[2] + (layer % countZ) * depth;
  const layerIsSlice = Math.min(depth, grid.dims[2]) === 1;

  for (let layer = 0; layer < countZ * dimT; ) {
    const firstPlane = planesBefore(layer);
    const firstChunk = layer * grid.chunksPerLayer;
    if (layerIsSlice && line * dimY > targetBytes) {
      if (Math.min(height, dimY) === 1 && line > targetBytes) {
        const perSlab = Math.max(1, Math.floor(targetBytes / rowBytes(width, elementBytes)));
        for (let y = 0; y < countY; y++) {
          for (let x = 0; x < countX; x += perSlab) {
            const count = Math.min(perSlab, countX - x);
            const dims: Dims3 = [Math.min(count * width, dimX - x * width), 1, 1];
            yield slab(firstChunk + y * countX + x, count, dims, [x * width, y, 0], firstPlane);
          }
        }
      } else {
        const perSlab = Math.max(1, Math.floor(targetBytes / (line * Math.min(height, dimY))));
        for (let y = 0; y < countY; y += perSlab) {
          const count = Math.min(perSlab, countY - y);
          const dims: Dims3 = [dimX, Math.min(count * height, dimY - y * height), 1];
          yield slab(firstChunk + y * countX, count * countX, dims, [0, y * height, 0], firstPlane);
        }
      }
      layer++;
      continue;
    }
    let planes = layerPlanes(layer);
    let end = layer + 1;
    while (end < grid.layerCount && line * dimY * (planes + layerPlanes(end)) <= targetBytes) planes += layerPlanes(end++);
    yield slab(firstChunk, (end - layer) * grid.chunksPerLayer, [dimX, dimY, planes], [0, 0, 0], firstPlane);
    layer = end;
  }
}

/** No slab of `slabsOf` is longer, in bytes. */
export function largestSlabBytes(grid: ChunkGrid, elementBytes: CodecElementBytes, targetBytes: number): number {
  const [dimX, dimY, planes] = grid.layerBox(0).shape;
  const [width, height] = grid.box(0).shape;
  const line = rowBytes(dimX, elementBytes);
  if (planes > 1 || line * dimY <= targetBytes) return Math.max(targetBytes, line * dimY * planes);
  return Math.max(targetBytes, height === 1 && line > targetBytes ? rowBytes(width, elementBytes) : line * height);
}

/**
 * Cuts a slab into boxes that a backend likes: the slab itself where it fits in `maxBoxBytes`, else strips of whole chunk
 * rows, else pieces of one chunk row, one chunk at least. Chunks stay in order.
 */
export function boxesOf(slab: ChunkRange, elementBytes: CodecElementBytes, maxBoxBytes: number): readonly SlabBox[] {
  const fits = ({ dims }: SlabBox) => rowBytes(dims[0], elementBytes) * dims[1] * dims[2] <= maxBoxBytes;
  const { chunks } = slab;
  const whole = boxFrom(slab, 0, chunks.length);
  if (fits(whole)) return [whole];
  const boxes: SlabBox[] = [];
  for (let first = 0; first < chunks.length; ) {
    let end = endOfRow(chunks, first);
    const isWholeRow = (chunks[first] as ChunkBox).origin[0] === 0;
    if (fits(boxFrom(slab, first, end))) {
      while (isWholeRow && end < chunks.length && (chunks[end] as ChunkBox).origin[2] === (chunks[first] as ChunkBox).origin[2]) {
        const next = endOfRow(chunks, end);
        if (!fits(boxFrom(slab, first, next))) break;
        end = next;
      }
    } else {
      const [x, y, z] = (chunks[first] as ChunkBox).shape;
      end = Math.min(end, first + Math.max(1, Math.floor(maxBoxBytes / (rowBytes(x, elementBytes) * y * z))));
    }
    boxes.push(boxFrom(slab, first, end));
    first = end;
  }
  return boxes;
}

/** The number behind the last chunk of the same row of chunks. */
function endOfRow(chunks: readonly ChunkBox[], first: number): number {
  const [, y, z] = (chunks[first] as ChunkBox).origin;
  let end = first + 1;
  for (; end < chunks.length; end++) {
    const { origin } = chunks[end] as ChunkBox;
    if (origin[1] !== y || origin[2] !== z) break;
  }
  return end;
}

/** A part of a slab: `chunks` lie relative to the box, the box at `origin` in the slab. */
export interface SlabBox extends ChunkRange {
  readonly origin: Dims3;
}

/** The box that consecutive chunks make: the first of them is at its least corner, the last at its greatest. */
function boxFrom(slab: ChunkRange, first: number, end: number): SlabBox {
  const low = (slab.chunks[first] as ChunkBox).origin;
  const last = slab.chunks[end - 1] as ChunkBox;
  const dims: Dims3 = [
    last.origin[0] + last.shape[0] - low[0],
    last.origin[1] + last.shape[1] - low[1],
    last.origin[2] + last.shape[2] - low[2],
  ];
  const chunks = slab.chunks
    .slice(first, end)
    .map(({ origin: [x, y, z], shape }): ChunkBox => ({ origin: [x - low[0], y - low[1], z - low[2]], shape }));
  return { firstChunk: slab.firstChunk + first, dims, chunks, origin: low };
}

/** A part of a reused buffer, which grows where it must: large boxes come by the hundred and are not left to the collector. */
export class ReusedBytes {
  #buffer = new ArrayBuffer(0);

  take(byteLength: number): Uint8Array<ArrayBuffer> {
    if (this.#buffer.byteLength < byteLength) this.#buffer = new ArrayBuffer(byteLength);
    return new Uint8Array(this.#buffer, 0, byteLength);
  }
}

/** The voxels of a box of a slab: the slab's own bytes where the box is all of it, else a copy in `scratch`. */
export function takeBox(slab: VoxelBox, box: SlabBox, scratch: ReusedBytes): VoxelBox {
  if (isWhole(slab, box)) return slab;
  const voxels = placeFor(slab, box, scratch);
  gatherChunk(slab, { origin: box.origin, shape: box.dims }, voxels.bytes);
  return voxels;
}

/** Where a box of a slab is to be decoded: into the slab itself where the box is all of it, else into `scratch`. */
export function placeFor(slab: VoxelBox, box: SlabBox, scratch: ReusedBytes): VoxelBox {
  if (isWhole(slab, box)) return slab;
  const [x, y, z] = box.dims;
  return { bytes: scratch.take(x * y * z * slab.elementBytes), dims: box.dims, elementBytes: slab.elementBytes };
}

/** Copies a decoded box into its place in the slab, unless it is there. */
export function putBox(box: SlabBox, voxels: VoxelBox, slab: VoxelBox): void {
  if (voxels.bytes !== slab.bytes) scatterChunk(voxels.bytes, { origin: box.origin, shape: box.dims }, slab);
}

function isWhole(slab: VoxelBox, box: SlabBox): boolean {
  return box.dims.every((length, axis) => length === slab.dims[axis]);
}
