import type { EncodedChunk } from '../format/chunk.ts';
import { inContext, StriaError, toStriaError } from '../shared/errors.ts';
import { LeastRecent } from '../shared/least-recent.ts';
import { type BrickKey, brickName, brickOf } from './brick.ts';
import type { BrickSource } from './brick-source.ts';
import { joinedWith, memoryOf, type WaitingRead } from './joined-reads.ts';

export interface HostLimits {
  /** The budget for kept payloads and reads under way together. */
  readonly bytes: number;
  /** The maximum number of reads at once. */
  readonly reads: number;
  /** See `JoinLimits`. */
  readonly gapBytes: number;
  readonly joinedBytes: number;
  /** How often a failing read is tried. */
  readonly attempts: number;
  /** The wait before the second try; it doubles before each further one. */
  readonly retryMs: number;
}

const hostLimits: HostLimits = {
  bytes: 2 ** 29,
  reads: 6,
  gapBytes: 2 ** 16,
  joinedBytes: 2 ** 22,
  attempts: 3,
  retryMs: 250,
};

/** Calls a function after `ms` milliseconds, unless the returned function is called first. Tests replace it. */
export type Later = (call: () => void, ms: number) => () => void;

const later: Later = (call, ms) => {
  const timer = setTimeout(call, ms);
  return () => clearTimeout(timer);
};

/** The bytes that a kept chunk counts in addition to its payload, so that chunks without payload are limited, too. */
export const chunkOverhead = 256;

/** Is told once how a load ended, unless the load was cancelled. */
export interface BrickWaiter {
  take(chunk: EncodedChunk): void;
  fail(fault: StriaError): void;
}

interface Job extends WaitingRead {
  readonly key: BrickKey;
  priority: number;
  isAlone: boolean;
  attempts: number;
  /** Whether the read failed and waits before it is tried again. */
  isResting: boolean;
  reading: Reading | undefined;
  readonly waiters: Set<BrickWaiter>;
}

interface Reading {
  readonly jobs: readonly Job[];
  readonly abort: AbortController;
  readonly bytes: number;
}

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
  readonly #limits: HostLimits;
  readonly #later: Later;
  readonly #kept = new LeastRecent<BrickKey, EncodedChunk>();
  readonly #jobs = new Map<BrickKey, Job>();
  readonly #readings = new Set<Reading>();
  readonly #failed = new Map<BrickKey, StriaError>();
  readonly #rests = new Set<() => void>();
  #reserved = 0;
  #reads = 0;
  #bricksRead = 0;
  #isClosed = false;

  constructor(source: BrickSource, limits: Partial<HostLimits> = {}, clock: Later = later) {
    this.source = source;
    this.#limits = { ...hostLimits, ...limits };
    this.#later = clock;
  }

  get use(): HostUse {
    return {
      keptBytes: this.#kept.bytes,
      reservedBytes: this.#reserved,
      kept: this.#kept.size,
      waiting: this.#jobs.size,
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
    let job: Job;
    try {
      job = this.#jobFor(key, priority);
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

  /** Changes the priority of a waiting brick. */
  prioritize(key: BrickKey, priority: number): void {
    const job = this.#jobs.get(key);
    if (job) job.priority = priority;
  }

  /** Frees everything and cancels all reads. */
  close(): void {
    this.#isClosed = true;
    for (const stop of this.#rests) stop();
    this.#rests.clear();
    const jobs = [...this.#jobs.values()];
    this.#jobs.clear();
    this.#kept.clear();
    for (const job of jobs) for (const waiter of job.waiters) waiter.fail(cancelled());
    for (const { abort } of this.#readings) abort.abort();
  }

  #jobFor(key: BrickKey, priority: number): Job {
    const known = this.#jobs.get(key);
    if (known) {
      known.priority = Math.min(known.priority, priority);
      return known;
    }
    const brick = brickOf(key);
    const place = this.source.place(brick);
    const job: Job = {
      key,
      priority,
      level: brick.level,
      payloadBytes: place.payloadBytes + chunkOverhead,
      range: place.range,
      isAlone: false,
      isResting: false,
      attempts: 0,
      reading: undefined,
      waiters: new Set(),
    };
    const needed = memoryOf([job]);
    if (needed > this.#limits.bytes) {
      throw new StriaError('limit-too-small', `reading it takes ${needed} bytes of memory; the limit is ${this.#limits.bytes}`);
    }
    this.#jobs.set(key, job);
    return job;
  }

  /** Cancels a job if its last waiter has left. */
  #leave(job: Job): void {
    if (job.waiters.size > 0 || this.#jobs.get(job.key) !== job) return;
    const { reading } = job;
    if (!reading) {
      this.#jobs.delete(job.key);
      this.#start();
    } else if (reading.jobs.every(({ waiters }) => waiters.size === 0)) reading.abort.abort();
  }

  /** Starts as many reads as the limits allow. */
  #start(): void {
    while (!this.#isClosed && this.#readings.size < this.#limits.reads) {
      const first = this.#mostUrgent();
      if (!first) return;
      const memoryBytes = this.#limits.bytes - this.#reserved;
      // If the most urgent read must wait for memory, no other may start, because it would take that memory.
      if (memoryOf([first]) > memoryBytes) return;
      const jobs = joinedWith(first, this.#waiting(), { ...this.#limits, memoryBytes });
      const reading: Reading = { jobs, abort: new AbortController(), bytes: memoryOf(jobs) };
      for (const job of jobs) job.reading = reading;
      this.#readings.add(reading);
      this.#reserve(reading.bytes);
      this.#reads++;
      void this.#read(reading);
    }
  }

  *#waiting(): Generator<Job> {
    for (const job of this.#jobs.values()) if (!job.reading && !job.isResting) yield job;
  }

  #mostUrgent(): Job | undefined {
    let first: Job | undefined;
    for (const job of this.#jobs.values()) {
      if (!job.reading && !job.isResting && (!first || job.priority < first.priority)) first = job;
    }
    return first;
  }

  #reserve(bytes: number): void {
    this.#reserved += bytes;
    for (const [key] of this.#kept.oldest()) {
      if (this.#kept.bytes + this.#reserved <= this.#limits.bytes) return;
      this.#kept.delete(key);
    }
  }

  async #read(reading: Reading): Promise<void> {
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
      if (result instanceof StriaError) this.#fail(job, result, reading);
      else this.#keep(job, result);
    });
    this.#start();
  }

  #keep(job: Job, chunk: EncodedChunk): void {
    this.#jobs.delete(job.key);
    this.#bricksRead++;
    // This is less than was reserved, so it fits.
    this.#kept.set(job.key, chunk, chunkOverhead + (chunk.kind === 'coded' ? chunk.payload.byteLength : 0));
    for (const waiter of job.waiters) waiter.take(chunk);
  }

  #fail(job: Job, fault: StriaError, { jobs, abort }: Reading): void {
    if (job.waiters.size === 0) {
      this.#jobs.delete(job.key);
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
    this.#jobs.delete(job.key);
    const named = inContext(brickName(brickOf(job.key)), fault);
    this.#failed.set(job.key, named);
    for (const waiter of job.waiters) waiter.fail(named);
  }

  #rest(job: Job): void {
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
