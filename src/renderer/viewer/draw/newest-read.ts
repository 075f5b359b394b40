import { toStriaError } from '../../../core/shared/errors.ts';
import { throwIfAborted } from '../../../core/shared/job.ts';
import type { DetailFault } from '../model/detail-faults.ts';

/** What is read, so that the same read is not begun twice. */
interface Wanted {
  readonly key: string;
  /** The object that is read from. */
  readonly from: object;
  readonly controller: AbortController;
}

/** The newest read of a view; an older one is cancelled. A read that failed is not repeated until another one was wanted. */
export class NewestRead {
  readonly #onArrived: () => void;
  readonly #onFault: (fault: DetailFault | undefined) => void;
  #wanted: Wanted | undefined;
  #failed: Wanted | undefined;
  #reading: Promise<void> = Promise.resolve();

  /**
   * @param onArrived called when a read has ended, so that the view can be drawn again
   * @param onFault called with the reason if a read fails, and with undefined once one succeeds
   */
  constructor(onArrived: () => void, onFault: (fault: DetailFault | undefined) => void) {
    this.#onArrived = onArrived;
    this.#onFault = onFault;
  }

  get isPending(): boolean {
    return this.#wanted !== undefined;
  }

  /** Resolves when the newest read has ended. A signal cancels it, without waiting for the file. @throws StriaError `aborted` */
  async ended(signal?: AbortSignal): Promise<void> {
    const reading = this.#reading;
    await new Promise<void>((resolve) => {
      const cancel = () => resolve();
      signal?.addEventListener('abort', cancel);
      // A movie waits with one signal for thousands of frames.
      void reading.then(resolve).finally(() => signal?.removeEventListener('abort', cancel));
      if (signal?.aborted) resolve();
    });
    if (signal?.aborted) this.cancel();
    throwIfAborted(signal);
  }

  /** Begins a read, unless the same one is running or failed last. */
  request(key: string, from: object, read: (signal: AbortSignal) => Promise<void>): void {
    const isSame = (one: Wanted | undefined): boolean => one?.key === key && one.from === from;
    if (isSame(this.#wanted) || isSame(this.#failed)) return;
    this.cancel();
    const controller = new AbortController();
    const wanted = { key, from, controller };
    this.#wanted = wanted;
    this.#reading = read(controller.signal).then(
      () => {
        if (this.#wanted !== wanted) return;
        this.#wanted = undefined;
        this.#succeed();
        this.#onArrived();
      },
      (error: unknown) => {
        if (this.#wanted !== wanted) return;
        this.#wanted = undefined;
        this.#failed = wanted;
        const { tag, message } = toStriaError(error);
        // Slices that would need too much of an uncompressed file stay coarse.
        if (tag !== 'aborted' && tag !== 'device-lost') this.#onFault({ message, isTooMuch: tag === 'unsupported' });
        this.#onArrived();
      },
    );
  }

  /** Nothing needs to be read, because everything is there. */
  satisfied(): void {
    this.cancel();
    if (this.#failed) this.#succeed();
  }

  cancel(): void {
    this.#wanted?.controller.abort();
    this.#wanted = undefined;
  }

  #succeed(): void {
    this.#failed = undefined;
    this.#onFault(undefined);
  }
}
