import type { Backend } from '../../chunks/backend.ts';
import { stackedChunks } from '../../chunks/boxes.ts';
import { type CodecElementBytes, rowBytes } from '../../codec/codec.ts';
import type { EncodedChunk } from '../../format/chunk.ts';
import { codecElementBytes } from '../../format/chunk-grid.ts';
import type { ContainerReader } from '../../format/container-reader.ts';
import { StriaError, toStriaError } from '../../shared/errors.ts';
import { type JobOptions, throwIfAborted } from '../../shared/job.ts';
import { slabBytesFor } from '../pipeline.ts';
import { chunksTogether, ReusedBytes } from '../slabs.ts';
import type { KernelClock, Stopwatch } from '../stage-times.ts';

/** The task of a `BatchDecoder`. */
export interface BatchWork {
  readonly stopwatch: Pick<Stopwatch<'read' | 'decode'>, 'time'>;
  readonly clock: KernelClock;
  readonly job: JobOptions;
  onDamage(number: number, fault: StriaError): void;
  /**
   * Called with the voxels of each batch, in the order of its chunks. There may be zeros between chunks. If it is undefined, batches
   * may run at the same time, and damage is reported in any order.
   */
  readonly onDecoded?: ((voxels: Uint8Array) => Promise<void>) | undefined;
}

/** Decodes chunks in batches, stacked in one box, so that skipped chunks between them do not make batches small. */
export class BatchDecoder {
  readonly #container: ContainerReader;
  readonly #backend: Backend;
  readonly #work: BatchWork;
  readonly #elementBytes: CodecElementBytes;
  readonly #perBatch: number;
  readonly #scratch: ReusedBytes;
  /** Finds damage without giving voxels to this thread. */
  readonly #check: Backend['check'];
  readonly #atOnce: number;
  readonly #running = new Set<Promise<void>>();
  #fault: { readonly error: unknown } | undefined;
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
    this.#check = work.onDecoded ? undefined : backend.check?.bind(backend);
    this.#atOnce = this.#check ? (backend.boxesAtOnce ?? 1) : 1;
  }

  async add(number: number): Promise<void> {
    this.#waiting.push(number);
    if (this.#waiting.length >= this.#perBatch) await this.#begin();
  }

  /** Decodes the waiting chunks. Resolves when all batches have ended. */
  async finish(): Promise<void> {
    await this.#begin();
    await this.settle();
    this.#throwFault();
  }

  /** Waits for the batches that are still running after an error. Never throws. */
  async settle(): Promise<void> {
    await Promise.all(this.#running);
  }

  /** Begins a batch of the waiting chunks. Resolves once another one may begin. */
  async #begin(): Promise<void> {
    throwIfAborted(this.#work.job.signal);
    const numbers = this.#waiting;
    this.#waiting = [];
    const running: Promise<void> = this.#decode(numbers)
      .catch((error: unknown) => {
        this.#fault ??= { error };
      })
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
    if (this.#running.size >= this.#atOnce) await Promise.race(this.#running);
    this.#throwFault();
  }

  #throwFault(): void {
    if (this.#fault) throw this.#fault.error;
  }

  async #decode(waiting: readonly number[]): Promise<void> {
    const { stopwatch, clock, job, onDamage, onDecoded } = this.#work;
    const { numbers, chunks } = await stopwatch.time('read', () => this.#readWhole(waiting));
    if (numbers.length === 0) return;
    const elementBytes = this.#elementBytes;
    const { dims, boxes } = stackedChunks(numbers.map((number) => this.#container.grid.box(number).shape));
    const damage = new Map<number, StriaError>();
    const options = {
      signal: job.signal,
      onTimes: clock.onTimes,
      // The backend numbers chunks by their place in the batch.
      onDamage: (at: number, fault: StriaError) => void damage.set(numbers[at] as number, withoutContext(fault)),
    };
    const check = this.#check;
    if (check) {
      await stopwatch.time('decode', () => check(chunks, boxes, { dims, elementBytes }, options));
      for (const [number, fault] of damage) onDamage(number, (await this.#faultOfRecord(number)) ?? fault);
      return;
    }
    const bytes = this.#scratch.take(dims[0] * dims[1] * dims[2] * elementBytes);
    // Voxels of the previous batch may remain beside smaller chunks.
    if (onDecoded) bytes.fill(0);
    await stopwatch.time('decode', () => this.#backend.decode(chunks, boxes, { bytes, dims, elementBytes }, options));
    for (const [number, fault] of damage) onDamage(number, fault);
    await onDecoded?.(bytes);
  }

  /** Reads those of the chunks whose records are intact. */
  async #readWhole(numbers: readonly number[]): Promise<{ numbers: number[]; chunks: EncodedChunk[] }> {
    const whole: { numbers: number[]; chunks: EncodedChunk[] } = { numbers: [], chunks: [] };
    const read = async (first: number, count: number) => {
      for (const [at, chunk] of (await this.#read(first, count)).entries()) {
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

  /** What is wrong with a chunk's record, which says more than its voxels; undefined if it is intact. */
  async #faultOfRecord(number: number): Promise<StriaError | undefined> {
    try {
      await this.#container.readChunks(number, 1, { signal: this.#work.job.signal });
      return undefined;
    } catch (error) {
      const fault = toStriaError(error);
      if (fault.tag === 'corrupt') return fault;
      throw fault;
    }
  }

  async #read(first: number, count: number): Promise<readonly EncodedChunk[]> {
    const options = { signal: this.#work.job.signal };
    const unchecked = this.#check
      ? await this.#container.readUnchecked(first, count, (byteLength) => new Uint8Array(byteLength), options)
      : undefined;
    return unchecked ?? this.#container.readChunks(first, count, options);
  }
}

/** A fault without its outermost context. */
function withoutContext({ tag, message, cause, context }: StriaError): StriaError {
  return new StriaError(tag, message, { cause, context: context.slice(1) });
}
