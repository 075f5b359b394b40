import { channelAt, channelLayout, type VolumeInfo } from '../../../core/shared/volume.ts';
import type { VolumeSource } from '../../../core/volume/volume-source.ts';
import { layerVoxelAt } from '../../viewer/model/layer-place.ts';
import { layerTime } from '../../viewer/model/layers.ts';
import type { Voxel } from '../../viewer/model/slice-geometry.ts';
import type { ViewState } from '../../viewer/model/viewer-api.ts';
import type { ProfileSeries } from '../state/profile-state.ts';
import { type AppState, type AppStore, openDocument } from '../state/store.ts';
import type { TimeCurve } from '../state/time-curve-state.ts';
import { LatestReading } from './latest-reading.ts';
import { type MeasuredVolumes, realValue, seriesCsv, shownImages } from './volume-series.ts';

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
  readonly #volumes: MeasuredVolumes;

  constructor(store: AppStore, volumes: MeasuredVolumes) {
    this.#store = store;
    this.#volumes = volumes;
    new LatestReading<TimeCurve>(store, {
      follows: ['settings', 'layers', 'document', 'gpu', 'residency'],
      keyOf: (state) => this.#keyOf(state),
      read: (isWanted) => this.#read(isWanted),
      show: (timeCurve) => store.setState({ timeCurve }),
    });
  }

  #keyOf(state: AppState): string {
    const lines = this.#lines(state);
    if (lines.length === 0) return '';
    return JSON.stringify([state.residency?.kept, lines.map(({ volume: _, ...line }) => line)]);
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
      ...shownImages(base.info, layers, this.#volumes.layer).flatMap(({ look, volume, map }) => {
        const voxel = layerVoxelAt(map, [x + 0.5, y + 0.5, z + 0.5], volume.info);
        const first = layerTime({ ...base.info, channels: undefined }, 0, volume.info, look.channel);
        return voxel ? line(look.name, volume, voxel, first) : [];
      }),
    ];
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
      const { info } = line.volume;
      const values: (number | null)[] = [];
      while (values.length < line.count) {
        const times = Array.from(
          { length: Math.min(timePointsAtOnce, line.count - values.length) },
          (_, at) => line.first + values.length + at,
        );
        const stored = await Promise.all(times.map((time) => line.volume.voxel(...line.voxel, time)));
        if (!isWanted()) return undefined;
        values.push(...stored.map((value) => realValue(value, info)));
      }
      while (values.length < count) values.push(null);
      series.push({ name: line.name, unit: info.valueUnit, values });
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
  return seriesCsv(unit === undefined ? 'time point' : `time (${unit})`, times, series);
}
