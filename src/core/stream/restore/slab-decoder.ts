import type { Backend, BackendJob, LentVoxels, VoxelBox } from '../../chunks/backend.ts';
import { maxLayerBytes } from '../../chunks/chunk-shape.ts';
import type { CodecElementBytes } from '../../codec/codec.ts';
import type { EncodedChunk } from '../../format/chunk.ts';
import { type ChunkGrid, codecElementBytes } from '../../format/chunk-grid.ts';
import type { ContainerReader } from '../../format/container-reader.ts';
import { toStriaError } from '../../shared/errors.ts';
import { type JobOptions, throwIfAborted } from '../../shared/job.ts';
import { nextTurn } from '../../shared/turn.ts';
import { type Dims3, type VolumeInfo, volumeBytes } from '../../shared/volume.ts';
import { maxBoxBytes } from '../pipeline.ts';
import { boxesOf, type ChunkRange, placeFor, putBox, ReusedBytes, rangeOf, type VoxelRegion } from '../slabs.ts';
import type { KernelClock, Stopwatch } from '../stage-times.ts';
import type { EarlyRead } from './early-read.ts';
import { KeptLayers } from './kept-layers.ts';

/** `readback` is a part of `decode`. */
export type RestoreStage = 'read' | 'decode' | 'readback' | 'write' | 'save';

/** A layer up to this size is kept after decoding a part of it, because the next part is usually in it too. */
const maxKeptBytes = 2 ** 24;

/** Where chunks interleave time points, each plane of a time point is in another layer, and the next time point in the same ones. */
const maxInterleavedBytes = maxLayerBytes;

/** To decode part of a larger layer, it is decoded in boxes of this size, one after another. */
const partBoxBytes = 2 ** 24;

/** Decodes slabs and regions of a container one after another, and reports progress. */
export class SlabDecoder {
  readonly volume: VolumeInfo;
  readonly grid: ChunkGrid;
  readonly elementBytes: CodecElementBytes;
  readonly #container: ContainerReader;
  readonly #backend: Backend;
  readonly #stopwatch: Stopwatch<RestoreStage>;
  readonly #clock: KernelClock | undefined;
  readonly #job: JobOptions;
  readonly #scratch: ReusedBytes;
  readonly #part: ReusedBytes;
  /** Undefined if a layer is too large to be kept. */
  readonly #kept: KeptLayers | undefined;
  readonly #early: EarlyRead | undefined;
  #done = 0;

  constructor(
    container: ContainerReader,
    backend: Backend,
    stopwatch: Stopwatch<RestoreStage>,
    clock: KernelClock | undefined,
    job: JobOptions,
    early?: EarlyRead,
  ) {
    this.#early = early;
    this.volume = container.header.volume;
    this.grid = container.grid;
    this.elementBytes = codecElementBytes(this.volume.type);
    this.#container = container;
    this.#backend = backend;
    this.#scratch = new ReusedBytes(backend.sharesMemory);
    this.#part = new ReusedBytes(backend.sharesMemory);
    this.#stopwatch = stopwatch;
    this.#clock = clock;
    this.#job = job;
    const layerBytes = volumeOf(this.grid.layerBox(0).shape) * this.elementBytes;
    const plain = layerBytes <= maxKeptBytes ? 1 : 0;
    const layers = this.grid.isInterleaved ? Math.floor(maxInterleavedBytes / layerBytes) : plain;
    this.#kept = layers > 0 ? new KeptLayers(layers, backend.sharesMemory) : undefined;
  }

