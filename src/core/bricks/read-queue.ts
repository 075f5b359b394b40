import type { EncodedChunk } from '../format/chunk.ts';
import { StriaError } from '../shared/errors.ts';
import { type BrickKey, brickOf } from './brick.ts';
import type { BrickSource } from './brick-source.ts';
import type { HostLimits } from './host-limits.ts';
import { joinedWith, memoryOf, type WaitingRead } from './joined-reads.ts';

/** The bytes that a kept chunk counts in addition to its payload, so that chunks without payload are limited, too. */
export const chunkOverhead = 256;

/** Is told once how a load ended, unless the load was cancelled. */
export interface BrickWaiter {
  take(chunk: EncodedChunk): void;
  fail(fault: StriaError): void;
}

/** A brick that is to be read. */
export interface BrickJob extends WaitingRead {
  readonly key: BrickKey;
  priority: number;
  isAlone: boolean;
  attempts: number;
  /** Whether the read failed and waits before it is tried again. */
  isResting: boolean;
  reading: BrickReading | undefined;
  /** Whether the source has other voxels since the read began, so that it must be read again. */
  isOutdated: boolean;
  readonly waiters: Set<BrickWaiter>;
}

/** A read under way, of one brick or several. */
export interface BrickReading {
  readonly jobs: readonly BrickJob[];
  readonly abort: AbortController;
  readonly bytes: number;
}

/** The bricks that are to be read, or are being read. */
export class ReadQueue {
  readonly #source: BrickSource;
  readonly #limits: HostLimits;
  readonly #jobs = new Map<BrickKey, BrickJob>();

  constructor(source: BrickSource, limits: HostLimits) {
    this.#source = source;
    this.#limits = limits;
  }

  get size(): number {
    return this.#jobs.size;
  }

  get(key: BrickKey): BrickJob | undefined {
    return this.#jobs.get(key);
  }

  /**
   * The job of a brick, a new one if there is none.
   * @throws StriaError `limit-too-small` if the brick is larger than the budget; what `BrickSource.place` throws
   */
  add(key: BrickKey, priority: number): BrickJob {
    const known = this.#jobs.get(key);
    if (known) {
      known.priority = Math.min(known.priority, priority);
      return known;
    }
    const brick = brickOf(key);
    const place = this.#source.place(brick);
    const job: BrickJob = {
      key,
      priority,
      level: brick.level,
      payloadBytes: place.payloadBytes + chunkOverhead,
      range: place.range,
      isAlone: false,
      isResting: false,
      attempts: 0,
      reading: undefined,
      isOutdated: false,
      waiters: new Set(),
    };
    const needed = memoryOf([job]);
    if (needed > this.#limits.bytes) {
      throw new StriaError('limit-too-small', `reading it takes ${needed} bytes of memory; the limit is ${this.#limits.bytes}`);
    }
    this.#jobs.set(key, job);
    return job;
  }

  delete(key: BrickKey): void {
    this.#jobs.delete(key);
  }

  /** Bricks for which `isOutdated` are read again if their read has begun. */
  renew(isOutdated: (key: BrickKey) => boolean): void {
    for (const job of this.#jobs.values()) job.isOutdated ||= job.reading !== undefined && isOutdated(job.key);
  }

  /** Removes and returns all jobs. */
  clear(): readonly BrickJob[] {
    const jobs = [...this.#jobs.values()];
    this.#jobs.clear();
    return jobs;
  }

  /**
   * The jobs of the next read: the most urgent one that waits, and those that are read together with it.
   * @param memoryBytes free memory
   * @returns undefined if nothing waits, or if the most urgent job must wait for memory: no other may start, because it would take it
   */
  next(memoryBytes: number): readonly BrickJob[] | undefined {
    let first: BrickJob | undefined;
    for (const job of this.#jobs.values()) {
      if (isWaiting(job) && (!first || job.priority < first.priority)) first = job;
    }
    if (!first || memoryOf([first]) > memoryBytes) return undefined;
    return joinedWith(first, this.#waiting(), { ...this.#limits, memoryBytes });
  }

  *#waiting(): Generator<BrickJob> {
    for (const job of this.#jobs.values()) if (isWaiting(job)) yield job;
  }
}

function isWaiting({ reading, isResting }: BrickJob): boolean {
  return !reading && !isResting;
}
