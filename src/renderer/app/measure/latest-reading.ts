import { type FaultData, faultToData } from '../../../core/shared/errors.ts';
import type { AppState, AppStore } from '../state/store.ts';

/** Data that is read from volumes in GPU memory. */
export interface Reading<Found> {
  /** The parts of the state that it depends on. It may also depend on anything in the view. */
  readonly follows: readonly (keyof AppState)[];
  /** A key of everything that it depends on; empty if there is nothing to read. */
  keyOf(state: AppState): string;
  /** @param isWanted false once the key has changed; reading may then end early, with undefined */
  read(isWanted: () => boolean): Promise<Found | undefined>;
  /** @param fault why nothing was found, if reading failed */
  show(found: Found | undefined, fault?: FaultData): void;
}

/** Keeps a reading up to date. Reads one at a time; if the key changed meanwhile, it reads again. */
export class LatestReading<Found> {
  readonly #store: AppStore;
  readonly #reading: Reading<Found>;
  #wanted = '';
  /** Counts changes of the key. The same key may mean another volume after there was nothing to read. */
  #turn = 0;
  #emptied = 0;
  #isReading = false;
  #endFollowing = () => {};

  constructor(store: AppStore, reading: Reading<Found>) {
    this.#store = store;
    this.#reading = reading;
    store.subscribe((state, before) => {
      if (state.gpu !== before.gpu) this.#follow(state);
      if (reading.follows.some((key) => state[key] !== before[key])) this.#update();
    });
  }

  #follow({ gpu }: AppState): void {
    this.#endFollowing();
    this.#endFollowing = gpu.kind === 'ready' ? gpu.viewer.subscribe(() => this.#update()) : () => {};
  }

  #update(): void {
    const key = this.#reading.keyOf(this.#store.getState());
    if (key === this.#wanted) return;
    this.#wanted = key;
    this.#turn++;
    if (key === '') {
      this.#emptied = this.#turn;
      this.#reading.show(undefined);
    }
    if (!this.#isReading) void this.#readAll();
  }

  async #readAll(): Promise<void> {
    this.#isReading = true;
    try {
      for (let turn = 0; this.#wanted !== '' && turn !== this.#turn; ) {
        const begun = this.#turn;
        turn = begun;
        const isWanted = () => begun === this.#turn;
        try {
          const found = await this.#reading.read(isWanted);
          // While a line is being dragged, show the latest result even if it is outdated.
          if (isWanted() || (found && this.#emptied < begun)) this.#reading.show(found);
        } catch (error) {
          // An outdated reading may fail, since its volume or device may be gone.
          if (isWanted()) this.#reading.show(undefined, faultToData(error));
        }
      }
    } finally {
      this.#isReading = false;
    }
  }
}
