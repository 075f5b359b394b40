import type { ByteSink } from '../shared/bytes.ts';
import { toStriaError } from '../shared/errors.ts';
import type { Stopwatch } from './stage-times.ts';

/** Voxels that are held for one slab; layers that are smaller are taken together up to this. */
export const slabTargetBytes = 2 ** 25;

/** No box is larger, whatever a backend would take: its encoded chunks are in memory too. */
export const maxBoxBytes = 2 ** 26;

/** Two slabs of at most this size are held at a time, so that one is read or written while the other is worked on. */
export const overlapBytes = 2 ** 26;

/**
 * One thing that goes on beside the main work: the next read, the last write. What it throws is kept for `settle`, or
 * thrown by whoever awaits it.
 */
export class Beside<T> {
  #running: Promise<T> | undefined;

  /** Begins, once what ran before has ended. */
  start(work: () => Promise<T>): void {
    const running = (this.#running ?? Promise.resolve()).then(work);
    running.catch(() => {});
    this.#running = running;
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  /** Waits for the end, and forgets it. Undefined where nothing ran. */
  async end(): Promise<T | undefined> {
    const running = this.#running;
    const result = await running;
    if (this.#running === running) this.#running = undefined;
    return result;
  }

  /** Waits for the end, however it ends. */
  async settle(): Promise<void> {
    await this.#running?.catch(() => {});
  }
}

/**
 * Writes to sinks: all are closed when the work is done, in order, and all aborted, once, when it or a closing fails.
 * @param sinks may grow while the work goes on
 * @param stopwatch hears how long closing took, as 'save'
 */
export async function writingTo<T>(
  sinks: readonly ByteSink[],
  work: () => Promise<T>,
  stopwatch?: Pick<Stopwatch<'save'>, 'time'>,
): Promise<T> {
  try {
    const result = await work();
    const close = async () => {
      for (const sink of sinks) await sink.close();
    };
    await (stopwatch ? stopwatch.time('save', close) : close());
    return result;
  } catch (error) {
    await Promise.allSettled(sinks.map((sink) => sink.abort()));
    throw toStriaError(error);
  }
}
