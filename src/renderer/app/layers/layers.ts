import { faultToData, StriaError, toStriaError } from '../../../core/shared/errors.ts';
import { throwIfAborted } from '../../../core/shared/job.ts';
import { channelLayout } from '../../../core/shared/volume.ts';
import { channelLayer, channelLooks } from '../../viewer/model/channel-group.ts';
import { placeLayer } from '../../viewer/model/layer-place.ts';
import {
  baseId,
  changedLayer,
  type LayerLook,
  type LayerStack,
  mostLayers,
  movedLayer,
  noLayers,
  placeOf,
  shownOrHidden,
  volumeIdOf,
  withoutLayer,
} from '../../viewer/model/layers.ts';
import type { Engine } from '../gpu/gpu-life.ts';
import type { KeptVolume } from '../gpu/residency.ts';
import { loadResident, type OpenRequest } from '../loading/load-resident.ts';
import { isSameDocument } from '../state/document-state.ts';
import { firstLayers, type LayersState, type LayerVolume } from '../state/layer-state.ts';
import { type JobProgress, startProgress } from '../state/progress.ts';
import { partName, type SessionSource } from '../state/saved-session.ts';
import { type AppState, type AppStore, openDocument } from '../state/store.ts';
import { channelWindows } from './channels.ts';
import { firstLook } from './first-look.ts';
import { type LayerJob, type LayerLoader, type LoadedLayer, loadLayer } from './load-layer.ts';
import { type ChosenVolume, VolumeQuestion } from './volume-question.ts';

/** A volume to add, and the name of its layer. */
export interface WantedLayer {
  readonly request: OpenRequest;
  readonly name: string;
}

/**
 * The layers over the open volume. The view's state says which there are (`ViewState.layers`), so undo, sessions and a new
 * device restore them; this class makes the volumes in GPU memory follow it. It frees those of removed layers, and loads
 * those that came back. They end with the open volume and with the device.
 */
export class Layers {
  readonly #store: AppStore;
  readonly #engine: () => Engine | undefined;
  readonly #load: LayerLoader;
  /** What every layer was loaded from, also those that undo may bring back. */
  readonly #requests = new Map<string, OpenRequest>();
  readonly #volumes = new Map<string, KeptVolume>();
  readonly #jobs = new Map<string, AbortController>();
  /** What the layers of a session were made from whose files were not found. */
  readonly #lost = new Map<string, SessionSource>();
  readonly #question: VolumeQuestion;
  #adding: AbortController | undefined;
  #endFollowing = () => {};

  constructor(store: AppStore, engine: () => Engine | undefined, load: LayerLoader = loadResident) {
    this.#store = store;
    this.#engine = engine;
    this.#load = load;
    this.#question = new VolumeQuestion(store);
    store.subscribe((state, before) => {
      if (state.gpu !== before.gpu) this.#follow(state);
      const isOther = !isSameDocument(state.document, before.document);
      if (isOther) this.#closed();
      if (state.gpu !== before.gpu || isOther) this.#reconcile();
    });
  }

