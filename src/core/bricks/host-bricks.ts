import type { EncodedChunk } from '../format/chunk.ts';
import { inContext, StriaError, toStriaError } from '../shared/errors.ts';
import { LeastRecent } from '../shared/least-recent.ts';
import { type BrickKey, brickName, brickOf } from './brick.ts';
import type { BrickSource } from './brick-source.ts';
import { type HostLimits, hostLimits, type Later, later } from './host-limits.ts';
import { memoryOf } from './joined-reads.ts';
import { type BrickJob, type BrickReading, type BrickWaiter, chunkOverhead, ReadQueue } from './read-queue.ts';

/** The contents of the host tier, and counters of its work. */
export interface HostUse {
  readonly keptBytes: number;
  readonly reservedBytes: number;
  readonly kept: number;
  readonly waiting: number;
  readonly reading: number;
  /** Counted since the tier was created: reads of the source, and the bricks that they returned. */
  readonly reads: number;
  readonly bricksRead: number;
  readonly failed: number;
}

/**
 * Compressed bricks in host memory. A brick is read once, however many requests there are for it, and kept while there is room. Before
 * a read begins, its memory is reserved, so the budget holds at every moment. Chunks that callers hold do not count.
 */
export class HostBricks {
  readonly source: BrickSource;
  /** `#queue` has the same object, so that both change with `setShare`. */
  readonly #limits: Omit<HostLimits, 'bytes'> & { bytes: number };
  readonly #bytes: number;
  readonly #later: Later;
  readonly #kept = new LeastRecent<BrickKey, EncodedChunk>();
  readonly #queue: ReadQueue;
  readonly #readings = new Set<BrickReading>();
  readonly #failed = new Map<BrickKey, StriaError>();
  readonly #rests = new Set<() => void>();
  readonly #renewed = new Set<(isOutdated: (key: BrickKey) => boolean) => void>();
  #reserved = 0;
  #reads = 0;
  #bricksRead = 0;
  #isGathering = false;
  #isClosed = false;

  constructor(source: BrickSource, limits: Partial<HostLimits> = {}, clock: Later = later) {
    this.source = source;
    this.#limits = { ...hostLimits, ...limits };
    this.#bytes = this.#limits.bytes;
    this.#later = clock;
    this.#queue = new ReadQueue(source, this.#limits);
  }

  get use(): HostUse {
    return {
      keptBytes: this.#kept.bytes,
      reservedBytes: this.#reserved,
      kept: this.#kept.size,
      waiting: this.#queue.size,
      reading: this.#readings.size,
      reads: this.#reads,
      bricksRead: this.#bricksRead,
      failed: this.#failed.size,
    };
  }

  /** A kept brick, which is marked as recently used. Undefined if the brick is not kept. */
  peek(key: BrickKey): EncodedChunk | undefined {
    return this.#kept.get(key);
  }

  /** Why a brick could not be read. Requests for such a brick fail at once. */
  faultOf(key: BrickKey): StriaError | undefined {
    return this.#failed.get(key);
  }

  /** Allows bricks that could not be read to be tried again. */
  forgetFaults(): void {
    this.#failed.clear();
  }

  /**
   * Requests a brick.
   * @param priority lower is more urgent; of several requests for a brick the most urgent counts
   * @param signal ends this request; the read is cancelled once no request for any of its bricks is left
   * @throws StriaError in the context of the brick: `aborted`, `corrupt`, `not-readable`; `limit-too-small` if the brick is larger
   * than the budget
   */
  request(key: BrickKey, priority: number, signal?: AbortSignal): Promise<EncodedChunk> {
    if (signal?.aborted) return Promise.reject(cancelled());
    return new Promise((resolve, reject) => {
      const stop = () => {
        cancel();
        reject(cancelled());
      };
      const cancel = this.load(key, priority, {
        take: (chunk) => {
          signal?.removeEventListener('abort', stop);
          resolve(chunk);
        },
        fail: (found) => {
          signal?.removeEventListener('abort', stop);
          reject(found);
        },
      });
      signal?.addEventListener('abort', stop, { once: true });
    });
  }

  /**
   * As `request`, without a promise and a signal: a flight cancels hundreds of loads in each frame, and an abort takes longer than a load.
   * @param waiter is told the result after `load` has returned, but never once the load was cancelled
   * @returns a function that cancels the load, if it has not ended
   */
  load(key: BrickKey, priority: number, waiter: BrickWaiter): () => void {
    const kept = this.peek(key);
    if (kept) return soon(() => waiter.take(kept));
    const fault = this.#isClosed ? cancelled() : this.#failed.get(key);
    if (fault) return soon(() => waiter.fail(fault));
    let job: BrickJob;
    try {
      job = this.#queue.add(key, priority);
    } catch (error) {
      const found = inContext(brickName(brickOf(key)), error);
      return soon(() => waiter.fail(found));
    }
    job.waiters.add(waiter);
    this.#start();
    return () => {
      if (job.waiters.delete(waiter)) this.#leave(job);
    };
  }

  /** Calls a function that loads bricks. No read starts before it has returned, so that the bricks can be read together. */
  gather(loads: () => void): void {
    this.#isGathering = true;
    try {
      loads();
    } finally {
      this.#isGathering = false;
      this.#start();
    }
  }

