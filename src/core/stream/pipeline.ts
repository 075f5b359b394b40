import type { Backend } from '../chunks/backend.ts';
import type { ByteSink } from '../shared/bytes.ts';
import { toStriaError } from '../shared/errors.ts';
import type { Stopwatch } from './stage-times.ts';

/** The voxels held for one slab. Smaller layers are combined up to this size. */
export const slabTargetBytes = 2 ** 25;

/** The voxels of a slab that a backend takes at once. */
export function slabBytesFor({ maxBoxBytes }: Pick<Backend, 'maxBoxBytes'>): number {
  return Math.min(maxBoxBytes, slabTargetBytes);
}

/** The largest box, whatever the backend would take, because its encoded chunks are in memory too. */
export const maxBoxBytes = 2 ** 26;

/** Two slabs up to this size are held at a time, so that one is read or written while the other is processed. */
export const overlapBytes = 2 ** 26;

/**
 * One task in parallel with the main work: the next read, or the last write. Its error is kept for `settle`, or thrown to
 * whoever awaits it.
 */
export class Beside<T> {
  #running: Promise<T> | undefined;

  /** Starts the work once the previous one has ended well. */
  start(work: () => Promise<T>): Promise<T> {
    const running = (this.#running ?? Promise.resolve()).then(work);
    running.catch(() => {});
    this.#running = running;
    return running;
  }

  /** Waits for the result and clears it. Undefined if nothing ran. */
  async end(): Promise<T | undefined> {
    const running = this.#running;
    const result = await running;
    if (this.#running === running) this.#running = undefined;
    return result;
  }

  /** Waits for the end, whether it succeeds or fails. Resolves with a result that nobody has waited for. */
  async settle(): Promise<T | undefined> {
    return this.#running?.catch(() => undefined);
  }
}

/**
 * Runs work that writes to sinks. All are closed in order when the work is done, or all aborted once if the work or a close
 * fails.
 * @param sinks may grow during the work
 * @param stopwatch records the time of closing as 'save'
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
