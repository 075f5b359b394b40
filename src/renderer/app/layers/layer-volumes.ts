import { faultToData, StriaError, toStriaError } from '../../../core/shared/errors.ts';
import { placeLayer } from '../../viewer/model/layer-place.ts';
import { baseId, volumeIdOf } from '../../viewer/model/layers.ts';
import type { Engine } from '../gpu/gpu-life.ts';
import type { KeptVolume } from '../gpu/residency.ts';
import type { OpenRequest } from '../loading/load-resident.ts';
import { isSameDocument } from '../state/document-state.ts';
import { firstLayers, type LayerVolume } from '../state/layer-state.ts';
import { type JobProgress, startProgress } from '../state/progress.ts';
import { partName, type SessionSource } from '../state/saved-session.ts';
import { type AppState, openDocument } from '../state/store.ts';
import type { LayerList } from './layer-list.ts';
import { freeLayer, type LayerLoader, type LoadedLayer, loadLayer } from './load-layer.ts';

/**
 * Keeps the volumes of layers in GPU memory in step with the view: frees those of removed layers, and loads those that undo, a session or
 * a new device brings back. All are freed when the open volume is closed or the device is lost.
 */
export class LayerVolumes {
  readonly #list: LayerList;
  readonly #load: LayerLoader;
  /** The request that each layer was loaded from, including layers that undo may bring back. */
  readonly #requests = new Map<string, OpenRequest>();
  readonly #volumes = new Map<string, Pick<LoadedLayer, 'kept' | 'bricks'>>();
  readonly #jobs = new Map<string, AbortController>();
  /** The sources of a session's layers whose files were not found. */
  readonly #lost = new Map<string, SessionSource>();
  #endFollowing = () => {};

  constructor(list: LayerList, load: LayerLoader) {
    this.#list = list;
    this.#load = load;
    list.store.subscribe((state, before) => {
      if (state.gpu !== before.gpu) this.#follow(state);
      const isOther = !isSameDocument(state.document, before.document);
      if (isOther) this.#closed();
      if (state.gpu !== before.gpu || isOther) this.#reconcile();
    });
  }

  /** The voxels under an id (`volumeIdOf`), once they are loaded. */
  volumeOf(id: string): KeptVolume | undefined {
    return this.#volumes.get(id)?.kept;
  }

  /** The request that a volume (`volumeIdOf`) was loaded from. */
  requestOf(id: string): OpenRequest | undefined {
    return this.#requests.get(id);
  }

  /** The source of a layer whose files were not found. */
  lostSourceOf(id: string): SessionSource | undefined {
    return this.#lost.get(id);
  }

  /** Takes the requests that load the layers of a restored view. @param lost the sources of layers whose files were not found */
  restore(requests: ReadonlyMap<string, OpenRequest>, lost: ReadonlyMap<string, SessionSource> = new Map()): void {
    for (const [id, source] of lost) this.#lost.set(id, source);
    for (const [id, request] of requests) {
      this.#requests.set(id, request);
      this.#lost.delete(id);
    }
    this.#reconcile();
  }

  /** An id that no layer has or had. */
  newId(): string {
    const taken = new Set([
      ...this.#requests.keys(),
      ...this.#lost.keys(),
      ...this.#list.stack.layers.flatMap((look) => [look.id, volumeIdOf(look)]),
    ]);
    let number = 1;
    while (taken.has(`layer-${number}`)) number++;
    return `layer-${number}`;
  }

  /**
   * Takes ownership of a volume that was loaded for an engine, and shows it. It is freed with the others.
   * @throws StriaError `aborted` if the open volume was closed; the layer's volume is then freed
   */
  keep(engine: Engine, id: string, request: OpenRequest, loaded: LoadedLayer): void {
    const { kept, bricks, format, labels } = loaded;
    const base = openDocument(this.#list.store.getState());
    if (!base || this.#list.engine !== engine) {
      freeLayer(loaded);
      throw new StriaError('aborted', 'the volume was closed');
    }
    this.#requests.set(id, request);
    this.#volumes.set(id, { kept, bricks });
    this.#give(engine);
    const { by: placedBy } = placeLayer(base.info, kept.info);
    this.#show(id, { kind: 'ready', info: kept.info, format, placedBy, decimation: kept.decimation, labels });
  }

  /** Follows the views of a new device. Without a device, frees all volumes and stops loading. */
  #follow({ gpu }: AppState): void {
    this.#endFollowing();
    this.#endFollowing = () => {};
    if (gpu.kind !== 'ready') {
      this.#free();
      return;
    }
    const { viewer } = gpu;
    const follow = () => {
      const { layers: stack } = viewer.snapshot().state;
      if (stack === this.#list.state.stack) return;
      this.#list.change({ stack });
      this.#reconcile();
    };
    this.#endFollowing = viewer.subscribe(follow);
    follow();
  }

  /** The open volume was closed or replaced. */
  #closed(): void {
    this.#free();
    this.#requests.clear();
    this.#lost.clear();
    this.#list.change({ ...firstLayers, stack: this.#list.stack });
  }

