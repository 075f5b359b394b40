import { type LayerStack, noLayers } from '../../viewer/model/layers.ts';
import type { ViewState } from '../../viewer/model/viewer-api.ts';
import type { OpenDocument } from './document-state.ts';
import { History, type MembersOf, type Snapshot } from './history.ts';
import type { Settings } from './settings.ts';
import { type AppState, type AppStore, openDocument } from './store.ts';

/** Parts of the view that are not undone, since they change constantly, even during playback. */
const passing: readonly string[] = ['crosshair', 'timePoint'] satisfies readonly (keyof ViewState)[];
/** Settings that belong to the work on a volume. Others, such as the theme, are not undone. */
const settingKeys = ['codec', 'axis', 'prefer', 'effort'] as const satisfies readonly (keyof Settings)[];
const stateKeys = ['showChunks', 'measurements'] as const satisfies readonly (keyof AppState)[];
/** Creating, renaming and deleting measurements are separate steps, however quick. */
const separateKeys = ['measurements'] satisfies readonly (keyof AppState)[];

/** Adding, removing and moving layers are separate steps; a change of a layer's look may be a part of a drag. */
const membersOf: MembersOf = (key, value) => {
  if (key !== 'layers') return undefined;
  const { layers, meshes } = (value ?? noLayers) as LayerStack;
  return [...layers, ...meshes].map(({ id }) => id);
};

/** Names of steps whose key is not a good name: `Undo: window and level`. */
const names: Readonly<Record<string, string>> = {
  window: 'window and level',
  level: 'isosurface level',
  colormap: 'colormap',
  inverted: 'inverted colormap',
  outside: 'values outside the window',
  clip: 'clip planes',
  cut: 'oblique clip plane',
  axis: 'run axis',
  prefer: 'codec preference',
  camera: 'camera projection',
  smooth: 'slice interpolation',
  slab: 'slab',
  sliceSlabs: 'slabs',
  oblique: 'oblique slice',
  layers: 'layers',
  showChunks: 'chunk overlay',
};

/** Undo and redo of everything that can be set while a volume is open. New parts of the view are included automatically. */
export class Undo {
  readonly #store: AppStore;
  readonly #set: (change: Partial<Settings>) => void;
  readonly #history = new History(undefined, separateKeys, membersOf);
  #document: OpenDocument | undefined;
  #endFollowing = () => {};
  #isNoting = false;
  #gesture: number | undefined;
  #gestures = 0;

  /** @param set changes and saves settings */
  constructor(store: AppStore, set: (change: Partial<Settings>) => void) {
    this.#store = store;
    this.#set = set;
    store.subscribe((state, before) => {
      if (state.gpu !== before.gpu) this.#follow(state);
      if (state.document !== before.document || state.settings !== before.settings || isOther(state, before)) this.#note();
    });
  }

  /** All changes between begin and end are one drag. */
  readonly beginGesture = (): void => {
    this.#gesture = ++this.#gestures;
  };
  readonly endGesture = (): void => {
    this.#gesture = undefined;
  };

  undo(): void {
    this.#apply(this.#history.undo());
  }

  redo(): void {
    this.#apply(this.#history.redo());
  }

  #follow({ gpu }: AppState): void {
    this.#endFollowing();
    this.#endFollowing = gpu.kind === 'ready' ? gpu.viewer.subscribe(() => this.#note()) : () => {};
  }

  /** All changes within one task are one step. */
  #note(): void {
    if (this.#isNoting) return;
    this.#isNoting = true;
    const gesture = this.#gesture;
    queueMicrotask(() => {
      this.#isNoting = false;
      const state = this.#store.getState();
      const document = openDocument(state);
      // Another volume starts a new history. A volume without a device comes back unchanged.
      if (document === undefined || state.gpu.kind === 'ready') this.#noteNow(state, document, gesture);
    });
  }

  #noteNow(state: AppState, document: OpenDocument | undefined, gesture: number | undefined): void {
    const now = document ? snapshotOf(state) : {};
    if (document?.opened === this.#document?.opened) this.#history.record(now, { atMs: performance.now(), gesture });
    else this.#history.clear(now);
    this.#document = document;
    this.#show();
  }

  #show(): void {
    const undo = nameOf(this.#history.undoKeys);
    const redo = nameOf(this.#history.redoKeys);
    const before = this.#store.getState().undo;
    if (undo !== before.undo || redo !== before.redo) this.#store.setState({ undo: { undo, redo } });
  }

  #apply(change: Snapshot | undefined): void {
    const { gpu } = this.#store.getState();
    if (!change || gpu.kind !== 'ready') return;
    const { layout, settings, state, view } = partsOf(change);
    if (layout?.sliceAxis) this.#store.setState({ sliceAxis: layout.sliceAxis });
    this.#store.setState(state);
    if (layout || Object.keys(settings).length > 0) this.#set({ ...settings, ...(layout && { layout: layout.layout }) });
    gpu.viewer.set(view);
    this.#show();
  }
}

type ShownLayout = Pick<Settings, 'layout'> & Partial<Pick<AppState, 'sliceAxis'>>;

function isOther(state: AppState, before: AppState): boolean {
  return state.sliceAxis !== before.sliceAxis || stateKeys.some((key) => state[key] !== before[key]);
}

function snapshotOf(state: AppState): Snapshot {
  const { settings, sliceAxis, gpu } = state;
  const view = gpu.kind === 'ready' ? gpu.viewer.snapshot().state : {};
  // Hovering over a slice selects its axis, which counts as a step only in the one-slice layout.
  const layout: ShownLayout = { layout: settings.layout, ...(settings.layout === 'slice' && { sliceAxis }) };
  return Object.fromEntries([
    ...Object.entries(view).filter(([key]) => !passing.includes(key)),
    ...stateKeys.map((key) => [key, state[key]]),
    ...settingKeys.map((key) => [key, settings[key]]),
    ['layout', layout],
  ]);
}

function partsOf({ layout, ...rest }: Snapshot) {
  const part = (isIn: (key: string) => boolean): Snapshot =>
    Object.fromEntries(Object.entries(rest).filter(([key]) => isIn(key)));
  const isSetting = (key: string): boolean => settingKeys.includes(key as (typeof settingKeys)[number]);
  const isState = (key: string): boolean => stateKeys.includes(key as (typeof stateKeys)[number]);
  return {
    layout: layout as ShownLayout | undefined,
    settings: part(isSetting) as Partial<Settings>,
    state: part(isState) as Partial<AppState>,
    view: part((key) => !isSetting(key) && !isState(key)) as Partial<ViewState>,
  };
}

/** `[]` gives undefined; `['outOfRange']` gives 'out of range'. */
function nameOf(keys: readonly string[]): string | undefined {
  const words = (key: string): string => names[key] ?? key.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  const [first, ...others] = keys.map(words);
  return others.length > 0 ? `${first} and more` : first;
}
