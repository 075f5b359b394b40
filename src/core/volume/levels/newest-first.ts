import { StriaError } from '../../shared/errors.ts';
import { nextTurn } from '../../shared/turn.ts';
import type { LevelBox, LeveledVoxels } from '../../shared/volume-level.ts';

interface Waiting {
  readonly box: LevelBox;
  readonly signal: AbortSignal;
  readonly resolve: (bytes: Uint8Array<ArrayBuffer>) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Serves one request at a time, the newest first. Small boxes (the value under the pointer) come before all others. A request that
 * is cancelled while it waits is never started.
 */
export class NewestFirst {
  readonly #source: Pick<LeveledVoxels, 'read'>;
  readonly #waiting: Waiting[] = [];
  #isBusy = false;

  constructor(source: Pick<LeveledVoxels, 'read'>) {
    this.#source = source;
  }

  /** @throws StriaError as `LeveledVoxels.read` */
  read(box: LevelBox, signal: AbortSignal): Promise<Uint8Array<ArrayBuffer>> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ box, signal, resolve, reject });
      if (!this.#isBusy) void this.#work();
    });
  }

  async #work(): Promise<void> {
    this.#isBusy = true;
    for (;;) {
      // Lets cancellations and newer requests arrive.
      await nextTurn();
      const next = this.#next();
      if (!next) break;
      const { box, signal, resolve, reject } = next;
      if (signal.aborted) reject(new StriaError('aborted', 'cancelled'));
      else await this.#source.read(box, { signal }).then(resolve, reject);
    }
    this.#isBusy = false;
  }

  #next(): Waiting | undefined {
    const small = this.#waiting.findLastIndex(({ box }) => box.size.every((length) => length === 1));
    return this.#waiting.splice(small < 0 ? this.#waiting.length - 1 : small, 1)[0];
  }
}
