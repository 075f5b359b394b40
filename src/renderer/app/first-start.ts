import type { SampleChoice } from './state/samples.ts';
import { sampleTitle } from './state/samples.ts';
import type { Settings } from './state/settings.ts';
import { isReady } from './state/shown.ts';
import { type AppState, type AppStore, openDocument } from './state/store.ts';
import { isRunning } from './when.ts';

/** A sample that is small enough for any GPU and compresses very well. */
export const firstSample: SampleChoice = { kind: 'potential', side: 128 };

export interface FirstStartNeeds {
  readonly store: AppStore;
  readonly open: (sample: SampleChoice) => void;
  readonly compress: () => void;
  readonly cancel: () => void;
  readonly set: (change: Pick<Settings, 'introduced'>) => void;
}

/** The introduction at the first start, and only then: opens a sample, compresses it and shows three hints. */
export class FirstStart {
  readonly #needs: FirstStartNeeds;
  #stop: (() => void) | undefined;

  constructor(needs: FirstStartNeeds) {
    this.#needs = needs;
  }

  /** Call this once the GPU and recent files are known. Does nothing if Stria was used before, or was started with a file. */
  begin(): void {
    const { store, open, set } = this.#needs;
    const { settings, gpu, document, recent, queue } = store.getState();
    if (settings.introduced || gpu.kind !== 'ready') return;
    if (document.kind !== 'empty' || recent.length > 0 || queue.length > 0) return;
    set({ introduced: true });
    store.setState({ hints: true });
    this.#stop = store.subscribe(this.#follow());
    open(firstSample);
  }

  /** Hides the hints. The sample stays open. */
  end(): void {
    this.#stop?.();
    this.#stop = undefined;
    this.#needs.store.setState({ hints: false });
  }

  /** Ends the introduction because something else will be opened, so that nobody is asked about the sample. @returns whether it was open */
  makeWay(): boolean {
    if (!this.#stop) return false;
    this.end();
    if (isRunning(this.#needs.store.getState())) this.#needs.cancel();
    return true;
  }

  /** Compresses the sample once it is open, and ends the introduction when it is closed. */
  #follow(): (state: AppState) => void {
    const title = sampleTitle(firstSample);
    let isOpen = false;
    let isCompressed = false;
    return (state) => {
      const name = 'name' in state.document ? state.document.name : openDocument(state)?.name;
      if (name !== title) {
        if (isOpen) this.end();
        return;
      }
      isOpen = true;
      if (isCompressed || !isReady(state) || isRunning(state)) return;
      isCompressed = true;
      this.#needs.compress();
    };
  }
}
