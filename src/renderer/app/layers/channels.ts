import type { Gpu } from '../../../core/gpu/gpu.ts';
import { toStriaError } from '../../../core/shared/errors.ts';
import type { OwnLabels } from '../../../core/shared/label-table.ts';
import { channelAt, channelLayout } from '../../../core/shared/volume.ts';
import { channelStatistics } from '../../../core/volume/channel-statistics.ts';
import type { VolumeStatistics } from '../../../core/volume/statistics.ts';
import type { VolumeSource } from '../../../core/volume/volume-source.ts';
import { colormap } from '../../viewer/colors/colormaps.ts';
import { firstLabelView, firstView } from '../../viewer/model/auto-view.ts';
import { type ChannelLook, channelLooks, hasChannels, withChannels, withOneChannel } from '../../viewer/model/channel-group.ts';
import { baseId, changedLayer, hasChannelGroup, type LayerLook, volumeIdOf } from '../../viewer/model/layers.ts';
import type { ViewState } from '../../viewer/model/viewer-api.ts';
import type { OpenDocument } from '../state/document-state.ts';
import { type AppStore, type GpuState, openDocument } from '../state/store.ts';

/** The open volume, and those of layers by id (`volumeIdOf`). */
interface ShownVolumes {
  readonly base: () => VolumeSource | undefined;
  readonly layer: (id: string) => VolumeSource | undefined;
}

/** A window, in stored values. */
type StoredWindow = LayerLook['window'];

/** The windows of channels: from the file, else from the percentiles of each channel. @throws StriaError `device-lost` */
export async function channelWindows(
  gpu: Gpu,
  volume: Pick<VolumeSource, 'info' | 'dims' | 'planeReader'>,
  looks: readonly ChannelLook[],
): Promise<readonly StoredWindow[]> {
  const windows: StoredWindow[] = [];
  for (const [channel, { window }] of looks.entries())
    windows.push(window ?? (await channelStatistics(gpu, volume, channel)).window);
  return windows;
}

/**
 * The first view of a volume with several channels, which shows all of them together. Undefined if the viewer's own first view
 * suffices. @throws StriaError `device-lost`
 */
export async function firstDocumentView(
  gpu: Gpu,
  volume: VolumeSource,
  statistics: VolumeStatistics,
  own: OwnLabels | undefined,
): Promise<ViewState | undefined> {
  const { info } = volume;
  const labels = own && firstLabelView(info, statistics, own);
  if (!hasChannels(info)) return labels;
  const view = labels ?? firstView(info, statistics);
  if (own?.areLabels || colormap(view.colormap).isCategorical) return labels;
  const looks = channelLooks(info, statistics);
  return withChannels(view, info, looks, await channelWindows(gpu, volume, looks));
}

/** The channels of the open volume: all of them as a group of layers, or one by itself. */
export class Channels {
  readonly #store: AppStore;
  readonly #volumes: ShownVolumes;
  /** How the channels of a volume looked when they were last shown together. */
  #last: { readonly opened: object; readonly view: ViewState } | undefined;

  constructor(store: AppStore, volumes: ShownVolumes) {
    this.#store = store;
    this.#volumes = volumes;
  }

