import { StriaError, toStriaError } from '../../../core/shared/errors.ts';
import { throwIfAborted } from '../../../core/shared/job.ts';
import { channelLayout } from '../../../core/shared/volume.ts';
import { channelLayer, channelLooks } from '../../viewer/model/channel-group.ts';
import { type LayerLook, mostLayers } from '../../viewer/model/layers.ts';
import type { Engine } from '../gpu/gpu-life.ts';
import type { OpenRequest } from '../loading/load-resident.ts';
import type { AddingJob, AddingQueue } from '../state/adding-queue.ts';
import { startProgress } from '../state/progress.ts';
import { openDocument } from '../state/store.ts';
import { channelWindows } from './channels.ts';
import { firstLook } from './first-look.ts';
import type { LayerList } from './layer-list.ts';
import type { LayerVolumes } from './layer-volumes.ts';
import { freeLayer, type LayerLoader, type LoadedLayer, loadLayer } from './load-layer.ts';
import { type ChosenVolume, VolumeQuestion } from './volume-question.ts';

const opening = 'Opening';

/** A volume to add, and the name of its layer. */
export interface WantedLayer {
  readonly request: OpenRequest;
  readonly name: string;
}

/** Adds volumes as layers. */
export class AddingLayers {
  readonly #queue: AddingQueue;
  readonly #list: LayerList;
  readonly #volumes: LayerVolumes;
  readonly #load: LayerLoader;
  readonly #question: VolumeQuestion;

  constructor(queue: AddingQueue, list: LayerList, volumes: LayerVolumes, load: LayerLoader) {
    this.#queue = queue;
    this.#list = list;
    this.#volumes = volumes;
    this.#load = load;
    this.#question = new VolumeQuestion(list.store);
  }

  /** Adds a volume as the top layer. Failures become the state. @returns whether it was added */
  async add(request: OpenRequest, name: string): Promise<boolean> {
    if (!this.#list.engine || !openDocument(this.#list.store.getState())) return false;
    return (await this.#queue.add(name, opening, (job) => this.#add({ request, name }, job))) ?? false;
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

  async #add(wanted: WantedLayer, job: AddingJob): Promise<true> {
    const { engine } = this.#list;
    let loaded: LoadedLayer | undefined;
    try {
      if (!engine) throw new StriaError('aborted', 'the device was lost');
      if (this.#list.stack.layers.length >= mostLayers)
        throw new StriaError('unsupported', `there are ${mostLayers} layers already. Remove one first`);
      const found = await this.#loadOne(engine, wanted, job);
      loaded = found.loaded;
      const id = this.#volumes.newId();
      const looks = await this.#looksOf(engine, this.#firstLook(id, found.name, loaded), loaded);
      throwIfAborted(job.signal);
      const ready = loaded;
      // From here on `LayerVolumes` frees it with the others.
      loaded = undefined;
      this.#volumes.keep(engine, id, found.request, ready);
      this.#list.change({ chosen: id });
      const { stack } = this.#list;
      this.#list.stack = { ...stack, layers: [...stack.layers, ...looks] };
      return true;
    } catch (error) {
      if (loaded) freeLayer(loaded);
      throw error;
    }
  }

  /** Loads a volume; if the file contains several, the one that the user chooses. @throws StriaError like `loadLayer` */
  async #loadOne(engine: Engine, wanted: WantedLayer, job: AddingJob): Promise<WantedLayer & { readonly loaded: LoadedLayer }> {
    const { request, name } = wanted;
    try {
      return { ...wanted, loaded: await loadLayer(this.#load, engine, request, job) };
    } catch (error) {
      if (request.kind !== 'file' || toStriaError(error).tag !== 'several') throw error;
      const { id, label } = await this.#question.ask(request.file, job);
      job.onProgress(startProgress(opening, undefined, performance.now()));
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
}
