import type { Backend, BoxReceiver, ChunkBox, ReadableBox, VoxelBox } from '../chunks/backend.ts';
import { gatherChunk } from '../chunks/boxes.ts';
import type { CodecElementBytes } from '../codec/codec.ts';
import { type ChunkGrid, type ChunkSpan, codecElementBytes } from '../format/chunk-grid.ts';
import type { FilePlace, OpenVolume } from '../io/common/volume-reader.ts';
import type { Dims3 } from '../shared/volume.ts';
import { interleaving } from './interleaving-reader.ts';
import { maxBoxBytes, overlapBytes, slabBytesFor } from './pipeline.ts';
import { boxesOf, bytesBefore, largestSlabBytes, type Slab, type SlabBox, slabsOf } from './slabs.ts';
import type { Stopwatch } from './stage-times.ts';
import { readVoxels, type VoxelReader } from './voxel-reader.ts';

/** A box for a backend, with its voxels. */
export interface ReadBox {
  readonly firstChunk: number;
  readonly chunks: readonly ChunkBox[];
  /** If this is a `ReadableBox`, it has not been read yet. */
  readonly voxels: VoxelBox | ReadableBox | BoxReceiver;
  /** Where it lies in its slab, and the lengths of that. */
  readonly origin: Dims3;
  readonly slabDims: Dims3;
  /** Whether the tap took its voxels. */
  readonly isTapped: boolean;
  /** Must be called when the voxels are no longer needed. */
  release(): void;
}

type ReadableVolume = Required<Pick<OpenVolume, 'fill'>> & { readonly place: FilePlace };

/** Whether a backend reads the boxes of a volume. Interleaved planes are not contiguous in a file. */
export function readsFile(volume: OpenVolume, grid: ChunkGrid, backend: Backend): volume is OpenVolume & ReadableVolume {
  return !grid.isInterleaved && backend.encodeFile !== undefined && volume.place !== undefined && volume.fill !== undefined;
}

/** Whether every slab is one box. */
export function hasSmallSlabs(grid: ChunkGrid, elementBytes: CodecElementBytes): boolean {
  return largestSlabBytes(grid, elementBytes, maxBoxBytes) <= maxBoxBytes;
}

/** Takes the voxels of a volume that is being read. */
export interface VoxelTap {
  /** Whether it takes the next ones, too. */
  isOpen(): boolean;
  /** The voxels of a slab, in the order of the source. They are in use until this ends. @returns whether it has taken them */
  take(bytes: Uint8Array): Promise<boolean>;
}

/**
 * Reads a volume as boxes for a backend, in the order of its chunks. Each slab consists of whole layers and is one or several boxes. Voxels go to
 * memory that the backend lends, if any. Otherwise there are two buffers for small slabs, so that one is filled while the other is
 * encoded, and one buffer for large slabs.
 */
export class BoxReader {
  readonly #elementBytes: CodecElementBytes;
  readonly #backend: Backend;
  readonly #stopwatch: Pick<Stopwatch<'read'>, 'time'>;
  readonly #reader: VoxelReader;
  /** If set, the backend reads, except what the tap takes. */
  readonly #file: ReadableVolume | undefined;
  readonly #signal: AbortSignal | undefined;
  /** Whether bytes can be read directly into write-only memory, which is slow to read back. */
  readonly #readsInPlace: boolean;
  /** Whether the bytes of a slab can also be read one piece after another. */
  readonly #readsInPieces: boolean;
  readonly #boxBytes: number;
  readonly #slabs: Generator<Slab>;
  readonly #buffers: readonly HeldBytes[];
  readonly #scratch = new HeldBytes();
  /** Ends when the first read has begun. */
  readonly begun: Promise<void>;
  #begin = () => {};
  /** Where the next slab begins, and how far the reader has come, in bytes of the volume. */
  #startByte: number;
  #readTo = 0;
  readonly #totalBytes: number;
  readonly #tap: VoxelTap | undefined;
  #slabCount = 0;
  #slab: VoxelBox | undefined;
  #isTapped = false;
  #boxes: SlabBox[] = [];