  /** The source has other voxels for some bricks than before: they are read again when they are next requested. */
  renew(isOutdated: (key: BrickKey) => boolean): void {
    for (const [key] of [...this.#kept.oldest()]) if (isOutdated(key)) this.#kept.delete(key);
    for (const key of [...this.#failed.keys()]) if (isOutdated(key)) this.#failed.delete(key);
    this.#queue.renew(isOutdated);
    for (const renewed of this.#renewed) renewed(isOutdated);
  }

  /** @param renewed called with each `renew` @returns a function that ends the calls */
  onRenewed(renewed: (isOutdated: (key: BrickKey) => boolean) => void): () => void {
    this.#renewed.add(renewed);
    return () => this.#renewed.delete(renewed);
  }

  /** Changes the priority of a waiting brick. */
  prioritize(key: BrickKey, priority: number): void {
    const job = this.#queue.get(key);
    if (job) job.priority = priority;
  }

  /** Frees everything and cancels all reads. */
  close(): void {
    this.#isClosed = true;
    for (const stop of this.#rests) stop();
    this.#rests.clear();
    const jobs = this.#queue.clear();
    this.#kept.clear();
    for (const job of jobs) for (const waiter of job.waiters) waiter.fail(cancelled());
    for (const { abort } of this.#readings) abort.abort();
  }

  /** Cancels a job if its last waiter has left. */
  #leave(job: BrickJob): void {
    if (job.waiters.size > 0 || this.#queue.get(job.key) !== job) return;
    const { reading } = job;
    if (!reading) {
      this.#queue.delete(job.key);
      this.#start();
    } else if (reading.jobs.every(({ waiters }) => waiters.size === 0)) reading.abort.abort();
  }

  /** Starts as many reads as the limits allow. */
  #start(): void {
    while (!this.#isClosed && !this.#isGathering && this.#readings.size < this.#limits.reads) {
      const jobs = this.#queue.next(this.#limits.bytes - this.#reserved);
      if (!jobs) return;
      const reading: BrickReading = { jobs, abort: new AbortController(), bytes: memoryOf(jobs) };
      for (const job of jobs) job.reading = reading;
      this.#readings.add(reading);
      this.#reserve(reading.bytes);
      this.#reads++;
      void this.#read(reading);
    }
  }

  /** Uses only a part of the budget from now on, because others share it. @param share over 0, at most 1 */
  setShare(share: number): void {
    this.#limits.bytes = this.#bytes * share;
    this.#reserve(0);
    this.#start();
  }

  #reserve(bytes: number): void {
    this.#reserved += bytes;
    for (const [key] of this.#kept.oldest()) {
      if (this.#kept.bytes + this.#reserved <= this.#limits.bytes) return;
      this.#kept.delete(key);
    }
  }

  async #read(reading: BrickReading): Promise<void> {
    const { jobs, abort } = reading;
    let results: readonly (EncodedChunk | StriaError)[];
    try {
      const bricks = jobs.map(({ key }) => brickOf(key));
      results = await this.source.read(bricks, { signal: abort.signal });
    } catch (error) {
      const fault = toStriaError(error);
      results = jobs.map(() => fault);
    }
    this.#readings.delete(reading);
    this.#reserved -= reading.bytes;
    if (this.#isClosed) return;
    jobs.forEach((job, at) => {
      job.reading = undefined;
      const result = results[at] ?? new StriaError('internal', 'the source left it out');
      if (job.isOutdated) {
        // It stays in the queue, and is read again.
        job.isOutdated = false;
        if (job.waiters.size === 0) this.#queue.delete(job.key);
      } else if (result instanceof StriaError) this.#fail(job, result, reading);
      else this.#keep(job, result);
    });
    this.#start();
  }

  #keep(job: BrickJob, chunk: EncodedChunk): void {
    this.#queue.delete(job.key);
    this.#bricksRead++;
    // This is less than was reserved, so it fits.
    this.#kept.set(job.key, chunk, chunkOverhead + (chunk.kind === 'coded' ? chunk.payload.byteLength : 0));
    for (const waiter of job.waiters) waiter.take(chunk);
  }

  #fail(job: BrickJob, fault: StriaError, { jobs, abort }: BrickReading): void {
    if (job.waiters.size === 0) {
      this.#queue.delete(job.key);
      return;
    }
    // The brick was requested again while its read was being cancelled.
    if (abort.signal.aborted) return;
    if (jobs.length > 1) {
      job.isAlone = true;
      return;
    }
    job.attempts++;
    if (fault.tag === 'not-readable' && job.attempts < this.#limits.attempts) {
      this.#rest(job);
      return;
    }
    this.#queue.delete(job.key);
    const named = inContext(brickName(brickOf(job.key)), fault);
    this.#failed.set(job.key, named);
    for (const waiter of job.waiters) waiter.fail(named);
  }

  #rest(job: BrickJob): void {
    job.isResting = true;
    const stop = this.#later(
      () => {
        this.#rests.delete(stop);
        job.isResting = false;
        this.#start();
      },
      this.#limits.retryMs * 2 ** (job.attempts - 1),
    );
    this.#rests.add(stop);
  }
}

/** Calls a function once the current task has ended, unless the returned function is called first. */
function soon(call: () => void): () => void {
  let isCancelled = false;
  queueMicrotask(() => {
    if (!isCancelled) call();
  });
  return () => {
    isCancelled = true;
  };
}

function cancelled(): StriaError {
  return new StriaError('aborted', 'cancelled');
}
