import { csvText } from '../../../core/shared/csv.ts';
import { channelAt, channelLayout, type VolumeInfo } from '../../../core/shared/volume.ts';
import type { VolumeSource } from '../../../core/volume/volume-source.ts';
import { layerVoxelAt, placeLayer } from '../../viewer/model/layer-place.ts';
import { isLayerShown, layerTime } from '../../viewer/model/layers.ts';
import type { Voxel } from '../../viewer/model/slice-geometry.ts';
import type { ViewState } from '../../viewer/model/viewer-api.ts';
import type { ProfileSeries } from '../state/profile-state.ts';
import { type AppState, type AppStore, openDocument } from '../state/store.ts';
import type { TimeCurve } from '../state/time-curve-state.ts';
import type { ProfiledVolumes } from './profiles.ts';

/** So many time points are read at once. Between them it looks whether the crosshair has moved on. */
const timePointsAtOnce = 16;

/** A volume with several time points, and what to read of it. */
interface TimeLine {
  readonly name: string;
  readonly volume: VolumeSource;
  readonly voxel: Voxel;
  /** The index along t of the first time point, and their number. */
  readonly first: number;
  readonly count: number;
}

/** Keeps the curve over time at the crosshair up to date, while the tab that shows it is open. */
export class TimeCurves {
  readonly #store: AppStore;
  readonly #volumes: ProfiledVolumes;
  #wanted = '';
  #isReading = false;
  #endFollowing = () => {};

  constructor(store: AppStore, volumes: ProfiledVolumes) {
    this.#store = store;
    this.#volumes = volumes;
    store.subscribe((state, before) => {
      if (state.gpu !== before.gpu) this.#follow(state);
      const keys = ['settings', 'layers', 'document', 'gpu', 'residency'] as const;
      if (keys.some((key) => state[key] !== before[key])) this.#update();
    });
  }

  #follow({ gpu }: AppState): void {
    this.#endFollowing();
    this.#endFollowing = gpu.kind === 'ready' ? gpu.viewer.subscribe(() => this.#update()) : () => {};
  }

  #update(): void {
    const state = this.#store.getState();
    const lines = this.#lines(state);
    const key = lines.length > 0 ? this.#keyOf(state, lines) : '';
    if (key === this.#wanted) return;
    this.#wanted = key;
    if (key === '' && state.timeCurve) this.#store.setState({ timeCurve: undefined });
    if (!this.#isReading) void this.#readAll();
  }

  #keyOf({ residency }: AppState, lines: readonly TimeLine[]): string {
    return JSON.stringify([residency?.kept, lines.map(({ volume: _, ...line }) => line)]);
  }

  /** Nothing unless the tab is open. */
  #lines(state: AppState): readonly TimeLine[] {
    const document = openDocument(state);
    const base = this.#volumes.base();
    const { inspectorOpen, inspectorTab } = state.settings;
    if (!document || !base || state.gpu.kind !== 'ready' || !inspectorOpen || inspectorTab !== 'measure') return [];
    const view: ViewState = state.gpu.viewer.snapshot().state;
    const { crosshair, timePoint, layers } = view;
    const { channel } = channelAt(base.info, timePoint);
    const line = (name: string, volume: VolumeSource, voxel: Voxel, first: number): readonly TimeLine[] => {
      const { timePoints } = channelLayout(volume.info);
      return timePoints > 1 ? [{ name, volume, voxel, first, count: timePoints }] : [];
    };
    const [x, y, z] = crosshair;
    return [
      ...line(document.name, base, crosshair, channel * channelLayout(base.info).timePoints),
      ...layers.layers.flatMap((look) => {
        const volume = this.#volumes.layer(look.id);
        if (!volume || look.colormap === 'labels' || !isLayerShown(layers, look)) return [];
        const voxel = layerVoxelAt(placeLayer(base.info, volume.info).map, [x + 0.5, y + 0.5, z + 0.5], volume.info);
        const first = layerTime({ ...base.info, channels: undefined }, 0, volume.info, look.channel);
        return voxel ? line(look.name, volume, voxel, first) : [];
      }),
    ];
  }

  /** One after the other. A crosshair that moves on ends what is read for the place before. */
  async #readAll(): Promise<void> {
    this.#isReading = true;
    try {
      for (let key = ''; this.#wanted !== '' && key !== this.#wanted; ) {
        key = this.#wanted;
        const curve = await this.#read(() => key === this.#wanted).catch(() => undefined);
        // The volume or the device may have gone meanwhile.
        if (key === this.#wanted) this.#store.setState({ timeCurve: curve });
      }
    } finally {
      this.#isReading = false;
    }
  }

  /** Undefined if it is not wanted any more. */
  async #read(isWanted: () => boolean): Promise<TimeCurve | undefined> {
    const state = this.#store.getState();
    const document = openDocument(state);
    if (!document || state.gpu.kind !== 'ready') return undefined;
    const voxel = state.gpu.viewer.snapshot().state.crosshair;
    const lines = this.#lines(state);
    const count = Math.max(...lines.map((line) => line.count));
    const series: ProfileSeries[] = [];
    for (const line of lines) {
      const { slope, intercept, valueUnit } = line.volume.info;
      const values: (number | null)[] = [];
      while (values.length < line.count) {
        const times = Array.from(
          { length: Math.min(timePointsAtOnce, line.count - values.length) },
          (_, at) => line.first + values.length + at,
        );
        const stored = await Promise.all(times.map((time) => line.volume.voxel(...line.voxel, time)));
        if (!isWanted()) return undefined;
        values.push(...stored.map((value) => (Number.isFinite(value) ? slope * value + intercept : null)));
      }
      while (values.length < count) values.push(null);
      series.push({ name: line.name, unit: valueUnit, values });
    }
    return { voxel, series, ...timesOf(document.info, count) };
  }
}

/** The open volume's time, if its file gives one, else the numbers of the time points. */
function timesOf({ spacing, timeUnit }: VolumeInfo, count: number): Pick<TimeCurve, 'times' | 'unit'> {
  const hasTime = timeUnit !== 'unknown' && spacing[3] > 0 && Number.isFinite(spacing[3]);
  const times = Array.from({ length: count }, (_, at) => (hasTime ? at * spacing[3] : at + 1));
  return { times, unit: hasTime ? timeUnit : undefined };
}

/** One line for each time point: its time, then the value of each volume; empty where there is none. */
export function timeCurveCsv({ times, unit, series }: TimeCurve): string {
  const heads = series.map(({ name, unit: valueUnit }) => (valueUnit ? `${name} (${valueUnit})` : name));
  const rows = times.map((time, at) => [String(time), ...series.map(({ values }) => String(values[at] ?? ''))]);
  return csvText([[unit === undefined ? 'time point' : `time (${unit})`, ...heads], ...rows]);
}
