import { default3d, defaultColors } from './model/auto-view.ts';
import { fittedView } from './model/fitted-view.ts';
import { noLayers } from './model/layers.ts';
import type { ViewerSnapshot, ViewState } from './model/viewer-api.ts';

const initialState: ViewState = {
  ...default3d,
  ...defaultColors,
  projection: 'mip',
  window: [0, 255],
  level: 127,
  colormap: 'gray',
  opacity: [
    [0, 0],
    [1, 1],
  ],
  crosshair: [0, 0, 0],
  timePoint: 0,
  smooth: false,
  slab: { kind: 'none', thickness: 5 },
  sliceSlabs: undefined,
  oblique: { turn: 0, tilt: 0 },
  layers: noLayers,
};

/** The snapshot that panels read, and its subscribers. */
export class SnapshotStore {
  readonly #listeners = new Set<() => void>();
  #snapshot: ViewerSnapshot = {
    info: undefined,
    state: initialState,
    probe: undefined,
    decimation: 1,
    detailFaults: {},
    layersAt: 1,
    missingIn3d: [],
  };

  readonly snapshot = (): ViewerSnapshot => this.#snapshot;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  get state(): ViewState {
    return this.#snapshot.state;
  }

  /** The state with crosshair, time point and window fitted to the open volume. */
  fitted(state: ViewState): ViewState {
    return fittedView(state, this.#snapshot.info, this.#snapshot.state);
  }

  change(change: Partial<ViewerSnapshot>): void {
    this.#snapshot = { ...this.#snapshot, ...change };
    for (const listener of this.#listeners) listener();
  }

  /** Replaces the state without notifying subscribers, for use at frame rate. The next `change` notifies them. */
  advance(state: ViewState): void {
    this.#snapshot = { ...this.#snapshot, state };
  }

  end(): void {
    this.#listeners.clear();
  }
}
