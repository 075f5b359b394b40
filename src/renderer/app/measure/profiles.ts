import { sampleLine } from '../../../core/draw/line-samples.ts';
import { csvText } from '../../../core/shared/csv.ts';
import type { VolumeInfo } from '../../../core/shared/volume.ts';
import type { VolumeSource } from '../../../core/volume/volume-source.ts';
import { mapPosition, placeLayer } from '../../viewer/model/layer-place.ts';
import { isLayerShown, layerTime } from '../../viewer/model/layers.ts';
import type { Measurement } from '../../viewer/model/measure.ts';
import { lengthOf, metricOf, stepBetween } from '../../viewer/model/metric.ts';
import type { Voxel } from '../../viewer/model/slice-geometry.ts';
import type { ViewState } from '../../viewer/model/viewer-api.ts';
import type { LineProfile, ProfileSeries } from '../state/profile-state.ts';
import { type AppState, type AppStore, openDocument } from '../state/store.ts';

/** Samples for each voxel along a line, and their limits. */
const samplesPerVoxel = 2;
const [fewestSamples, mostSamples] = [2, 4096];

/** The volumes to sample: the open one, and layers by id. */
export interface ProfiledVolumes {
  readonly base: () => VolumeSource | undefined;
  readonly layer: (id: string) => VolumeSource | undefined;
}

/** Keeps the profile of the chosen distance up to date, as it, the layers or the time point change. */
export class Profiles {
  readonly #store: AppStore;
  readonly #volumes: ProfiledVolumes;
  readonly #sample: typeof sampleLine;
  #wanted = '';
  #isReading = false;
  #endFollowing = () => {};

  constructor(store: AppStore, volumes: ProfiledVolumes, sample: typeof sampleLine = sampleLine) {
    this.#store = store;
    this.#volumes = volumes;
    this.#sample = sample;
    store.subscribe((state, before) => {
      if (state.gpu !== before.gpu) this.#follow(state);
      const keys = ['measurements', 'chosenMeasurement', 'layers', 'document', 'gpu', 'residency'] as const;
      if (keys.some((key) => state[key] !== before[key])) this.#update();
    });
  }

  #follow({ gpu }: AppState): void {
    this.#endFollowing();
    this.#endFollowing = gpu.kind === 'ready' ? gpu.viewer.subscribe(() => this.#update()) : () => {};
  }

  #update(): void {
    const state = this.#store.getState();
    const measurement = chosenDistance(state);
    const key =
      measurement && state.gpu.kind === 'ready' ? this.#keyOf(state, measurement, state.gpu.viewer.snapshot().state) : '';
    if (key === this.#wanted) return;
    this.#wanted = key;
    if (!measurement && state.profile) this.#store.setState({ profile: undefined });
    if (!this.#isReading) void this.#readAll();
  }

  /** What a profile depends on. */
  #keyOf({ layers, residency }: AppState, { id, points }: Measurement, { timePoint, smooth }: ViewState): string {
    const shown = layers.stack.layers.map((look) => [
      look.id,
      look.name,
      look.smooth,
      look.channel,
      look.colormap === 'labels',
      isLayerShown(layers.stack, look),
      layers.volumes[look.id]?.kind,
    ]);
    return JSON.stringify([id, points, timePoint, smooth, shown, residency?.kept]);
  }

  /** One after the other; what changed meanwhile is read next. */
  async #readAll(): Promise<void> {
    this.#isReading = true;
    try {
      for (let key = ''; this.#wanted !== '' && key !== this.#wanted; ) {
        key = this.#wanted;
        const profile = await this.#read().catch(() => undefined);
        // The volume or the device may have gone meanwhile. A line that is being dragged shows what was read last.
        if (this.#wanted !== '') this.#store.setState({ profile });
      }
    } finally {
      this.#isReading = false;
    }
  }

  async #read(): Promise<LineProfile | undefined> {
    const state = this.#store.getState();
    const measurement = chosenDistance(state);
    const document = openDocument(state);
    const base = this.#volumes.base();
    if (!measurement || !document || !base || state.gpu.kind !== 'ready') return undefined;
    const { gpu, viewer } = state.gpu;
    const { timePoint, smooth, colormap, layers } = viewer.snapshot().state;
    const [from, to] = measurement.points as [Voxel, Voxel];
    const lines = [
      { name: document.name, volume: base, from, to, time: timePoint, smooth: smooth && colormap !== 'labels' },
      ...layers.layers.flatMap((look) => {
        const volume = this.#volumes.layer(look.id);
        if (!volume || look.colormap === 'labels' || !isLayerShown(layers, look)) return [];
        const { map } = placeLayer(base.info, volume.info);
        const time = layerTime(base.info, timePoint, volume.info, look.channel);
        return [{ name: look.name, volume, from: mapPosition(map, from), to: mapPosition(map, to), time, smooth: look.smooth }];
      }),
    ];
    const longest = Math.max(...lines.map((line) => Math.hypot(...stepBetween(line.from, line.to))));
    const count = Math.min(mostSamples, Math.max(fewestSamples, Math.ceil(samplesPerVoxel * longest) + 1));
    const series = await Promise.all(
      lines.map(async ({ name, volume, time, ...line }): Promise<ProfileSeries> => {
        const stored = await this.#sample(gpu, volume, time, { ...line, count });
        return { name, unit: volume.info.valueUnit, values: [...stored].map((value) => realValue(value, volume.info)) };
      }),
    );
    const length = lengthOf(metricOf(base.info), stepBetween(from, to));
    const distances = Array.from({ length: count }, (_, at) => (length * at) / (count - 1));
    return { measurement: measurement.id, distances, series };
  }
}

/** One line for each sample: its distance, then the value of each volume; empty where there is none. */
export function profileCsv({ distances, series }: LineProfile, { spatialUnit }: Pick<VolumeInfo, 'spatialUnit'>): string {
  const heads = series.map(({ name, unit }) => (unit ? `${name} (${unit})` : name));
  const distance = spatialUnit === 'unknown' ? 'distance' : `distance (${spatialUnit})`;
  const rows = distances.map((place, at) => [String(place), ...series.map(({ values }) => String(values[at] ?? ''))]);
  return csvText([[distance, ...heads], ...rows]);
}

function chosenDistance({ measurements, chosenMeasurement }: AppState): Measurement | undefined {
  return measurements.find(({ id, kind }) => id === chosenMeasurement && kind === 'distance');
}

function realValue(stored: number, { slope, intercept }: VolumeInfo): number | null {
  return Number.isFinite(stored) ? slope * stored + intercept : null;
}
