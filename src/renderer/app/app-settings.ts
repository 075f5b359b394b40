import { withTuning } from './state/gpu-tuning.ts';
import { defaultSettings, type Settings, writeSettings } from './state/settings.ts';
import type { AppStore } from './state/store.ts';

/** Changes the settings in the store, and saves them. */
export class AppSettings {
  readonly #store: AppStore;
  readonly #storage: Storage | undefined;

  constructor(store: AppStore, storage: Storage | undefined) {
    this.#store = store;
    this.#storage = storage;
  }

  get current(): Settings {
    return this.#store.getState().settings;
  }

  readonly set = (change: Partial<Settings>): void => {
    const settings = { ...this.current, ...change };
    this.#store.setState({ settings });
    writeSettings(this.#storage, settings);
  };

  /** Resets all settings except the layout and the inspector. */
  reset(): void {
    const { layout, inspectorOpen, inspectorWidth, inspectorTab, foldedSections, introduced } = this.current;
    this.set({ ...defaultSettings, layout, inspectorOpen, inspectorWidth, inspectorTab, foldedSections, introduced });
  }

  /** Resets the workgroup sizes of this GPU to the defaults. */
  resetTuning(): void {
    const { gpu } = this.#store.getState();
    const adapter = gpu.kind === 'ready' ? gpu.gpu.diagnosis.adapter : undefined;
    if (adapter) this.set({ tunings: withTuning(this.current.tunings, adapter, undefined) });
  }

  showInspector(inspectorTab: Settings['inspectorTab']): void {
    this.set({ inspectorTab, inspectorOpen: true });
  }
}
