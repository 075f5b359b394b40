import { faultToData, toStriaError } from '../../../core/shared/errors.ts';
import type { AppStore } from '../state/store.ts';
import { nextPicture, type PictureEvent } from './picture-machine.ts';

/** The work that a dialog starts, one at a time, which can be cancelled. Its state is in the store. */
export class DialogWork {
  readonly #store: AppStore;
  readonly #key: 'pictureWork' | 'surfaceWork';
  #controller = new AbortController();

  constructor(store: AppStore, key: 'pictureWork' | 'surfaceWork') {
    this.#store = store;
    this.#key = key;
  }

  /** Does nothing if something is being saved. Never rejects: a fault goes to the store. */
  async run(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    if (!this.send({ kind: 'begin' })) return;
    const { signal } = this.#controller;
    try {
      await work(signal);
      if (!signal.aborted) this.send({ kind: 'finish' });
    } catch (error) {
      if (signal.aborted) return;
      const isAbort = toStriaError(error).tag === 'aborted';
      this.send(isAbort ? { kind: 'finish' } : { kind: 'fail', fault: faultToData(error) });
    }
  }

  /** @returns false if the event is ignored in this state */
  send(event: PictureEvent): boolean {
    const next = nextPicture(this.#store.getState().output[this.#key], event);
    if (!next) return false;
    if (event.kind === 'begin') this.#controller = new AbortController();
    else if (event.kind === 'cancel') this.#controller.abort();
    this.#store.setState(({ output }) => ({ output: { ...output, [this.#key]: next } }));
    return true;
  }
}