  constructor(
    volume: OpenVolume,
    grid: ChunkGrid,
    backend: Backend,
    stopwatch: Pick<Stopwatch<'read'>, 'time'>,
    signal: AbortSignal | undefined,
    span: ChunkSpan = { first: 0, count: grid.count },
    tap?: VoxelTap,
  ) {
    this.begun = new Promise((resolve) => {
      this.#begin = resolve;
    });
    this.#tap = tap;
    this.#elementBytes = codecElementBytes(volume.info.type);
    this.#backend = backend;
    this.#stopwatch = stopwatch;
    const reader = readVoxels(volume, signal);
    this.#reader = grid.isInterleaved ? interleaving(reader, grid, volume.info.type) : reader;
    this.#file = readsFile(volume, grid, backend) ? volume : undefined;
    this.#signal = signal;
    this.#readsInPlace = grid.isInterleaved || volume.fill === undefined || volume.place !== undefined;
    this.#readsInPieces = !grid.isInterleaved && this.#readsInPlace;
    this.#boxBytes = Math.min(backend.maxBoxBytes, maxBoxBytes);
    const slabBytes = this.#file ? this.#boxBytes : slabBytesFor(backend);
    this.#slabs = slabsOf(grid, this.#elementBytes, slabBytes, span);
    this.#startByte = bytesBefore(grid, span.first, this.#elementBytes);
    this.#totalBytes = bytesBefore(grid, grid.count, this.#elementBytes);
    const overlaps = largestSlabBytes(grid, this.#elementBytes, slabBytes) <= overlapBytes;
    this.#buffers = overlaps ? [new HeldBytes(), new HeldBytes()] : [new HeldBytes()];
  }

  /** The next box; undefined after the last. Wait for it before the next call. @throws StriaError of the volume; `aborted` */
  async next(): Promise<ReadBox | undefined> {
    if (this.#boxes.length === 0) {
      const { value: slab, done } = this.#slabs.next();
      if (done) return undefined;
      const start = this.#startByte;
      this.#startByte += slab.byteLength;
      this.#isTapped = this.#tap?.isOpen() ?? false;
      if (this.#file && !this.#isTapped) return this.#fileBox(slab, this.#file, start);
      if (start > this.#readTo) await this.#reader.skip(start - this.#readTo);
      this.#readTo = start + slab.byteLength;
      const boxes = boxesOf(slab, this.#elementBytes, this.#boxBytes);
      if (boxes.length === 1) return this.#wholeSlab(slab);
      const buffer = this.#nextBuffer();
      const bytes = await buffer.take(slab.byteLength);
      await this.#fill(bytes);
      // The boxes are copies.
      buffer.release();
      this.#slab = { bytes, dims: slab.dims, elementBytes: this.#elementBytes };
      this.#boxes = [...boxes];
    }
    return this.#copyBox(this.#boxes.shift() as SlabBox, this.#slab as VoxelBox);
  }

  /** Reads to the end, because a stream's source is described only there. @throws StriaError if voxels are left */
  async end(): Promise<void> {
    await this.#reader.skip(this.#totalBytes - this.#readTo);
    await this.#reader.end();
  }

  async close(): Promise<void> {
    await this.#reader.close();
  }

  async #wholeSlab(slab: Slab): Promise<ReadBox> {
    const { byteLength, dims, firstChunk, chunks } = slab;
    if (this.#readsInPieces && !this.#isTapped) {
      const receiver = await this.#backend.receive?.({ dims, elementBytes: this.#elementBytes });
      if (receiver) return this.#receivedSlab(slab, receiver);
    }
    const lent = await this.#backend.borrowBytes?.(byteLength);
    const buffer = lent && this.#readsInPlace && !this.#isTapped ? undefined : this.#nextBuffer();
    const release = () => {
      lent?.release();
      buffer?.release();
    };
    try {
      const bytes = buffer ? await buffer.take(byteLength) : (lent as NonNullable<typeof lent>).bytes;
      await this.#fill(bytes);
      if (lent && bytes !== lent.bytes) lent.bytes.set(bytes);
      if (lent) buffer?.release();
      const voxels = { bytes: lent?.bytes ?? bytes, dims, elementBytes: this.#elementBytes };
      return { firstChunk, chunks, voxels, origin: [0, 0, 0], slabDims: dims, isTapped: this.#isTapped, release };
    } catch (error) {
      release();
      throw (await lent?.causeOf?.(error)) ?? error;
    }
  }

  async #receivedSlab({ dims, firstChunk, chunks }: Slab, receiver: BoxReceiver): Promise<ReadBox> {
    const release = () => receiver.release();
    try {
      await receiver.fill((bytes) => this.#fill(bytes));
    } catch (error) {
      release();
      throw error;
    }
    return { firstChunk, chunks, voxels: receiver, origin: [0, 0, 0], slabDims: dims, isTapped: false, release };
  }

  async #copyBox({ origin, dims, chunks, firstChunk }: SlabBox, slab: VoxelBox): Promise<ReadBox> {
    const byteLength = dims[0] * dims[1] * dims[2] * this.#elementBytes;
    const lent = await this.#backend.borrowBytes?.(byteLength);
    const bytes = lent?.bytes ?? (await this.#scratch.take(byteLength));
    const release = () => (lent ?? this.#scratch).release();
    try {
      gatherChunk(slab, { origin, shape: dims }, bytes);
    } catch (error) {
      release();
      throw (await lent?.causeOf?.(error)) ?? error;
    }
    const voxels = { bytes, dims, elementBytes: this.#elementBytes };
    return { firstChunk, chunks, voxels, origin, slabDims: slab.dims, isTapped: this.#isTapped, release };
  }

  /** @param start the slab's first byte, counted from the volume's */
  #fileBox({ dims, firstChunk, chunks }: Slab, { place, fill }: ReadableVolume, start: number): ReadBox {
    this.#begin();
    const voxels: ReadableBox = {
      place: { ...place, start: place.start + start },
      dims,
      elementBytes: this.#elementBytes,
      fill: (target, at) => fill(target, start + at, { signal: this.#signal }),
    };
    return { firstChunk, chunks, voxels, origin: [0, 0, 0], slabDims: dims, isTapped: false, release() {} };
  }

  async #fill(bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    const reading = this.#stopwatch.time('read', () => this.#reader.fill(bytes), bytes.byteLength);
    this.#begin();
    await reading;
    if (this.#isTapped) this.#isTapped = (await this.#tap?.take(bytes)) ?? false;
  }

  #nextBuffer(): HeldBytes {
    return this.#buffers[this.#slabCount++ % this.#buffers.length] as HeldBytes;
  }
}

/** A buffer that grows as needed. Only one user holds it at a time. */
class HeldBytes {
  #buffer = new ArrayBuffer(0);
  #free: Promise<void> = Promise.resolve();
  #release = () => {};

  /** Waits until the last user has released it. */
  async take(byteLength: number): Promise<Uint8Array<ArrayBuffer>> {
    await this.#free;
    this.#free = new Promise((resolve) => {
      this.#release = resolve;
    });
    if (this.#buffer.byteLength < byteLength) this.#buffer = new ArrayBuffer(byteLength);
    return new Uint8Array(this.#buffer, 0, byteLength);
  }

  release(): void {
    this.#release();
  }
}