  /** Adds a volume as the top layer. Failures become the state. @returns whether it was added */
  async add(request: OpenRequest, name: string): Promise<boolean> {
    const engine = this.#engine();
    const document = openDocument(this.#store.getState());
    if (!engine || !document) return false;
    this.cancelAdding();
    const controller = new AbortController();
    this.#adding = controller;
    const { signal } = controller;
    this.#change({ adding: { kind: 'loading', name, progress: startProgress('Opening', undefined, performance.now()) } });
    let loaded: LoadedLayer | undefined;
    try {
      if (this.#stack.layers.length >= mostLayers)
        throw new StriaError('unsupported', `there are ${mostLayers} layers already. Remove one first`);
      const onProgress = (progress: JobProgress) => this.#change({ adding: { kind: 'loading', name, progress } });
      const found = await this.#loadOne(engine, { request, name }, { signal, onProgress });
      loaded = found.loaded;
      const id = this.#newId();
      const first = this.#firstLook(id, found.name, loaded);
      const looks = await this.#looksOf(engine, first, loaded);
      throwIfAborted(signal);
      this.#requests.set(id, found.request);
      const ready = loaded;
      // From here on it is freed with the others.
      loaded = undefined;
      this.#keep(engine, id, ready);
      this.#change({ adding: { kind: 'none' }, chosen: id });
      this.#adding = undefined;
      this.#set({ ...this.#stack, layers: [...this.#stack.layers, ...looks] });
      return true;
    } catch (error) {
      loaded?.kept.destroy();
      if (this.#adding !== controller) return false;
      this.#adding = undefined;
      const isOver = signal.aborted || ['aborted', 'device-lost'].includes(toStriaError(error).tag);
      this.#change({ adding: isOver ? { kind: 'none' } : { kind: 'failed', name, fault: faultToData(error) } });
      return false;
    }
  }

  /** Loads a volume, or that of several which the user chooses. @throws StriaError as `loadLayer` */
  async #loadOne(engine: Engine, wanted: WantedLayer, job: LayerJob): Promise<WantedLayer & { readonly loaded: LoadedLayer }> {
    const { request, name } = wanted;
    try {
      return { ...wanted, loaded: await loadLayer(this.#load, engine, request, job) };
    } catch (error) {
      if (request.kind !== 'file' || toStriaError(error).tag !== 'several') throw error;
      const { id, label } = await this.#question.ask(request.file, name, job.signal);
      this.#change({ adding: { kind: 'loading', name, progress: startProgress('Opening', undefined, performance.now()) } });
      const chosen = { ...request, dataset: id, label };
      const loaded = await loadLayer(this.#load, engine, chosen, job);
      return { request: chosen, name: `${name} · ${label || id}`, loaded };
    }
  }

  /** Answers which of a file's volumes to add. */
  chooseVolume(chosen: ChosenVolume): void {
    this.#question.choose(chosen);
  }

  /** Adds volumes, one after the other. Ends with the first that is not added: after a cancel, with the document. */
  async addAll(volumes: readonly WantedLayer[]): Promise<void> {
    for (const { request, name } of volumes) if (!(await this.add(request, name))) return;
  }

  /** Stops adding a file, or removes the words that it failed. */
  cancelAdding(): void {
    this.#adding?.abort();
    this.#adding = undefined;
    if (this.#store.getState().layers.adding.kind !== 'none') this.#change({ adding: { kind: 'none' } });
  }

  /** Gives what the layers of a restored view are loaded from. @param lost what those were made from whose files were not found */
  restore(requests: ReadonlyMap<string, OpenRequest>, lost: ReadonlyMap<string, SessionSource> = new Map()): void {
    for (const [id, source] of lost) this.#lost.set(id, source);
    for (const [id, request] of requests) {
      this.#requests.set(id, request);
      this.#lost.delete(id);
    }
    this.#reconcile();
  }

  /** What a layer was made from, if its files were not found. */
  lostSourceOf(id: string): SessionSource | undefined {
    return this.#lost.get(id);
  }

  /** What a volume (`volumeIdOf`) was loaded from. */
  requestOf(id: string): OpenRequest | undefined {
    return this.#requests.get(id);
  }

  /** The voxels under an id (`volumeIdOf`), once they are loaded. */
  volumeOf(id: string): KeptVolume | undefined {
    return this.#volumes.get(id);
  }

  choose(id: string | undefined): void {
    if (id !== this.#store.getState().layers.chosen) this.#change({ chosen: id });
  }

  change(id: string, change: Partial<Omit<LayerLook, 'id'>>): void {
    this.#set(changedLayer(this.#stack, id, change));
  }

  changeBase(change: Partial<LayerStack['base']>): void {
    this.#set({ ...this.#stack, base: { ...this.#stack.base, ...change } });
  }

  /** An empty name changes nothing. */
  rename(id: string, name: string): void {
    const trimmed = name.trim().slice(0, 200);
    if (trimmed !== '') this.change(id, { name: trimmed });
  }

  /** Moves a layer to a place, 0 being the lowest. */
  moveTo(id: string, place: number): void {
    this.#set(movedLayer(this.#stack, id, place));
  }

  /** Shows or hides a layer, or the open volume. Ends a solo. */
  toggle(id: string): void {
    this.#set(shownOrHidden({ ...this.#stack, solo: undefined }, id));
  }

  toggleChosen(): void {
    const { chosen } = this.#store.getState().layers;
    if (chosen !== undefined) this.toggle(chosen);
  }

  /** Shows only the chosen layer, or all visible ones again. */
  soloChosen(): void {
    const { chosen } = this.#store.getState().layers;
    this.#set({ ...this.#stack, solo: this.#stack.solo === chosen ? undefined : chosen });
  }

  /** @param by 1: up, −1: down */
  moveChosen(by: 1 | -1): void {
    const { chosen } = this.#store.getState().layers;
    const at = placeOf(this.#stack, chosen);
    if (chosen !== undefined && at) this.moveTo(chosen, at.place + by);
  }

  removeChosen(): void {
    const { chosen } = this.#store.getState().layers;
    if (chosen === undefined) return;
    const { layers, meshes } = this.#stack;
    const list = meshes.some(({ id }) => id === chosen) ? meshes : layers;
    const at = list.findIndex(({ id }) => id === chosen);
    this.#set(withoutLayer(this.#stack, chosen));
    this.choose((list[at - 1] ?? list[at + 1])?.id);
  }

  get #stack(): LayerStack {
    return this.#engine()?.viewer.snapshot().state.layers ?? noLayers;
  }

  /** One layer, or one for each channel, which share its voxels. */
  async #looksOf(engine: Engine, first: LayerLook, { kept, statistics }: LoadedLayer): Promise<readonly LayerLook[]> {
    const { info } = kept;
    const { channelCount } = channelLayout(info);
    if (channelCount < 2 || first.colormap === 'labels' || this.#stack.layers.length + channelCount > mostLayers) return [first];
    const looks = channelLooks(info, statistics);
    const windows = await channelWindows(engine.gpu, kept, looks);
    return looks.map((look, channel) => {
      const { id } = first;
      const name = `${first.name} · ${look.name}`;
      const shared = channel === 0 ? undefined : id;
      const window = windows[channel] ?? first.window;
      return channelLayer(channel === 0 ? id : `${id}.${channel + 1}`, shared, channel, { ...look, name }, window);
    });
  }

  #firstLook(id: string, name: string, { kept, statistics, labels }: LoadedLayer): LayerLook {
    const images = this.#stack.layers.filter(({ colormap }) => colormap !== 'labels').length;
    return firstLook({ id, name }, kept.info, statistics, images, labels);
  }

  #set(layers: LayerStack): void {
    this.#engine()?.viewer.set({ layers });
  }

  #newId(): string {
    const taken = new Set([
      ...this.#requests.keys(),
      ...this.#lost.keys(),
      ...this.#stack.layers.flatMap((look) => [look.id, volumeIdOf(look)]),
    ]);
    let number = 1;
    while (taken.has(`layer-${number}`)) number++;
    return `layer-${number}`;
  }

  /** Another device, or none: all volumes are gone, and what is loading ends. */
  #follow({ gpu }: AppState): void {
    this.#endFollowing();
    this.#endFollowing = () => {};
    if (gpu.kind !== 'ready') {
      this.#free();
      this.cancelAdding();
      return;
    }
    const { viewer } = gpu;
    const follow = () => {
      const { layers: stack } = viewer.snapshot().state;
      if (stack === this.#store.getState().layers.stack) return;
      this.#change({ stack });
      this.#reconcile();
    };
    this.#endFollowing = viewer.subscribe(follow);
    follow();
  }

  /** Another document, or none. */
  #closed(): void {
    this.cancelAdding();
    this.#free();
    this.#requests.clear();
    this.#lost.clear();
    this.#change({ ...firstLayers, stack: this.#stack });
  }

  #free(): void {
    for (const job of this.#jobs.values()) job.abort();
    this.#jobs.clear();
    const volumes = [...this.#volumes.values()];
    this.#volumes.clear();
    this.#engine()?.viewer.setLayers(new Map());
    for (const volume of volumes) volume.destroy();
    this.#change({ volumes: {} });
  }

  /** Makes the volumes follow the view. */
  #reconcile(): void {
    const state = this.#store.getState();
    const engine = this.#engine();
    if (!engine || state.gpu.kind !== 'ready' || state.gpu.viewer !== engine.viewer || !openDocument(state)) return;
    const ids = new Set(this.#stack.layers.map(volumeIdOf));
    this.#tellBase(ids.delete(baseId));
    const removed = [...this.#volumes].filter(([id]) => !ids.has(id));
    for (const [id] of removed) this.#volumes.delete(id);
    if (removed.length > 0) engine.viewer.setLayers(new Map(this.#volumes));
    for (const [, volume] of removed) volume.destroy();
    for (const [id, job] of this.#jobs) {
      if (ids.has(id)) continue;
      job.abort();
      this.#jobs.delete(id);
    }
    const { volumes } = this.#store.getState().layers;
    const left = Object.entries(volumes).filter(([id]) => id === baseId || ids.has(id));
    if (left.length < Object.keys(volumes).length) this.#change({ volumes: Object.fromEntries(left) });
    for (const id of ids) {
      const request = this.#requests.get(id);
      const { kind } = this.#store.getState().layers.volumes[id] ?? {};
      const lost = this.#lost.get(id);
      const isKnown = this.#volumes.has(id) || this.#jobs.has(id) || (kind !== undefined && kind !== 'lost');
      if (request && !isKnown) void this.#loadAgain(engine, id, request);
      else if (lost && kind === undefined) this.#tellLost(id, lost);
    }
  }

  #tellLost(id: string, source: SessionSource): void {
    const files = 'files' in source ? source.files.map(partName) : [];
    this.#change({ volumes: { ...this.#store.getState().layers.volumes, [id]: { kind: 'lost', files } } });
  }

  /** Panels find the open volume among those of the layers while some show its channels. */
  #tellBase(hasChannels: boolean): void {
    const state = this.#store.getState();
    const { [baseId]: base, ...others } = state.layers.volumes;
    const document = openDocument(state);
    if (!hasChannels || !document) {
      if (base) this.#change({ volumes: others });
    } else if (base?.kind !== 'ready' || base.info !== document.info) {
      const { info, format, labels } = document;
      this.#change({ volumes: { ...others, [baseId]: { kind: 'ready', info, format, placedBy: 'voxels', labels } } });
    }
  }

  /** Loads a layer that the view has: after undo, from a session, on a new device. */
  async #loadAgain(engine: Engine, id: string, request: OpenRequest): Promise<void> {
    const controller = new AbortController();
    this.#jobs.set(id, controller);
    const { signal } = controller;
    const show = (volume: LayerVolume) => this.#change({ volumes: { ...this.#store.getState().layers.volumes, [id]: volume } });
    show({ kind: 'loading', progress: startProgress('Opening', undefined, performance.now()) });
    try {
      const onProgress = (progress: JobProgress) => show({ kind: 'loading', progress });
      this.#keep(engine, id, await loadLayer(this.#load, engine, request, { signal, onProgress }));
    } catch (error) {
      if (!signal.aborted && toStriaError(error).tag !== 'device-lost') show({ kind: 'failed', fault: faultToData(error) });
    } finally {
      if (this.#jobs.get(id) === controller) this.#jobs.delete(id);
    }
  }

  /** @throws StriaError `aborted` if the volume was closed; the layer is then freed */
  #keep(engine: Engine, id: string, { kept, format, labels }: LoadedLayer): void {
    const base = openDocument(this.#store.getState());
    if (!base || this.#engine() !== engine) {
      kept.destroy();
      throw new StriaError('aborted', 'the volume was closed');
    }
    this.#volumes.set(id, kept);
    engine.viewer.setLayers(new Map(this.#volumes));
    const { by: placedBy } = placeLayer(base.info, kept.info);
    const volume: LayerVolume = { kind: 'ready', info: kept.info, format, placedBy, labels };
    this.#change({ volumes: { ...this.#store.getState().layers.volumes, [id]: volume } });
  }

  #change(change: Partial<LayersState>): void {
    this.#store.setState(({ layers }) => ({ layers: { ...layers, ...change } }));
  }
}
