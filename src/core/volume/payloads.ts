import type { ChunkOutline, EncodedChunk } from '../format/chunk.ts';
import type { KeptChunks } from '../gpu-chunks/kept-chunks.ts';
import { StriaError, toStriaError } from '../shared/errors.ts';
import { type JobOptions, throwIfAborted } from '../shared/job.ts';

/**
 * The chunks of a volume that was compressed on the GPU. Their payloads are in GPU memory until they are read back, which the caller does
 * soon: GPU memory is scarce, and lost with the device.
 */
export class Payloads {
  readonly #outlines: ChunkOutline[] = [];
  /** By number, for the chunks that are in host memory. */
  readonly #chunks: EncodedChunk[] = [];
  #kept: { readonly numbers: readonly number[]; readonly chunks: KeptChunks }[] = [];
  #reading: Promise<readonly EncodedChunk[]> | undefined;
  readonly #ending = new AbortController();

  /** Adds the chunks of a box, and owns them. */
  add(numbers: readonly number[], chunks: KeptChunks): void {
    const outlines = chunks.outlines();
    numbers.forEach((number, at) => {
      this.#outlines[number] = outlines[at] as ChunkOutline;
    });
    this.#kept.push({ numbers, chunks });
  }

  /** In the order of their numbers. */
  get outlines(): readonly ChunkOutline[] {
    return this.#outlines;
  }

  /** Of payloads in GPU memory. */
  get bytesInGpu(): number {
    return this.#kept.reduce((sum, { chunks }) => sum + chunks.byteLength, 0);
  }

  /**
   * The chunks in host memory, in the order of their numbers. Reads back what is in GPU memory, and frees it there. Later calls return the
   * result of the first.
   * @throws StriaError as `KeptChunks.read`; the payloads are then lost. `aborted` after `release`
   */
  inHost(): Promise<readonly EncodedChunk[]> {
    this.#reading ??= this.#read(this.#ending.signal)
      .catch((error: unknown) => {
        if (toStriaError(error).tag !== 'device-lost') throw error;
        throw new StriaError('device-lost', 'the result was lost with the GPU device, before it was in host memory', {
          cause: error,
        });
      })
      .finally(() => this.release());
    return this.#reading;
  }

  /** Makes room in GPU memory while more chunks are yet to come. @throws as `inHost` */
  async makeRoom({ signal }: Pick<JobOptions, 'signal'>): Promise<void> {
    await this.#read(signal);
  }

  /** Frees the GPU memory, and ends the reading back. */
  release(): void {
    this.#ending.abort(new StriaError('aborted', 'the result is no longer needed'));
    for (const { chunks } of this.#kept) chunks.release();
    this.#kept = [];
  }

  async #read(signal: AbortSignal | undefined): Promise<readonly EncodedChunk[]> {
    throwIfAborted(signal);
    for (const { numbers, chunks } of this.#kept) {
      const read = await chunks.read({ signal });
      numbers.forEach((number, at) => {
        this.#chunks[number] = read[at] as EncodedChunk;
      });
      chunks.release();
    }
    this.#kept = [];
    return this.#chunks;
  }
}
