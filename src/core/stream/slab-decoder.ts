import type { Backend } from '../chunks/backend.ts';
import type { CodecElementBytes } from '../codec/codec.ts';
import { type ChunkGrid, codecElementBytes } from '../format/chunk-grid.ts';
import type { ContainerReader } from '../format/container-reader.ts';
import { type JobOptions, throwIfAborted } from '../shared/job.ts';
import { type VolumeInfo, volumeBytes } from '../shared/volume.ts';
import { maxBoxBytes } from './pipeline.ts';
import { boxesOf, type ChunkRange, placeFor, putBox, ReusedBytes } from './slabs.ts';
import type { KernelClock, Stopwatch } from './stage-times.ts';

/** `readback` is a part of `decode`. */
export type RestoreStage = 'read' | 'decode' | 'readback' | 'write' | 'save';

/** Decodes slabs of a container, one after the other, and tells how far it has come. */
export class SlabDecoder {
  readonly volume: VolumeInfo;
  readonly grid: ChunkGrid;
  readonly elementBytes: CodecElementBytes;
  readonly #container: ContainerReader;
  readonly #backend: Backend;
  readonly #stopwatch: Stopwatch<RestoreStage>;
  readonly #clock: KernelClock;
  readonly #job: JobOptions;
  readonly #scratch = new ReusedBytes();
  #done = 0;

  constructor(
    container: ContainerReader,
    backend: Backend,
    stopwatch: Stopwatch<RestoreStage>,
    clock: KernelClock,
    job: JobOptions,
  ) {
    this.volume = container.header.volume;
    this.grid = container.grid;
    this.elementBytes = codecElementBytes(this.volume.type);
    this.#container = container;
    this.#backend = backend;
    this.#stopwatch = stopwatch;
    this.#clock = clock;
    this.#job = job;
  }

  throwIfAborted(): void {
    throwIfAborted(this.#job.signal);
  }

  /**
   * @param bytes as many as the slab has: its voxels, little-endian
   * @throws StriaError `corrupt` in the context of `chunk N`; of the backend; `aborted`
   */
  async decode(slab: ChunkRange, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    const { signal, onProgress } = this.#job;
    const voxels = { bytes, dims: slab.dims, elementBytes: this.elementBytes };
    const total = volumeBytes(this.volume);
    for (const box of boxesOf(slab, this.elementBytes, Math.min(this.#backend.maxBoxBytes, maxBoxBytes))) {
      this.throwIfAborted();
      const { firstChunk } = box;
      const start = performance.now();
      const chunks = await this.#container.readChunks(firstChunk, box.chunks.length, { signal });
      const payloadBytes = chunks.reduce((sum, chunk) => sum + (chunk.kind === 'coded' ? chunk.payload.byteLength : 0), 0);
      this.#stopwatch.add('read', start, performance.now(), payloadBytes);
      const place = placeFor(voxels, box, this.#scratch);
      const before = this.#done;
      const decode = () =>
        this.#backend.decode(chunks, box.chunks, place, {
          signal,
          onTimes: this.#clock.onTimes,
          onSpan: (stage, ...span) => stage === 'readback' && this.#stopwatch.add(stage, ...span),
          firstChunk,
          onProgress: (progress) => onProgress?.({ stage: 'Decompressing', done: before + progress.done, total }),
        });
      await this.#stopwatch.time('decode', decode, place.bytes.byteLength);
      this.#done += place.bytes.byteLength;
      putBox(box, place, voxels);
    }
  }
}
