import { type LayerStack, noLayers } from '../../viewer/model/layers.ts';
import type { Engine } from '../gpu/gpu-life.ts';
import type { LayersState } from '../state/layer-state.ts';
import type { AppStore } from '../state/store.ts';

/** The layers of the view, and the state that panels show of them. */
export class LayerList {
  readonly store: AppStore;
  readonly #engine: () => Engine | undefined;

  constructor(store: AppStore, engine: () => Engine | undefined) {
    this.store = store;
    this.#engine = engine;
  }

  /** The engine; undefined while there is no device. */
  get engine(): Engine | undefined {
    return this.#engine();
  }

  /** The looks of the view; none while there is no device. */
  get stack(): LayerStack {
    return this.engine?.viewer.snapshot().state.layers ?? noLayers;
  }

  set stack(layers: LayerStack) {
    this.engine?.viewer.set({ layers });
  }

  get state(): LayersState {
    return this.store.getState().layers;
  }

  change(change: Partial<LayersState>): void {
    this.store.setState(({ layers }) => ({ layers: { ...layers, ...change } }));
  }
}
