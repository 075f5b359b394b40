import { readLabelTable } from '../../../core/io/label-tables/read-label-table.ts';
import { faultToData, StriaError, toStriaError } from '../../../core/shared/errors.ts';
import { isTableName } from '../../../core/shared/label-table.ts';
import type { VolumeInfo } from '../../../core/shared/volume.ts';
import { labelCounts } from '../../../core/volume/label-counts.ts';
import { labelNumbers } from '../../../core/volume/label-number.ts';
import { labelPlace } from '../../../core/volume/label-place.ts';
import { type LabelStatistics, labelStatistics } from '../../../core/volume/label-statistics.ts';
import { sourceOf } from '../../host/file-source.ts';
import type { Host, HostFile } from '../../host/host.ts';
import { colormap } from '../../viewer/colors/colormaps.ts';
import { firstLabelLookOf, type LabelLook, withLabelEdit, withLabelShown } from '../../viewer/model/label-look.ts';
import { layerVoxelAt } from '../../viewer/model/layer-place.ts';
import { baseId, changedLayer, volumeIdOf } from '../../viewer/model/layers.ts';
import { clampVoxel } from '../../viewer/model/slice-geometry.ts';
import { identityMap, invertedMap, mapPosition } from '../../viewer/model/voxel-map.ts';
import type { FileMeasurer } from '../measure/file-task.ts';
import { LatestReading } from '../measure/latest-reading.ts';
import type { MeasuredVolumes } from '../measure/volume-series.ts';
import { isSameDocument } from '../state/document-state.ts';
import { firstLabels, type LabelsState } from '../state/label-state.ts';
import { tellReplaced } from '../state/replaced-volume.ts';
import { type AppState, type AppStore, openDocument } from '../state/store.ts';
import { DrawnLabels } from './drawn-labels.ts';
import { exactVoxels } from './exact-voxels.ts';
import { FileLabelCounts } from './file-label-counts.ts';
import { labelLookOf, labelledVolume } from './label-tables.ts';
import { VolumesInView } from './volumes-in-view.ts';

/**
 * The labels of the open volume and of the layers: their tables, numbers of voxels, and statistics of images inside them. The choice of
 * table, the user's edits and the hidden labels are parts of the view, so undo and sessions restore them.
 */
export class Labels {
  readonly #host: Pick<Host, 'openDialog'>;
  readonly #store: AppStore;
  readonly #volumes: MeasuredVolumes;
  readonly #inView: VolumesInView;
  readonly #drawn = new DrawnLabels();
  #endFollowing = () => {};
  #going = new AbortController();
  #measuring: AbortController | undefined;
  readonly #fileCounts: FileLabelCounts;
  readonly #measurerOf: (id: string) => FileMeasurer;