  throwIfAborted(): void {
    throwIfAborted(this.#job.signal);
  }

  /**
   * @param bytes the slab's voxels, little-endian; exactly as many as it has
   * @throws StriaError `corrupt` in the context of `chunk N`; errors of the backend; `aborted`
   */
  async decode(slab: ChunkRange, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    const total = volumeBytes(this.volume);
    const before = this.#done;
    await this.#decode(slab, bytes, (done) => this.#job.onProgress?.({ stage: 'Decompressing', done: before + done, total }));
    this.#done += bytes.byteLength;
  }

  /**
   * Whether `lend` takes such slabs: the backend lends memory, and a slab is one box.
   * @param largestBytes of a slab
   */
  canLend(largestBytes: number): boolean {
    const { maxBoxBytes: most, decodeLent } = this.#backend;
    return decodeLent !== undefined && largestBytes <= Math.min(most, maxBoxBytes);
  }

  /**
   * Like `decode`, into memory that the backend lends. Several calls may run at the same time.
   * @param memory for the chunks, until the end of the call
   */
  async lend(slab: ChunkRange, memory: ReusedBytes): Promise<LentVoxels> {
    const { signal, onProgress } = this.#job;
    const { firstChunk, dims, chunks: boxes } = slab;
    const total = volumeBytes(this.volume);
    let doneHere = 0;
    const progress = (done: number) => {
      this.#done += done - doneHere;
      doneHere = done;
      onProgress?.({ stage: 'Decompressing', done: this.#done, total });
    };
    const box = { dims, elementBytes: this.elementBytes };
    const decode = async (chunks: readonly EncodedChunk[]) => {
      const decodeLent = () => this.#backend.decodeLent?.(chunks, boxes, box, this.#options(firstChunk, progress));
      return (await this.#stopwatch.time('decode', async () => decodeLent(), volumeOf(dims) * this.elementBytes)) as LentVoxels;
    };
    try {
      const read = () => this.#container.readUnchecked(firstChunk, boxes.length, (bytes) => memory.take(bytes), { signal });
      const early = await this.#early?.take(slab);
      if (early) this.#addRead(early.chunks, early.startMs, early.endMs);
      const chunks = early?.chunks ?? (await this.#timeRead(read));
      // Parsing their records has kept this thread busy, and decoding does so next. In between it can begin writes.
      await nextTurn();
      if (chunks) return await decode(chunks);
    } catch (error) {
      if (toStriaError(error).tag !== 'corrupt') throw error;
    }
    // Scattered chunks; or a fault, which the slower way finds again and describes.
    return decode((await this.#timeRead(() => this.#container.readChunks(firstChunk, boxes.length, { signal }))) ?? []);
  }

  async #timeRead(read: () => Promise<EncodedChunk[] | undefined>): Promise<EncodedChunk[] | undefined> {
    const start = performance.now();
    const chunks = await read();
    this.#addRead(chunks ?? [], start, performance.now());
    return chunks;
  }

  #addRead(chunks: readonly EncodedChunk[], startMs: number, endMs: number): void {
    const payloadBytes = chunks.reduce((sum, chunk) => sum + (chunk.kind === 'coded' ? chunk.payload.byteLength : 0), 0);
    this.#stopwatch.add('read', startMs, endMs, payloadBytes);
  }

  #options(firstChunk: number, onDone: (done: number) => void): BackendJob {
    return {
      signal: this.#job.signal,
      onTimes: this.#clock?.onTimes,
      onSpan: (stage, ...span) => stage === 'readback' && this.#stopwatch.add(stage, ...span),
      firstChunk,
      onProgress: ({ done }) => onDone(done),
    };
  }

  /**
   * Like `decode`, for any region. Unless layers are small enough to be kept, they are decoded again, box by box, for each region
   * that holds only part of them, so memory is bounded for every chunk shape.
   * @param bytes exactly as many as the region has
   */
  async decodeRegion({ origin, dims }: VoxelRegion, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    const region = { bytes, dims, elementBytes: this.elementBytes };
    if (this.grid.isInterleaved) await this.#decodeInterleaved(region, origin);
    else await this.#decodeLayers(region, origin);
    this.#done += bytes.byteLength;
    this.#job.onProgress?.({ stage: 'Decompressing', done: this.#done, total: volumeBytes(this.volume) });
  }

  async #decodeLayers(region: VoxelBox, origin: Dims3): Promise<void> {
    const { grid, elementBytes } = this;
    const { bytes, dims } = region;
    const end = origin[2] + dims[2];
    for (let layer = grid.layerOfPlane(origin[2]); layer < grid.layerCount; layer++) {
      const { plane, shape } = grid.layerBox(layer);
      if (plane >= end) break;
      const { first } = grid.chunksOfLayer(layer);
      const rows = chunksAlong(grid, 1, origin[1], dims[1]);
      const areWhole = dims[0] === grid.dims[0] && rows.areWhole && plane >= origin[2] && plane + shape[2] <= end;
      if (areWhole && (shape[2] === dims[2] || dims[1] === grid.dims[1])) {
        const start = (plane - origin[2]) * dims[0] * dims[1] * elementBytes;
        const range = rangeOf(grid, first + rows.from * grid.counts[0], (rows.to - rows.from) * grid.counts[0]);
        await this.#decode(range, bytes.subarray(start, start + volumeOf(range.dims) * elementBytes));
        continue;
      }
      for await (const { part, x, y } of this.#partsOf(layer, region, origin)) copyCommon(part, [x, y, plane], region, origin);
    }
  }

  /** @param origin its z counts the planes of the volume in the order of the source */
  async #decodeInterleaved(region: VoxelBox, origin: Dims3): Promise<void> {
    const { grid } = this;
    const end = origin[2] + region.dims[2];
    for (let plane = origin[2], count = 0; plane < end; plane += count) {
      const t = Math.floor(plane / grid.dims[2]);
      const z = plane - t * grid.dims[2];
      const layer = grid.layerOfPlane(grid.planeAt(z, t));
      const { origin: layerOrigin, shape, timePoints } = grid.layerBox(layer);
      count = Math.min(end - plane, layerOrigin[2] + shape[2] / timePoints - z);
      for await (const { part, x, y } of this.#partsOf(layer, region, origin)) {
        const [width, height] = part.dims;
        const planeBytes = width * height * part.elementBytes;
        for (let at = 0; at < count; at++) {
          const start = grid.planeInChunk(z + at, t) * planeBytes;
          const one = { ...part, bytes: part.bytes.subarray(start, start + planeBytes), dims: [width, height, 1] as const };
          copyCommon(one, [x, y, plane + at], region, origin);
        }
      }
    }
  }

  /** The chunks of a layer that meet a region along x and y, decoded: the whole layer if it is kept, and else box by box. */
  async *#partsOf(
    layer: number,
    { dims }: VoxelBox,
    origin: Dims3,
  ): AsyncGenerator<{ readonly part: VoxelBox; readonly x: number; readonly y: number }> {
    const { grid, elementBytes } = this;
    const { first, count } = grid.chunksOfLayer(layer);
    if (this.#kept) {
      const { shape } = grid.layerBox(layer);
      const decode = (bytes: Uint8Array<ArrayBuffer>) => this.#decode(rangeOf(grid, first, count), bytes);
      const bytes = await this.#kept.get(layer, volumeOf(shape) * elementBytes, decode);
      yield { part: { bytes, dims: shape, elementBytes }, x: 0, y: 0 };
      return;
    }
    const [columns, rows] = ([0, 1] as const).map((axis) => chunksAlong(grid, axis, origin[axis], dims[axis])) as [Span, Span];
    const perBox = Math.max(1, Math.floor(partBoxBytes / (volumeOf(grid.box(first).shape) * elementBytes)));
    for (let row = rows.from; row < rows.to; row++) {
      for (let column = columns.from; column < columns.to; column += perBox) {
        const range = rangeOf(grid, first + row * grid.counts[0] + column, Math.min(perBox, columns.to - column));
        const part = { bytes: this.#part.take(volumeOf(range.dims) * elementBytes), dims: range.dims, elementBytes };
        await this.#decode(range, part.bytes);
        yield { part, x: column * grid.chunkShape[0], y: row * grid.chunkShape[1] };
      }
    }
  }

  async #decode(range: ChunkRange, bytes: Uint8Array<ArrayBuffer>, onBytes?: (done: number) => void): Promise<void> {
    const { signal } = this.#job;
    const voxels = { bytes, dims: range.dims, elementBytes: this.elementBytes };
    let before = 0;
    for (const box of boxesOf(range, this.elementBytes, Math.min(this.#backend.maxBoxBytes, maxBoxBytes))) {
      this.throwIfAborted();
      const { firstChunk } = box;
      const chunks = (await this.#timeRead(() => this.#container.readChunks(firstChunk, box.chunks.length, { signal }))) ?? [];
      const place = placeFor(voxels, box, this.#scratch);
      const decode = () =>
        this.#backend.decode(
          chunks,
          box.chunks,
          place,
          this.#options(firstChunk, (done) => onBytes?.(before + done)),
        );
      await this.#stopwatch.time('decode', decode, place.bytes.byteLength);
      before += place.bytes.byteLength;
      putBox(box, place, voxels);
    }
  }
}

interface Span {
  readonly from: number;
  readonly to: number;
  /** Whether every chunk lies completely within the elements. */
  readonly areWhole: boolean;
}

/** The chunks along an axis that contain some of the elements. */
function chunksAlong(grid: ChunkGrid, axis: 0 | 1, first: number, length: number): Span {
  const width = grid.chunkShape[axis];
  const end = first + length;
  const areWhole = first % width === 0 && (end % width === 0 || end === grid.dims[axis]);
  return { from: Math.floor(first / width), to: Math.ceil(end / width), areWhole };
}

function volumeOf([x, y, z]: Dims3): number {
  return x * y * z;
}

/** Copies the intersection of two boxes, row by row. */
function copyCommon(from: VoxelBox, fromOrigin: Dims3, to: VoxelBox, toOrigin: Dims3): void {
  const low = fromOrigin.map((at, axis) => Math.max(at, toOrigin[axis] as number));
  const high = fromOrigin.map((at, axis) =>
    Math.min(at + (from.dims[axis] as number), (toOrigin[axis] as number) + (to.dims[axis] as number)),
  );
  const [x = 0, firstY = 0, firstZ = 0] = low;
  const [endX = 0, endY = 0, endZ = 0] = high;
  const byteAt = (box: VoxelBox, origin: Dims3, y: number, z: number) =>
    (((z - origin[2]) * box.dims[1] + y - origin[1]) * box.dims[0] + x - origin[0]) * box.elementBytes;
  for (let z = firstZ; z < endZ; z++) {
    for (let y = firstY; y < endY; y++) {
      const start = byteAt(from, fromOrigin, y, z);
      to.bytes.set(from.bytes.subarray(start, start + (endX - x) * from.elementBytes), byteAt(to, toOrigin, y, z));
    }
  }
}