  /** Shows all channels together, as they last looked together. Failures become a notice. */
  async showAll(): Promise<void> {
    const document = openDocument(this.#store.getState());
    const { gpu } = this.#store.getState();
    if (!document || gpu.kind !== 'ready' || !hasChannels(document.info)) return;
    await this.#told(async () => {
      const { info, statistics } = document;
      const looks = channelLooks(info, statistics);
      const windows =
        this.#windowsBefore(document) ??
        (await this.#read(document, gpu, baseId, (volume) => channelWindows(gpu.gpu, volume, looks)));
      if (!windows) return;
      const { state } = gpu.viewer.snapshot();
      if (hasChannelGroup(state.layers)) return;
      gpu.viewer.set(withChannels(state, info, this.#looksBefore(document) ?? looks, windows));
    });
  }

  /** Shows one channel by itself, in gray. */
  async showOne(channel: number): Promise<void> {
    const document = openDocument(this.#store.getState());
    const { gpu } = this.#store.getState();
    if (!document || gpu.kind !== 'ready') return;
    await this.#told(async () => {
      const { info, statistics } = document;
      const { state: before } = gpu.viewer.snapshot();
      if (hasChannelGroup(before.layers)) this.#last = { opened: document.opened, view: before };
      const known = this.#windowsBefore(document)?.[channel] ?? channelLooks(info, statistics)[channel]?.window;
      const window =
        known ??
        (await this.#read(document, gpu, baseId, async (volume) => (await channelStatistics(gpu.gpu, volume, channel)).window));
      if (!window) return;
      const { state } = gpu.viewer.snapshot();
      const one = withOneChannel(state, info, channel, window);
      // Keep colours that the user chose for a single channel.
      const colors = hasChannelGroup(state.layers) ? {} : { colormap: state.colormap, inverted: state.inverted };
      gpu.viewer.set({ ...one, ...colors });
    });
  }

  /**
   * Gives a layer, or the open volume (`baseId`), the automatic window of what it shows. Nothing happens if its volume is closed or its layer
   * removed meanwhile, or if the open volume shows another channel by then.
   */
  async contrast(id: string): Promise<void> {
    const document = openDocument(this.#store.getState());
    const { gpu } = this.#store.getState();
    if (!document || gpu.kind !== 'ready') return;
    await this.#told(async () => {
      const shown = () => {
        const { layers, timePoint } = gpu.viewer.snapshot().state;
        return { look: layers.layers.find((layer) => layer.id === id), layers, timePoint };
      };
      const { look } = shown();
      const volumeId = look ? volumeIdOf(look) : baseId;
      if (id !== baseId && !look) return;
      const channelOf = ({ info }: VolumeSource) => shown().look?.channel ?? channelAt(info, shown().timePoint).channel;
      let channel = 0;
      const found = await this.#read(document, gpu, volumeId, async (volume) => {
        channel = channelOf(volume);
        const hasSeveral = channelLayout(volume.info).channelCount > 1;
        const { window } = hasSeveral ? await channelStatistics(gpu.gpu, volume, channel) : await volume.statistics();
        return { volume, window };
      });
      if (!found || channelOf(found.volume) !== channel) return;
      const { layers } = shown();
      if (id === baseId) gpu.viewer.set({ window: found.window });
      else gpu.viewer.set({ layers: changedLayer(layers, id, { window: found.window }) });
    });
  }

  /** Applies `contrast` to all channels that are shown together. */
  async contrastAll(): Promise<void> {
    const { gpu, layers } = this.#store.getState();
    if (gpu.kind !== 'ready') return;
    const ids = layers.stack.layers.filter(({ of }) => of === baseId).map(({ id }) => id);
    for (const id of [baseId, ...ids]) await this.contrast(id);
  }

  /**
   * Reads from the open volume or a layer's. Reads again if another resolution replaced the volume meanwhile. Undefined if the document
   * or the layer was closed, or the device was lost.
   * @param id as `volumeIdOf`
   */
  async #read<T>(
    { opened }: OpenDocument,
    gpu: GpuState,
    id: string,
    read: (volume: VolumeSource) => Promise<T>,
  ): Promise<T | undefined> {
    const find = () => (id === baseId ? this.#volumes.base() : this.#volumes.layer(id));
    for (;;) {
      const volume = find();
      const state = this.#store.getState();
      if (!volume || state.gpu !== gpu || openDocument(state)?.opened !== opened) return undefined;
      const isThere = () => find() === volume;
      try {
        const result = await read(volume);
        if (isThere()) return result;
      } catch (error) {
        if (isThere()) throw error;
      }
    }
  }

  #looksBefore(document: OpenDocument): readonly ChannelLook[] | undefined {
    const view = this.#viewBefore(document);
    if (!view) return undefined;
    const { channels = [] } = document.info;
    const { base, layers } = view.layers;
    return channels.map(({ name }, channel) => {
      const look = layers.find((layer) => layer.of === baseId && layer.channel === channel);
      if (channel === 0) return { name, colormap: view.colormap, isVisible: base.isVisible, window: undefined };
      return look ?? { name, colormap: '#ffffff', isVisible: false, window: undefined };
    });
  }

  #windowsBefore(document: OpenDocument): readonly StoredWindow[] | undefined {
    const view = this.#viewBefore(document);
    return view && document.info.channels?.map((_, channel) => this.#windowBefore(view, channel));
  }

  #windowBefore({ window, layers }: ViewState, channel: number): StoredWindow {
    return layers.layers.find((layer) => layer.of === baseId && layer.channel === channel)?.window ?? window;
  }

  #viewBefore({ opened }: OpenDocument): ViewState | undefined {
    return this.#last?.opened === opened ? this.#last.view : undefined;
  }

  /** Runs work and shows failures as a notice. A lost device is reported elsewhere. */
  async #told(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      const { tag, message } = toStriaError(error);
      if (!['aborted', 'device-lost'].includes(tag)) this.#store.setState({ notice: `The channels cannot be shown: ${message}` });
    }
  }
}