  /** @param measurerOf reads the file of the volume with an id (`volumeIdOf`). Used if the GPU holds only a part of its voxels */
  constructor(
    host: Pick<Host, 'openDialog'>,
    store: AppStore,
    volumes: MeasuredVolumes,
    measurerOf: (volumeId: string) => FileMeasurer,
  ) {
    this.#measurerOf = (id) => {
      const look = store.getState().layers.stack.layers.find((each) => each.id === id);
      return measurerOf(look ? volumeIdOf(look) : baseId);
    };
    this.#fileCounts = new FileLabelCounts(store, this.#measurerOf);
    this.#host = host;
    this.#store = store;
    this.#volumes = volumes;
    this.#inView = new VolumesInView(store, volumes);
    store.subscribe((state, before) => {
      if (state.gpu !== before.gpu) this.#follow(state);
      if (!isSameDocument(state.document, before.document)) this.#going.abort();
      if (!isSameDocument(state.document, before.document) || state.gpu !== before.gpu) this.cancelStatistics();
      if (state.document.kind !== before.document.kind && !openDocument(state)) this.#change(firstLabels);
      if (state.layers !== before.layers || state.labels !== before.labels || state.document !== before.document)
        this.#drawn.draw(store.getState());
    });
    new LatestReading<LabelsState['counted']>(store, {
      follows: ['settings', 'layers', 'labels', 'document', 'gpu', 'residency'],
      keyOf: (state) => this.#countKey(state),
      read: () => this.#count(),
      show: (counted) => this.#change({ counted }),
    });
    new LatestReading<LabelsState['chosen']>(store, {
      follows: ['settings', 'layers', 'labels', 'document', 'gpu'],
      keyOf: (state) => this.#crosshairKey(state),
      read: () => this.#atCrosshair(),
      show: (chosen) => {
        if (chosen) this.#change({ chosen });
      },
    });
  }

  /** Sets the tables that the looks of a session refer to. */
  restore(loaded: LabelsState['loaded']): void {
    this.#change({ loaded: { ...this.#state.loaded, ...loaded } });
  }

  /** Asks for a file with a table of labels for the current volume (see `labelledVolume`). */
  async loadDialog(): Promise<void> {
    const [file] = await this.#host.openDialog();
    if (file) await this.load(file);
  }

  /** Whether these files are tables of labels and a volume with labels is shown. */
  takes(files: readonly HostFile[]): boolean {
    return files.length === 1 && files.every(({ name }) => isTableName(name)) && this.#labelled !== undefined;
  }

  /** Gives the labels the names and colours of a file. Failures become the state. */
  async load(file: HostFile): Promise<void> {
    const id = this.#labelled;
    const info = this.#baseInfo;
    if (id === undefined) return;
    try {
      const table = await readLabelTable(sourceOf(file.handle));
      if (this.#labelled !== id || this.#baseInfo !== info) return;
      // A session may have left out unused tables, so ids may have gaps.
      let number = 1;
      while (Object.hasOwn(this.#state.loaded, `table-${number}`)) number++;
      const key = `table-${number}`;
      this.#change({ loaded: { ...this.#state.loaded, [key]: { name: file.name, table } }, fault: undefined });
      this.#set(id, { ...firstLabelLookOf(table), table: key });
    } catch (error) {
      if (this.#baseInfo === info) this.#change({ fault: faultToData(error) });
    }
  }

  rename(id: string, number: number, name: string): void {
    const trimmed = name.trim();
    if (trimmed !== '') this.#set(id, withLabelEdit(labelLookOf(this.#store.getState(), id), { number, name: trimmed }));
  }

  /** @param color `#rrggbb` */
  recolor(id: string, number: number, color: string): void {
    this.#set(id, withLabelEdit(labelLookOf(this.#store.getState(), id), { number, color }));
  }

  show(id: string, number: number, isShown: boolean): void {
    this.#set(id, withLabelShown(labelLookOf(this.#store.getState(), id), number, isShown));
  }

  /** Shows or hides all labels of the current volume (see `labelledVolume`). */
  showAll(shows: LabelLook['shows']): void {
    const id = this.#labelled;
    if (id !== undefined) this.#set(id, { ...labelLookOf(this.#store.getState(), id), shows, except: [] });
  }

  /** Marks a label's row, and moves the crosshair into the label. */
  async goTo(id: string, number: number): Promise<void> {
    this.#change({ chosen: { id, number } });
    const base = this.#volumes.base();
    const shown = this.#inView.at(id);
    // Each search reads the whole volume, so only the last one continues.
    this.#going.abort();
    this.#going = new AbortController();
    if (!base || !shown) return;
    try {
      const { signal } = this.#going;
      const { volume, timePoint } = shown;
      const place =
        volume.decimation > 1
          ? await this.#measurerOf(id)({ kind: 'label-place', number, timePoint }, { signal })
          : await labelPlace(volume, number, timePoint, { signal });
      const { chosen } = this.#state;
      // Reading a file may take minutes, and the device may have changed.
      const { gpu } = this.#store.getState();
      if (signal.aborted || gpu.kind !== 'ready') return;
      if (!place || chosen?.id !== id || chosen.number !== number) return;
      const [x, y, z] = base.info.dims;
      const position = mapPosition(invertedMap(shown.map), [place[0] + 0.5, place[1] + 0.5, place[2] + 0.5]);
      gpu.viewer.set({ crosshair: clampVoxel(position, [x, y, z]) });
    } catch (error) {
      if (!['aborted', 'device-lost'].includes(toStriaError(error).tag)) this.#change({ fault: faultToData(error) });
    }
  }

  /**
   * Statistics of an image, the open volume or a layer, inside the current volume's labels (see `labelledVolume`).
   * @throws StriaError like `labelStatistics`; `invalid-input` if there is no image or there are no labels
   */
  async statistics(imageId: string): Promise<readonly LabelStatistics[]> {
    const id = this.#labelled;
    const [labels, image] = [id === undefined ? undefined : this.#inView.at(id), this.#inView.at(imageId)];
    if (id === undefined || !labels || !image)
      throw new StriaError('invalid-input', 'there are no labels, or no image to measure');
    const toImage = labels.volume === image.volume ? identityMap : this.#inView.mapBetween(id, imageId);
    this.cancelStatistics();
    const controller = new AbortController();
    this.#measuring = controller;
    const work = {
      labels: exactVoxels(labels.volume, controller.signal),
      labelTime: labels.timePoint,
      image: exactVoxels(image.volume, controller.signal),
      imageTime: image.timePoint,
      toImage,
    };
    try {
      const onProgress = ({ done, total = done }: { done: number; total?: number | undefined }) => {
        if (this.#measuring === controller) this.#change({ measuring: done / total });
      };
      this.#change({ measuring: 0 });
      return await labelStatistics(work, { signal: controller.signal, onProgress });
    } catch (error) {
      tellReplaced(this.#store, 'Statistics', error, controller.signal);
      throw error;
    } finally {
      if (this.#measuring === controller) {
        this.#measuring = undefined;
        this.#change({ measuring: undefined });
      }
    }
  }

  /** Counts the labels of the listed volume at full resolution, from its file. */
  countAll(): void {
    const { counted } = this.#state;
    const shown = counted && this.#inView.at(counted.id);
    if (shown && counted.kind === 'partial') this.#fileCounts.count(counted.id, shown.timePoint);
  }

  cancelCounting(): void {
    this.#fileCounts.cancel();
  }

  /** Cancels measuring statistics. Nothing is saved. */
  cancelStatistics(): void {
    this.#measuring?.abort();
    this.#measuring = undefined;
    if (this.#state.measuring !== undefined) this.#change({ measuring: undefined });
  }

  get #state(): LabelsState {
    return this.#store.getState().labels;
  }

  /** The same object while the same volume is open. */
  get #baseInfo(): VolumeInfo | undefined {
    return openDocument(this.#store.getState())?.info;
  }

  get #labelled(): string | undefined {
    return labelledVolume(this.#store.getState());
  }

  #change(change: Partial<LabelsState>): void {
    this.#store.setState(({ labels }) => ({ labels: { ...labels, ...change } }));
  }

  #set(id: string, labels: LabelLook): void {
    const { gpu } = this.#store.getState();
    if (gpu.kind !== 'ready') return;
    const stack = gpu.viewer.snapshot().state.layers;
    const layers = id === baseId ? { ...stack, base: { ...stack.base, labels } } : changedLayer(stack, id, { labels });
    gpu.viewer.set({ layers });
  }

  #follow({ gpu }: AppState): void {
    this.#endFollowing();
    this.#endFollowing = () => {};
    if (gpu.kind !== 'ready') return;
    const follow = () => {
      const isBaseLabels = colormap(gpu.viewer.snapshot().state.colormap).isCategorical;
      if (isBaseLabels !== this.#state.isBaseLabels) this.#change({ isBaseLabels });
    };
    this.#endFollowing = gpu.viewer.subscribe(follow);
    this.#drawn.reset();
    follow();
    this.#drawn.draw(this.#store.getState());
  }

  /** What the counts depend on. Empty unless the list of layers is shown. */
  #countKey(state: AppState): string {
    const { inspectorOpen, inspectorTab } = state.settings;
    const id = labelledVolume(state);
    if (!inspectorOpen || inspectorTab !== 'layers' || id === undefined || state.gpu.kind !== 'ready') return '';
    const shown = this.#inView.at(id);
    // Count again when residency changes, since a read during the change may have failed.
    return shown ? JSON.stringify([id, shown.timePoint, state.residency?.kept, shown.volume.decimation > 1]) : '';
  }

  async #count(): Promise<LabelsState['counted']> {
    const id = this.#labelled;
    const shown = id === undefined ? undefined : this.#inView.at(id);
    const { gpu } = this.#store.getState();
    if (id === undefined || !shown || gpu.kind !== 'ready') return undefined;
    if (shown.volume.decimation > 1) return this.#fileCounts.at(id, shown.timePoint);
    this.#change({ counted: { id, kind: 'counting' } });
    try {
      return { id, kind: 'ready', counts: await labelCounts(gpu.gpu, shown.volume, shown.timePoint) };
    } catch (error) {
      return { id, kind: 'failed', fault: faultToData(error) };
    }
  }

  #crosshairKey(state: AppState): string {
    const key = this.#countKey(state);
    if (key === '' || state.gpu.kind !== 'ready') return '';
    const motion = state.layers.stack.layers.find(({ id }) => id === labelledVolume(state))?.motion;
    return JSON.stringify([key, state.gpu.viewer.snapshot().state.crosshair, motion]);
  }

  /** The label at the crosshair. Undefined if there is none; the marked row then stays. */
  async #atCrosshair(): Promise<LabelsState['chosen']> {
    const id = this.#labelled;
    const shown = id === undefined ? undefined : this.#inView.at(id);
    const { gpu } = this.#store.getState();
    if (id === undefined || !shown || gpu.kind !== 'ready') return undefined;
    const [x, y, z] = gpu.viewer.snapshot().state.crosshair;
    const voxel = layerVoxelAt(shown.map, [x + 0.5, y + 0.5, z + 0.5], shown.volume.info);
    const stored = voxel && (await shown.volume.voxel(...voxel, shown.timePoint));
    const number = stored === undefined ? undefined : labelNumbers(shown.volume.info.type)(stored);
    return number === undefined || number === 0 || Number.isNaN(number) ? undefined : { id, number };
  }
}
