import type { Backend } from '../../chunks/backend.ts';
import type { EncodedChunk } from '../../format/chunk.ts';
import { codecElementBytes } from '../../format/chunk-grid.ts';
import type { ContainerWriter } from '../../format/container-writer.ts';
import { type JobOptions, throwIfAborted } from '../../shared/job.ts';
import type { SourceDescription } from '../../shared/source.ts';
import { maxBoxBytes, slabBytesFor } from '../pipeline.ts';
import { boxesOf, placeFor, putBox, ReusedBytes, type Slab, slabsOf } from '../slabs.ts';
import type { LevelMaker } from './level-maker.ts';
import { type LevelCounts, LeveledWriter } from './leveled-writer.ts';

/**
 * Writes chunks that are encoded already, and levels made from them. It holds the chunks of one slab, and decodes them, and the
 * encoded runs of `LeveledWriter`. The file equals the one that compressing the voxels with levels gives.
 */
export class LeveledCopy {
  readonly #writer: LeveledWriter;
  readonly #elementBytes: 1 | 2 | 4;
  readonly #maker: LevelMaker;
  readonly #backend: Backend;
  readonly #job: JobOptions;
  readonly #slabs: Generator<Slab>;
  readonly #bytes: ReusedBytes;
  readonly #scratch: ReusedBytes;
  #slab: Slab | undefined;
  #chunks: EncodedChunk[] = [];

  constructor(writer: ContainerWriter, maker: LevelMaker, backend: Backend, job: JobOptions) {
    this.#writer = new LeveledWriter(writer, maker);
    this.#maker = maker;
    this.#backend = backend;
    this.#job = job;
    const { grid, header } = writer;
    this.#elementBytes = codecElementBytes(header.volume.type);
    this.#slabs = slabsOf(grid, this.#elementBytes, slabBytesFor(backend));
    this.#bytes = new ReusedBytes(backend.sharesMemory);
    this.#scratch = new ReusedBytes(backend.sharesMemory);
    this.#slab = this.#slabs.next().value ?? undefined;
  }

  /** The next chunks of the volume. @throws StriaError `corrupt` in the context of `chunk N`; of the sink and the backend */
  async add(chunks: readonly EncodedChunk[]): Promise<void> {
    for (const chunk of chunks) {
      this.#chunks.push(chunk);
      if (this.#slab && this.#chunks.length === this.#slab.chunks.length) await this.#flush(this.#slab);
    }
  }

  /** Writes the rest of the file, after all chunks. @throws StriaError as `add` */
  finish(source: SourceDescription): Promise<LevelCounts> {
    return this.#writer.finish(source, this.#job);
  }

  /** Must be called in the end, whether or not it succeeded. */
  async close(): Promise<void> {
    await this.#maker.close();
  }

  async #flush(slab: Slab): Promise<void> {
    const { firstChunk, dims } = slab;
    const { signal } = this.#job;
    throwIfAborted(signal);
    const chunks = this.#chunks.splice(0);
    const elementBytes = this.#elementBytes;
    const voxels = { bytes: this.#bytes.take(slab.byteLength), dims, elementBytes };
    for (const box of boxesOf(slab, elementBytes, Math.min(this.#backend.maxBoxBytes, maxBoxBytes))) {
      const place = placeFor(voxels, box, this.#scratch);
      const first = box.firstChunk - firstChunk;
      const inBox = chunks.slice(first, first + box.chunks.length);
      await this.#backend.decode(inBox, box.chunks, place, { signal, firstChunk: box.firstChunk });
      putBox(box, place, voxels);
    }
    await this.#maker.stack.push(voxels.bytes);
    const runs = await this.#maker.encodeDue(firstChunk, chunks, { signal });
    await this.#writer.write(firstChunk, chunks, runs);
    this.#slab = this.#slabs.next().value ?? undefined;
  }
}
