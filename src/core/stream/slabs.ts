import type { ChunkBox, VoxelBox } from '../chunks/backend.ts';
import { scatterChunk } from '../chunks/boxes.ts';
import { type CodecElementBytes, rowBytes } from '../codec/codec.ts';
import type { ChunkGrid, ChunkSpan } from '../format/chunk-grid.ts';
import { sharedBytes } from '../shared/shared-bytes.ts';
import type { Dims3 } from '../shared/volume.ts';

/** Consecutive chunks whose voxels form a box. */
export interface ChunkRange {
  readonly firstChunk: number;
  readonly dims: Dims3;
  /** Where each chunk lies in the box, in order. */
  readonly chunks: readonly ChunkBox[];
}

/** A range of chunks whose planes follow each other in the order of `ChunkGrid.planeAt`: the unit that is held in memory. */
export interface Slab extends ChunkRange {
  readonly byteLength: number;
}

/** The maximum number of chunks processed together, because each is a JavaScript object. */
export const chunksTogether = 4096;

/** A range of consecutive chunks: whole layers, whole rows of chunks in a layer, or a part of a row. */
export function rangeOf(grid: ChunkGrid, firstChunk: number, count: number): ChunkRange {
  const [low, high] = [grid.box(firstChunk), grid.box(firstChunk + count - 1)];
  const from: Dims3 = [low.origin[0], low.origin[1], low.plane];
  const to: Dims3 = [high.origin[0] + high.shape[0], high.origin[1] + high.shape[1], high.plane + high.shape[2]];
  const chunks: ChunkBox[] = [];
  for (let at = 0; at < count; at++) {
    const { origin, shape, plane } = grid.box(firstChunk + at);
    chunks.push({ origin: [origin[0] - from[0], origin[1] - from[1], plane - from[2]], shape });
  }
  return { firstChunk, dims: [to[0] - from[0], to[1] - from[1], to[2] - from[2]], chunks };
}

/**
 * Cuts a volume into slabs, in order. Each has as many whole layers (also of several time points) as fit in `targetBytes`, but
 * at least one. A layer over `targetBytes` that is one slice of voxels is cut into chunk rows, and such a row that is one line
 * of voxels into chunks.
 * @param targetBytes of voxels in rows padded to whole words
 * @param span the chunks to cut: whole layers. Default: all
 */
export function* slabsOf(
  grid: ChunkGrid,
  elementBytes: CodecElementBytes,
  targetBytes: number,
  span: ChunkSpan = { first: 0, count: grid.count },
): Generator<Slab> {
  for (const { first, count } of cuts(grid, elementBytes, targetBytes, span)) {
    const range = rangeOf(grid, first, count);
    yield { ...range, byteLength: range.dims[0] * range.dims[1] * range.dims[2] * elementBytes };
  }
}

/** The voxel bytes before a chunk that starts a layer, or of the whole volume for the end of its chunks. */
export function bytesBefore(grid: ChunkGrid, chunk: number, elementBytes: number): number {
  const [width, height, depth, times] = grid.dims;
  const planes = chunk === grid.count ? depth * times : grid.box(chunk).plane;
  return planes * width * height * elementBytes;
}

function* cuts(grid: ChunkGrid, elementBytes: CodecElementBytes, targetBytes: number, span: ChunkSpan): Generator<ChunkSpan> {
  const spanEnd = span.first + span.count;
  const [dimX, dimY] = grid.dims;
  const [countX, countY] = grid.counts;
  const line = rowBytes(dimX, elementBytes);
  const [width, height, depth] = grid.box(0).shape;
  const fits = (bytes: number, chunks: number) => Math.floor(Math.min(targetBytes / bytes, chunksTogether / chunks));
  const layers = fits(line * dimY * depth, grid.chunksPerLayer);
  if (layers > 0 || depth > 1) {
    const step = Math.max(1, layers);
    const lastLayer = spanEnd / grid.chunksPerLayer;
    for (let layer = span.first / grid.chunksPerLayer; layer < lastLayer; layer += step) {
      const count = Math.min(step, lastLayer - layer);
      yield { first: layer * grid.chunksPerLayer, count: count * grid.chunksPerLayer };
    }
    return;
  }
  const rows = fits(line * height, countX);
  const byRows = rows > 0 || height > 1;
  const step = Math.max(1, byRows ? rows : fits(rowBytes(width, elementBytes), 1));
  const [length, unit] = byRows ? [countY, countX] : [countX, 1];
  for (let start = span.first; start < spanEnd; start += length * unit) {
    for (let at = 0; at < length; at += step) {
      yield { first: start + at * unit, count: Math.min(step, length - at) * unit };
    }
  }
}

/** A box of codec elements; z counts planes through all time points, in the order of the source. */
export interface VoxelRegion {
  readonly origin: Dims3;
  readonly dims: Dims3;
}

/** The size limit of one region of a layer that exceeds the memory limit. */
export const maxRegionBytes = 2 ** 26;

/**
 * Cuts a volume whose layers exceed the memory limit, or whose chunks interleave time points, into regions in the order of the
 * source. The voxels of each are contiguous: planes of a layer (or of the time points that chunks interleave), rows of a plane,
 * or a part of a row.
 */
