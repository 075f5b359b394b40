import type { Backend, ChunkBox } from '../../chunks/backend.ts';
import type { CodecElementBytes } from '../../codec/codec.ts';
import type { EncodedChunk } from '../../format/chunk.ts';
import { codecElementBytes } from '../../format/chunk-grid.ts';
import type { ContainerReader } from '../../format/container-reader.ts';
import type { JobOptions } from '../../shared/job.ts';
import { maxBoxBytes, slabTargetBytes } from '../pipeline.ts';
import { type ChunkRange, ReusedBytes, type Slab, slabsOf } from '../slabs.ts';

/** With fewer chunks in the slab, one more read of one of them would take long, and all chunks together are parsed soon. */
const leastChunks = 8;

/**
 * The payloads of a container's first slab, which are read while a GPU is opened: that keeps the caller's thread busy for a fifth of a
 * second.
 */
export class EarlyRead {
  readonly #startMs = performance.now();
  #endMs = this.#startMs;
  readonly #slab: Slab;
  readonly #elementBytes: CodecElementBytes;
  /** A chunk of the slab, and where it lies, if there are many. Its codec is probably that of most others. */
  readonly #example: { readonly place: ChunkBox; readonly chunk: Promise<EncodedChunk[] | undefined> } | undefined;
  /** Undefined if the chunks could not be read so. Whoever reads them again learns why. */
  #chunks: Promise<EncodedChunk[] | undefined>;

  private constructor(container: ContainerReader, slab: Slab, { signal }: JobOptions) {
    this.#slab = slab;
    this.#elementBytes = codecElementBytes(container.header.volume.type);
    // It is not known yet whether threads will decode them.
    const memory = new ReusedBytes(true);
    const { firstChunk, chunks } = slab;
    if (chunks.length >= leastChunks) {
      const middle = chunks.length >> 1;
      const example = container.readUnchecked(firstChunk + middle, 1, (byteLength) => new Uint8Array(byteLength), { signal });
      this.#example = { place: chunks[middle] as ChunkBox, chunk: example.catch(() => undefined) };
    }
    const reading = container.readUnchecked(firstChunk, chunks.length, (byteLength) => memory.take(byteLength), { signal });
    this.#chunks = reading
      .catch(() => undefined)
      .finally(() => {
        this.#endMs = performance.now();
      });
  }

  /** Undefined if no backend would be given the first slab as one box. */
  static begin(container: ContainerReader, job: JobOptions): EarlyRead | undefined {
    const { grid, header } = container;
    if (grid.isInterleaved) return undefined;
    const { value: slab } = slabsOf(grid, codecElementBytes(header.volume.type), slabTargetBytes).next();
    return slab && slab.byteLength <= maxBoxBytes ? new EarlyRead(container, slab, job) : undefined;
  }

  /** Lets a backend get ready to decode the slab. Never rejects. */
  async prepare(backend: Backend): Promise<void> {
    const { dims, chunks: boxes } = this.#slab;
    const box = { dims, elementBytes: this.#elementBytes };
    // Its kernels compile while this thread parses the records of all chunks.
    if (this.#example) {
      const { place, chunk } = this.#example;
      const example = await chunk;
      if (example) void backend.prepareDecode?.(example, [place], box);
    }
    const chunks = await this.#chunks;
    if (chunks) await backend.prepareDecode?.(chunks, boxes, box);
  }

  /**
   * The chunks of a slab, as `ContainerReader.readUnchecked` returns them, if they are those that were read; and when they were read, by
   * `performance.now()`. Only once.
   */
  async take({ firstChunk, chunks }: ChunkRange): Promise<TimedChunks | undefined> {
    const isSame = firstChunk === this.#slab.firstChunk && chunks.length === this.#slab.chunks.length;
    if (!isSame) return undefined;
    const taking = this.#chunks;
    // Their memory is freed once they are decoded.
    this.#chunks = Promise.resolve(undefined);
    const taken = await taking;
    return taken && { chunks: taken, startMs: this.#startMs, endMs: this.#endMs };
  }

  /** Ends when nothing is being read any more. */
  async settle(): Promise<void> {
    await Promise.all([this.#example?.chunk, this.#chunks]);
  }
}

interface TimedChunks {
  readonly chunks: EncodedChunk[];
  readonly startMs: number;
  readonly endMs: number;
}
