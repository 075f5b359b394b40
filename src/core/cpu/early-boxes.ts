import type { BackendJob } from '../chunks/backend.ts';

/** A box that threads encode or decode while another backend is being opened. */
export interface EarlyBox {
  /** For the threads. It is aborted if the box is handed over; what they report after that is ignored. */
  readonly job: BackendJob;
  readonly isHandedOver: boolean;
  /** Must be called in the end. */
  end(): void;
}

interface Entry {
  readonly bytes: number;
  doneBytes: number;
  isHandedOver: boolean;
  readonly stop: AbortController;
}

/** The boxes at which threads work, in that order. */
export class EarlyBoxes {
  readonly #boxes = new Set<Entry>();
  /** Of all boxes, also of those that have ended. */
  #doneBytes = 0;
  /** When the first results came, and how many bytes these were: before, threads started. */
  #first: { readonly ms: number; readonly bytes: number } | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  get count(): number {
    return this.#boxes.size;
  }

  /** Undefined until threads have worked for `leastMs`. */
  bytesPerMs(leastMs = 1): number | undefined {
    if (!this.#first) return undefined;
    const ms = performance.now() - this.#first.ms;
    return ms < leastMs ? undefined : (this.#doneBytes - this.#first.bytes) / ms;
  }

  /** How long the work takes from now on. Undefined as `bytesPerMs`. @param totalBytes of all boxes, also of those to come */
  restMs(totalBytes: number, leastMs: number): number | undefined {
    const bytesPerMs = this.bytesPerMs(leastMs);
    return bytesPerMs === undefined ? undefined : (totalBytes - this.#doneBytes) / bytesPerMs;
  }

  /** @param bytes of its voxels */
  add(bytes: number, job: BackendJob): EarlyBox {
    const entry: Entry = { bytes, doneBytes: 0, isHandedOver: false, stop: new AbortController() };
    this.#boxes.add(entry);
    const abort = () => entry.stop.abort();
    job.signal?.addEventListener('abort', abort, { once: true });
    return {
      job: {
        ...job,
        signal: entry.stop.signal,
        onProgress: (progress) => {
          if (entry.isHandedOver) return;
          this.#doneBytes += progress.done - entry.doneBytes;
          entry.doneBytes = progress.done;
          this.#first ??= { ms: performance.now(), bytes: this.#doneBytes };
          job.onProgress?.(progress);
        },
        onChunks: (chunks) => {
          if (!entry.isHandedOver) job.onChunks?.(chunks);
        },
      },
      get isHandedOver() {
        return entry.isHandedOver;
      },
      end: () => {
        job.signal?.removeEventListener('abort', abort);
        this.#boxes.delete(entry);
        if (this.#boxes.size === 0) clearTimeout(this.#timer);
      },
    };
  }

  /**
   * Hands over the boxes that would end later than in `longestMs` at the speed up to now, and after twice this time all others that
   * have not ended. A thread ends the task that it runs.
   */
  handOver(longestMs: number): void {
    const bytesPerMs = this.bytesPerMs() ?? 0;
    let left = 0;
    for (const entry of this.#boxes) {
      left += entry.bytes - entry.doneBytes;
      if (left > bytesPerMs * longestMs) this.#stop(entry);
    }
    if (this.#boxes.size === 0) return;
    this.#timer = setTimeout(() => {
      for (const entry of this.#boxes) this.#stop(entry);
    }, 2 * longestMs);
  }

  #stop(entry: Entry): void {
    entry.isHandedOver = true;
    entry.stop.abort();
  }
}