export function* regionsOf(grid: ChunkGrid, elementBytes: CodecElementBytes, maxBytes: number): Generator<VoxelRegion> {
  const [dimX, dimY] = grid.dims;
  const line = dimX * elementBytes;
  const fits = (bytes: number) => Math.floor(maxBytes / bytes);
  const depth = Math.max(1, fits(line * dimY));
  const height = depth > 1 || fits(line * dimY) > 0 ? dimY : Math.max(1, fits(line));
  const width = height > 1 || fits(line) > 0 ? dimX : Math.max(1, fits(elementBytes));
  const layersAtOnce = grid.isInterleaved ? grid.counts[2] : 1;
  for (let layer = 0; layer < grid.layerCount; layer += layersAtOnce) {
    const { plane } = grid.layerBox(layer);
    const last = grid.layerBox(layer + layersAtOnce - 1);
    const planes = last.plane + last.shape[2] - plane;
    for (let z = 0; z < planes; z += depth) {
      for (let y = 0; y < dimY; y += height) {
        for (let x = 0; x < dimX; x += width) {
          const dims: Dims3 = [Math.min(width, dimX - x), Math.min(height, dimY - y), Math.min(depth, planes - z)];
          yield { origin: [x, y, plane + z], dims };
        }
      }
    }
  }
}

/** The length in bytes of the largest slab from `slabsOf`. */
export function largestSlabBytes(grid: ChunkGrid, elementBytes: CodecElementBytes, targetBytes: number): number {
  const [dimX, dimY, planes] = grid.layerBox(0).shape;
  const [width, height] = grid.box(0).shape;
  const line = rowBytes(dimX, elementBytes);
  if (planes > 1 || line * dimY <= targetBytes) return Math.max(targetBytes, line * dimY * planes);
  return Math.max(targetBytes, height === 1 && line > targetBytes ? rowBytes(width, elementBytes) : line * height);
}

/**
 * Cuts a slab into boxes for a backend: the slab itself if it fits in `maxBoxBytes`, otherwise strips of whole chunk rows,
 * otherwise pieces of one chunk row, of at least one chunk. Chunks stay in order.
 */
export function boxesOf(slab: ChunkRange, elementBytes: CodecElementBytes, maxBoxBytes: number): readonly SlabBox[] {
  const fits = ({ dims }: SlabBox) => rowBytes(dims[0], elementBytes) * dims[1] * dims[2] <= maxBoxBytes;
  const { chunks, firstChunk, dims } = slab;
  // Most slabs, of thousands of chunks together, are one box.
  const whole: SlabBox = { firstChunk, dims, chunks, origin: [0, 0, 0] };
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

/** The index after the last chunk in the same row of chunks. */
function endOfRow(chunks: readonly ChunkBox[], first: number): number {
  const [, y, z] = (chunks[first] as ChunkBox).origin;
  let end = first + 1;
  for (; end < chunks.length; end++) {
    const { origin } = chunks[end] as ChunkBox;
    if (origin[1] !== y || origin[2] !== z) break;
  }
  return end;
}

/** A part of a slab. `chunks` are relative to the box, and the box lies at `origin` in the slab. */
export interface SlabBox extends ChunkRange {
  readonly origin: Dims3;
}

/** The box of consecutive chunks: the first lies at its lowest corner, the last at its highest. */
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

/** A buffer that grows is doubled up to this size, because the payloads of slabs grow towards the middle of most volumes. */
const mostSpareBytes = 2 ** 26;

/** Part of a reused buffer that grows as needed. There are hundreds of large boxes, too many to leave to the garbage collector. */
export class ReusedBytes {
  readonly #isShared: boolean;
  #bytes = new Uint8Array(0);

  /** @param isShared whether all threads can reach the bytes */
  constructor(isShared = false) {
    this.#isShared = isShared;
  }

  take(byteLength: number): Uint8Array<ArrayBuffer> {
    if (this.#bytes.byteLength < byteLength) {
      // Bytes that are never used take no memory.
      const spacious = Math.max(byteLength, Math.min(2 * this.#bytes.byteLength, mostSpareBytes));
      this.#bytes = this.#isShared ? sharedBytes(spacious) : new Uint8Array(spacious);
    }
    return this.#bytes.subarray(0, byteLength);
  }
}

/** Where to decode a box: into the slab itself if the box is the whole slab, otherwise into `scratch`. */
export function placeFor(slab: VoxelBox, box: SlabBox, scratch: ReusedBytes): VoxelBox {
  if (isWhole(slab, box)) return slab;
  const [x, y, z] = box.dims;
  return { bytes: scratch.take(x * y * z * slab.elementBytes), dims: box.dims, elementBytes: slab.elementBytes };
}

/** Copies a decoded box to its place in the slab, unless it was decoded there. */
export function putBox(box: SlabBox, voxels: VoxelBox, slab: VoxelBox): void {
  if (voxels.bytes !== slab.bytes) scatterChunk(voxels.bytes, { origin: box.origin, shape: box.dims }, slab);
}

function isWhole(slab: VoxelBox, box: SlabBox): boolean {
  return box.dims.every((length, axis) => length === slab.dims[axis]);
}
