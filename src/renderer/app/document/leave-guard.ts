import type { AppStore } from '../state/store.ts';
import { lostWithDocument } from './unfinished.ts';

/** Asks before the open volume is closed, or another one takes its place, if that would lose unfinished work. */
export class LeaveGuard {
  readonly #store: AppStore;
  #leave: (() => void) | undefined;

  constructor(store: AppStore) {
    this.#store = store;
    // Escape, or a click outside the question, answers no.
    store.subscribe(({ overlay }, before) => {
      if (before.overlay === 'leave' && overlay !== 'leave') this.#leave = undefined;
    });
  }

  /** Calls `leave` at once if nothing would be lost. Otherwise asks first; a later question replaces an earlier one. */
  before(leave: () => void): void {
    const losses = lostWithDocument(this.#store.getState());
    if (losses.length === 0) {
      leave();
      return;
    }
    this.#leave = leave;
    this.#store.setState({ overlay: 'leave', losses });
  }

  /** The user accepts the loss. */
  leave(): void {
    const leave = this.#leave;
    this.stay();
    leave?.();
  }

  stay(): void {
    if (this.#store.getState().overlay === 'leave') this.#store.setState({ overlay: 'none' });
  }
}
