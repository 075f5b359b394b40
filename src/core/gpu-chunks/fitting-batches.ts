import type { Gpu } from '../gpu/gpu.ts';
import { toStriaError } from '../shared/errors.ts';
import { guarded } from './guarded.ts';

/** A batch of fewer bytes holds one chunk of the usual shape. */
const leastBytes = 2 ** 18;

/** After so many milliseconds without lack of memory, batches of twice the size are tried: other programs may have freed theirs. */
const growAfterMs = 120_000;

/** How much is encoded or decoded at the same time. */
export interface BatchSize {
  readonly bytes: number;
  readonly atOnce: number;
}

/** Work with batches of some size. */
interface Attempt {
  readonly bytes: number;
  /** The largest batches of any work that ran at the same time, which may be what lacked memory. */
  largest: number;
}

/**
 * Chooses how large batches are. Codecs that try several ways need several times the memory of their voxels. If the GPU has too little of
 * it, the same work is done again in batches of half the size, one at a time. Later work begins with the size that fitted, and tries larger
 * ones every two minutes.
 */
export class FittingBatches {
  readonly #gpu: Gpu;
  readonly #most: BatchSize;
  #bytes: number;
  /** When larger batches are tried, by `performance.now()`. */
  #growsAtMs = Number.POSITIVE_INFINITY;
  readonly #running = new Set<Attempt>();

  constructor(gpu: Gpu, most: BatchSize) {
    this.#gpu = gpu;
    this.#most = most;
    this.#bytes = most.bytes;
  }

  /**
   * Does work as often as needed. Nothing that it returns before it has succeeded may be used: the device may have refused part of it.
   * @param work is given a function that takes what is to be released if the work is done again or fails
   * @throws StriaError `out-of-memory` if there is too little memory for the smallest batches; as `work`
   */
  async run<T>(work: (size: BatchSize, hold: (release: () => void) => void) => Promise<T>): Promise<T> {
    let before: number | undefined;
    for (;;) {
      const bytes = this.#nextBytes();
      before ??= bytes;
      const size = bytes < this.#most.bytes ? { bytes, atOnce: 1 } : this.#most;
      const held: (() => void)[] = [];
      const attempt = this.#begin(bytes);
      try {
        return await guarded(this.#gpu, () => work(size, (release) => held.push(release)));
      } catch (error) {
        for (const release of held) release();
        if (toStriaError(error).tag !== 'out-of-memory') throw error;
        if (attempt.largest <= leastBytes) {
          // Something else takes the memory, and the caller may free it.
          this.#bytes = before;
          throw error;
        }
        // The largest batches at the same time may be what lacked memory.
        this.#bytes = Math.max(leastBytes, Math.min(this.#bytes, attempt.largest / 2));
        this.#growsAtMs = performance.now() + growAfterMs;
      } finally {
        this.#running.delete(attempt);
      }
    }
  }

  #nextBytes(): number {
    const now = performance.now();
    if (now >= this.#growsAtMs) {
      this.#bytes = Math.min(2 * this.#bytes, this.#most.bytes);
      this.#growsAtMs = now + growAfterMs;
    }
    return this.#bytes;
  }

  #begin(bytes: number): Attempt {
    const attempt = { bytes, largest: bytes };
    for (const other of this.#running) {
      other.largest = Math.max(other.largest, bytes);
      attempt.largest = Math.max(attempt.largest, other.bytes);
    }
    this.#running.add(attempt);
    return attempt;
  }

  /** Tries the largest size again. */
  reset(): void {
    this.#bytes = this.#most.bytes;
  }
}