  #free(): void {
    for (const job of this.#jobs.values()) job.abort();
    this.#jobs.clear();
    const volumes = [...this.#volumes.values()];
    this.#volumes.clear();
    this.#list.engine?.viewer.setLayers(new Map());
    for (const volume of volumes) freeLayer(volume);
    this.#list.change({ volumes: {} });
  }

  /** Gives the viewer the volumes, and the bricks of those that are larger than memory. */
  #give({ viewer }: Engine): void {
    const bricks = [...this.#volumes].flatMap(([id, volume]) => (volume.bricks ? [[id, volume.bricks] as const] : []));
    viewer.setLayers(new Map([...this.#volumes].map(([id, { kept }]) => [id, kept])), new Map(bricks));
  }

  /** Makes the volumes follow the view. */
  #reconcile(): void {
    const { engine, stack, store } = this.#list;
    const state = store.getState();
    if (!engine || state.gpu.kind !== 'ready' || state.gpu.viewer !== engine.viewer || !openDocument(state)) return;
    const ids = new Set(stack.layers.map(volumeIdOf));
    this.#tellBase(ids.delete(baseId));
    this.#freeOthers(engine, ids);
    for (const id of ids) {
      const request = this.#requests.get(id);
      const { kind } = this.#list.state.volumes[id] ?? {};
      const lost = this.#lost.get(id);
      const isKnown = this.#volumes.has(id) || this.#jobs.has(id) || (kind !== undefined && kind !== 'lost');
      if (request && !isKnown) void this.#loadAgain(engine, id, request);
      else if (lost && kind === undefined) this.#tellLost(id, lost);
    }
  }

  /** Frees the volumes of all layers but these, and stops loading them. */
  #freeOthers(engine: Engine, ids: ReadonlySet<string>): void {
    const removed = [...this.#volumes].filter(([id]) => !ids.has(id));
    for (const [id] of removed) this.#volumes.delete(id);
    if (removed.length > 0) this.#give(engine);
    for (const [, volume] of removed) freeLayer(volume);
    for (const [id, job] of this.#jobs) {
      if (ids.has(id)) continue;
      job.abort();
      this.#jobs.delete(id);
    }
    const { volumes } = this.#list.state;
    const left = Object.entries(volumes).filter(([id]) => id === baseId || ids.has(id));
    if (left.length < Object.keys(volumes).length) this.#list.change({ volumes: Object.fromEntries(left) });
  }

  #tellLost(id: string, source: SessionSource): void {
    const files = 'files' in source ? source.files.map(partName) : [];
    this.#show(id, { kind: 'lost', files });
  }

  /** Lists the open volume among those of the layers while layers show its channels. */
  #tellBase(hasChannels: boolean): void {
    const { [baseId]: base, ...others } = this.#list.state.volumes;
    const document = openDocument(this.#list.store.getState());
    if (!hasChannels || !document) {
      if (base) this.#list.change({ volumes: others });
    } else if (base?.kind !== 'ready' || base.info !== document.info || base.decimation !== document.decimation) {
      const { info, format, decimation, labels } = document;
      this.#show(baseId, { kind: 'ready', info, format, placedBy: 'voxels', decimation, labels });
    }
  }

  /** Loads a listed layer: after undo, from a session, or on a new device. */
  async #loadAgain(engine: Engine, id: string, request: OpenRequest): Promise<void> {
    const controller = new AbortController();
    this.#jobs.set(id, controller);
    const { signal } = controller;
    this.#show(id, { kind: 'loading', progress: startProgress('Opening', undefined, performance.now()) });
    try {
      const onProgress = (progress: JobProgress) => this.#show(id, { kind: 'loading', progress });
      this.keep(engine, id, request, await loadLayer(this.#load, engine, request, { signal, onProgress }));
    } catch (error) {
      if (!signal.aborted && toStriaError(error).tag !== 'device-lost')
        this.#show(id, { kind: 'failed', fault: faultToData(error) });
    } finally {
      if (this.#jobs.get(id) === controller) this.#jobs.delete(id);
    }
  }

  /** Tells panels about a volume. */
  #show(id: string, volume: LayerVolume): void {
    this.#list.change({ volumes: { ...this.#list.state.volumes, [id]: volume } });
  }
}
