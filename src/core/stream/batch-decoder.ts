import type { Backend } from '../chunks/backend.ts';
import { stackedChunks } from '../chunks/boxes.ts';
import { type CodecElementBytes, rowBytes } from '../codec/codec.ts';
import type { EncodedChunk } from '../format/chunk.ts';
import { codecElementBytes } from '../format/chunk-grid.ts';
import type { ContainerReader } from '../format/container-reader.ts';
import { StriaError, toStriaError } from '../shared/errors.ts';
import { type JobOptions, throwIfAborted } from '../shared/job.ts';
import { slabBytesFor } from './pipeline.ts';
import { chunksTogether, ReusedBytes } from './slabs.ts';
import type { KernelClock, Stopwatch } from './stage-times.ts';

/** The task of a `BatchDecoder`. */
export interface BatchWork {
  readonly stopwatch: Pick<Stopwatch<'read' | 'decode'>, 'time'>;
  readonly clock: KernelClock;
  readonly job: JobOptions;
  onDamage(number: number, fault: StriaError): void;
  /** Called with the voxels of each batch, in the order of its chunks. There may be zeros between chunks. */
  onDecoded(voxels: Uint8Array): Promise<void>;
}

/** Decodes chunks in batches, stacked in one box, so that skipped chunks between them do not make batches small. */
export class BatchDecoder {
  readonly #container: ContainerReader;
  readonly #backend: Backend;
  readonly #work: BatchWork;
  readonly #elementBytes: CodecElementBytes;
  readonly #perBatch: number;
  readonly #scratch: ReusedBytes;
  #waiting: number[] = [];

  constructor(container: ContainerReader, backend: Backend, work: BatchWork) {
    this.#container = container;
    this.#backend = backend;
    this.#scratch = new ReusedBytes(backend.sharesMemory);
    this.#work = work;
    this.#elementBytes = codecElementBytes(container.header.volume.type);
    const [x, y, z] = container.grid.box(0).shape;
    const bytes = slabBytesFor(backend) / (rowBytes(x, this.#elementBytes) * y * z);
    this.#perBatch = Math.max(1, Math.min(chunksTogether, Math.floor(bytes)));
  }

  async add(number: number): Promise<void> {
    this.#waiting.push(number);
    if (this.#waiting.length >= this.#perBatch) await this.finish();
  }

  /** Decodes the waiting chunks. */
  async finish(): Promise<void> {
    const { stopwatch, clock, job, onDamage, onDecoded } = this.#work;
    throwIfAborted(job.signal);
    const { numbers, chunks } = await stopwatch.time('read', () => this.#readWhole(this.#waiting));
    this.#waiting = [];
    if (numbers.length === 0) return;
    const elementBytes = this.#elementBytes;
    const { dims, boxes } = stackedChunks(numbers.map((number) => this.#container.grid.box(number).shape));
    const bytes = this.#scratch.take(dims[0] * dims[1] * dims[2] * elementBytes);
    // Voxels of the previous batch may remain beside smaller chunks.
    bytes.fill(0);
    const options = {
      signal: job.signal,
      onTimes: clock.onTimes,
      // The backend numbers chunks by their place in the batch.
      onDamage: (at: number, fault: StriaError) => onDamage(numbers[at] as number, withoutContext(fault)),
    };
    await stopwatch.time('decode', () => this.#backend.decode(chunks, boxes, { bytes, dims, elementBytes }, options));
    await onDecoded(bytes);
  }

  /** Reads those of the chunks whose records are intact. */
  async #readWhole(numbers: readonly number[]): Promise<{ numbers: number[]; chunks: EncodedChunk[] }> {
    const whole: { numbers: number[]; chunks: EncodedChunk[] } = { numbers: [], chunks: [] };
    const read = async (first: number, count: number) => {
      for (const [at, chunk] of (await this.#container.readChunks(first, count, { signal: this.#work.job.signal })).entries()) {
        whole.numbers.push(first + at);
        whole.chunks.push(chunk);
      }
    };
    for (let at = 0; at < numbers.length; ) {
      const first = numbers[at] as number;
      let count = 1;
      while (numbers[at + count] === first + count) count++;
      at += count;
      try {
        await read(first, count);
      } catch (error) {
        if (toStriaError(error).tag !== 'corrupt') throw error;
        for (let number = first; number < first + count; number++) {
          await read(number, 1).catch((cause: unknown) => {
            const fault = toStriaError(cause);
            if (fault.tag !== 'corrupt') throw fault;
            this.#work.onDamage(number, fault);
          });
        }
      }
    }
    return whole;
  }
}

/** A fault without its outermost context. */
function withoutContext({ tag, message, cause, context }: StriaError): StriaError {
  return new StriaError(tag, message, { cause, context: context.slice(1) });
}
