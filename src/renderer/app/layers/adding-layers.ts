import { faultToData, StriaError, toStriaError } from '../../../core/shared/errors.ts';
import { throwIfAborted } from '../../../core/shared/job.ts';
import { channelLayout } from '../../../core/shared/volume.ts';
import { channelLayer, channelLooks } from '../../viewer/model/channel-group.ts';
import { type LayerLook, mostLayers } from '../../viewer/model/layers.ts';
import type { Engine } from '../gpu/gpu-life.ts';
import type { OpenRequest } from '../loading/load-resident.ts';
import { isSameDocument } from '../state/document-state.ts';
import { type LayersState, withAdding } from '../state/layer-state.ts';
import { type JobProgress, startProgress } from '../state/progress.ts';
import { openDocument } from '../state/store.ts';
import { Turns } from '../state/turns.ts';
import { channelWindows } from './channels.ts';
import { firstLook } from './first-look.ts';
import type { LayerList } from './layer-list.ts';
import type { LayerVolumes } from './layer-volumes.ts';
import { freeLayer, type LayerJob, type LayerLoader, type LoadedLayer, loadLayer } from './load-layer.ts';
import { type ChosenVolume, VolumeQuestion } from './volume-question.ts';

/** A volume to add, and the name of its layer. */
export interface WantedLayer {
  readonly request: OpenRequest;
  readonly name: string;
}

/** Adds volumes as layers, one after the other. Ends with the open volume and with the device. */
export class AddingLayers {
  readonly #list: LayerList;
  readonly #volumes: LayerVolumes;
  readonly #load: LayerLoader;
  readonly #question: VolumeQuestion;
  readonly #turns: Turns;

  constructor(list: LayerList, volumes: LayerVolumes, load: LayerLoader) {
    this.#list = list;
    this.#volumes = volumes;
    this.#load = load;
    this.#question = new VolumeQuestion(list.store);
    this.#turns = new Turns((waiting) => list.change({ waiting }));
    list.store.subscribe((state, before) => {
      const isLost = state.gpu !== before.gpu && state.gpu.kind !== 'ready';
      if (isLost || !isSameDocument(state.document, before.document)) this.cancel();
    });
  }

  /**
   * Adds a volume as the top layer, once those that were requested before have been added. Failures become the state.
   * @returns whether it was added
   */
  async add(request: OpenRequest, name: string): Promise<boolean> {
    if (!this.#list.engine || !openDocument(this.#list.store.getState())) return false;
    // Removes the messages of earlier files, unless surfaces are being added.
    if (!this.#turns.isBusy && this.#list.state.adding.kind !== 'loading') this.cancel();
    return (await this.#turns.take(name, (signal) => this.#add({ request, name }, signal))) ?? false;
  }

  /** Adds volumes one after the other. One that fails does not hold up the others. @returns whether all were added */
  async addAll(volumes: readonly WantedLayer[]): Promise<boolean> {
    const added = await Promise.all(volumes.map(({ request, name }) => this.add(request, name)));
    return added.every(Boolean);
  }

  /** Answers which of a file's volumes to add. */
  chooseVolume(chosen: ChosenVolume): void {
    this.#question.choose(chosen);
  }

  /** Stops adding files, those that wait included, and removes the messages of those that could not be added. */
  cancel(): void {
    this.#turns.cancel();
    const { adding, notAdded } = this.#list.state;
    if (adding.kind !== 'none' || notAdded.length > 0) this.#list.change({ adding: { kind: 'none' }, notAdded: [] });
  }

  async #add(wanted: WantedLayer, signal: AbortSignal): Promise<boolean> {
    const { engine } = this.#list;
    const { name } = wanted;
    this.#tellOpening(name);
    let loaded: LoadedLayer | undefined;
    try {
      if (!engine) throw new StriaError('aborted', 'the device was lost');
      if (this.#list.stack.layers.length >= mostLayers)
        throw new StriaError('unsupported', `there are ${mostLayers} layers already. Remove one first`);
      const onProgress = (progress: JobProgress) => this.#tell({ kind: 'loading', name, progress });
      const found = await this.#loadOne(engine, wanted, { signal, onProgress });
      loaded = found.loaded;
      const id = this.#volumes.newId();
      const looks = await this.#looksOf(engine, this.#firstLook(id, found.name, loaded), loaded);
      throwIfAborted(signal);
      const ready = loaded;
      // From here on `LayerVolumes` frees it with the others.
      loaded = undefined;
      this.#volumes.keep(engine, id, found.request, ready);
      this.#tell({ kind: 'none' });
      this.#list.change({ chosen: id });
      const { stack } = this.#list;
      this.#list.stack = { ...stack, layers: [...stack.layers, ...looks] };
      return true;
    } catch (error) {
      if (loaded) freeLayer(loaded);
      if (!signal.aborted) this.#tellFailed(name, error);
      return false;
    }
  }

  /** While other files wait, the message is listed beside them. */
  #tellFailed(name: string, error: unknown): void {
    const isOver = ['aborted', 'device-lost'].includes(toStriaError(error).tag);
    const fault = faultToData(error);
    if (!isOver) this.#tell({ kind: 'failed', name, fault });
    if (isOver || this.#turns.hasWaiting) this.#tell({ kind: 'none' });
  }

  /** Loads a volume; if the file contains several, the one that the user chooses. @throws StriaError like `loadLayer` */
  async #loadOne(engine: Engine, wanted: WantedLayer, job: LayerJob): Promise<WantedLayer & { readonly loaded: LoadedLayer }> {
    const { request, name } = wanted;
    try {
      return { ...wanted, loaded: await loadLayer(this.#load, engine, request, job) };
    } catch (error) {
      if (request.kind !== 'file' || toStriaError(error).tag !== 'several') throw error;
      const { id, label } = await this.#question.ask(request.file, name, job.signal);
      this.#tellOpening(name);
      const chosen = { ...request, dataset: id, label };
      const loaded = await loadLayer(this.#load, engine, chosen, job);
      return { request: chosen, name: `${name} · ${label || id}`, loaded };
    }
  }

  /** The looks of a volume's layers: one, or one per channel, which share the voxels. */
  async #looksOf(engine: Engine, first: LayerLook, { kept, statistics }: LoadedLayer): Promise<readonly LayerLook[]> {
    const { info } = kept;
    const { channelCount } = channelLayout(info);
    const isTooMany = this.#list.stack.layers.length + channelCount > mostLayers;
    if (channelCount < 2 || first.colormap === 'labels' || isTooMany) return [first];
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
    const images = this.#list.stack.layers.filter(({ colormap }) => colormap !== 'labels').length;
    return firstLook({ id, name }, kept.info, statistics, images, labels);
  }

  #tellOpening(name: string): void {
    this.#tell({ kind: 'loading', name, progress: startProgress('Opening', undefined, performance.now()) });
  }

  #tell(adding: LayersState['adding']): void {
    this.#list.change(withAdding(this.#list.state, adding));
  }
}
