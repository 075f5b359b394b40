import { channelAt, channelLayout, type VolumeInfo } from '../../../core/shared/volume.ts';
import type { Region } from '../../../core/volume/region-statistics.ts';
import type { VolumeSource } from '../../../core/volume/volume-source.ts';
import { layerVoxelAt } from '../../viewer/model/layer-place.ts';
import { baseId, layerTime } from '../../viewer/model/layers.ts';
import type { Measurement } from '../../viewer/model/measure.ts';
import { metricOf } from '../../viewer/model/metric.ts';
import type { Voxel } from '../../viewer/model/slice-geometry.ts';
import type { ViewState } from '../../viewer/model/viewer-api.ts';
import type { VoxelMap } from '../../viewer/model/voxel-map.ts';
import { regionOf } from '../../viewer/slices/measure-region.ts';
import { isSameDocument } from '../state/document-state.ts';
import type { SavedCurve } from '../state/saved-session.ts';
import { type AppState, type AppStore, openDocument } from '../state/store.ts';
import { type CurveSeries, mostPinnedCurves, type PinnedCurve, type TimeCurve } from '../state/time-curve-state.ts';
import { placeWords } from '../words/counting.ts';
import { LatestReading } from './latest-reading.ts';
import { layerRegionMean, type RegionMean, regionMean } from './region-means.ts';
import { type MeasuredVolumes, realValue, seriesCsv, shownImages } from './volume-series.ts';

/** The number of time points that are read at once. Between batches, reading stops if the crosshair has moved. */
const timePointsAtOnce = 16;

/** A volume with several time points, and where to read it. */
interface TimeLine {
  /** `baseId` or the layer's id. */
  readonly id: string;
  readonly name: string;
  readonly volume: VolumeSource;
  readonly voxel: Voxel;
  /** Maps voxels of the open volume to a layer with its own grid. */
  readonly map: VoxelMap | undefined;
  /** The index along t of the first time point, and the number of time points. */
  readonly first: number;
  readonly count: number;
}

/**
 * Keeps the curve over time up to date while its tab is open: at the crosshair, or in the chosen measured region. Curves can be
 * pinned, for comparison with those of other places.
 */
export class TimeCurves {
  readonly #store: AppStore;
  readonly #volumes: MeasuredVolumes;

  constructor(store: AppStore, volumes: MeasuredVolumes) {
    this.#store = store;
    this.#volumes = volumes;
    new LatestReading<TimeCurve>(store, {
      follows: ['settings', 'layers', 'document', 'gpu', 'residency', 'measurements', 'chosenMeasurement'],
      keyOf: (state) => this.#keyOf(state),
      read: (isWanted) => this.#read(isWanted),
      show: (timeCurve, timeCurveFault) => store.setState({ timeCurve, timeCurveFault }),
    });
    store.subscribe((state, before) => {
      if (state.pinnedCurves.length > 0 && !isSameDocument(state.document, before.document)) store.setState({ pinnedCurves: [] });
    });
  }

  /** Pins the shown curve. */
  pin(): void {
    const { timeCurve, pinnedCurves } = this.#store.getState();
    const slots = Array.from({ length: mostPinnedCurves }, (_, at) => at + 1);
    const slot = slots.find((one) => pinnedCurves.every((pinned) => pinned.slot !== one));
    if (timeCurve && slot !== undefined) this.#store.setState({ pinnedCurves: [...pinnedCurves, { ...timeCurve, slot }] });
  }

  unpin(slot: number): void {
    this.#store.setState(({ pinnedCurves }) => ({ pinnedCurves: pinnedCurves.filter((pinned) => pinned.slot !== slot) }));
  }

  unpinAll(): void {
    this.#store.setState({ pinnedCurves: [] });
  }

  #keyOf(state: AppState): string {
    const lines = this.#lines(state);
    if (lines.length === 0) return '';
    const { id, name, points } = this.#chosenRegion(state)?.measurement ?? {};
    const places = lines.map(({ volume: _, voxel, ...line }) => [line, points ? undefined : voxel]);
    // A finer resolution takes the place of the volume that is being read, which ends that reading.
    const decimation = openDocument(state)?.decimation;
    return JSON.stringify([state.residency?.kept, decimation, id, name, points, places]);
  }

  /** The chosen rectangle or sphere, if GPU memory holds all voxels of the open volume. */
  #chosenRegion({ measurements, chosenMeasurement }: AppState): ChosenRegion | undefined {
    const base = this.#volumes.base();
    const measurement = measurements.find(({ id }) => id === chosenMeasurement);
    if (!measurement || !base || base.decimation > 1) return undefined;
    const [x, y, z] = base.info.dims;
    const region = regionOf(measurement, metricOf(base.info), [x, y, z]);
    return region && { measurement, region };
  }

  /** The volumes to read; none unless the tab is open. */
  #lines(state: AppState): readonly TimeLine[] {
    const document = openDocument(state);
    const base = this.#volumes.base();
    const { inspectorOpen, inspectorTab } = state.settings;
    if (!document || !base || state.gpu.kind !== 'ready' || !inspectorOpen || inspectorTab !== 'measure') return [];
    const view: ViewState = state.gpu.viewer.snapshot().state;
    const { crosshair, timePoint, layers } = view;
    const { channel } = channelAt(base.info, timePoint);
    const line = (given: Omit<TimeLine, 'count'>): readonly TimeLine[] => {
      const { timePoints: count } = channelLayout(given.volume.info);
      return count > 1 ? [{ ...given, count }] : [];
    };
    const hasRegion = this.#chosenRegion(state) !== undefined;
    const [x, y, z] = crosshair;
    return [
      ...line({
        id: baseId,
        name: document.name,
        volume: base,
        voxel: crosshair,
        map: undefined,
        first: channel * channelLayout(base.info).timePoints,
      }),
      ...shownImages(base.info, layers, this.#volumes.layer).flatMap(({ look, volume, map }) => {
        const voxel = layerVoxelAt(map, [x + 0.5, y + 0.5, z + 0.5], volume.info);
        const first = layerTime({ ...base.info, channels: undefined }, 0, volume.info, look.channel);
        const { id, name, of } = look;
        // Like the open volume, a layer has means of a region only if GPU memory holds all of its voxels.
        if (hasRegion && volume.decimation > 1) return [];
        return voxel || hasRegion
          ? line({ id, name, volume, voxel: voxel ?? crosshair, map: of === baseId ? undefined : map, first })
          : [];
      }),
    ];
  }

  /** Undefined if the curve is no longer wanted. */
  async #read(isWanted: () => boolean): Promise<TimeCurve | undefined> {
    const state = this.#store.getState();
    const document = openDocument(state);
    if (!document || state.gpu.kind !== 'ready') return undefined;
    const voxel = state.gpu.viewer.snapshot().state.crosshair;
    const lines = this.#lines(state);
    const count = Math.max(...lines.map((line) => line.count));
    const chosen = this.#chosenRegion(state);
    const series: CurveSeries[] = [];
    for (const line of lines) {
      const values = await (chosen ? meansAlong(line, chosen.region, isWanted) : valuesAlong(line, isWanted));
      if (!values) return undefined;
      while (values.length < count) values.push(null);
      series.push({ volume: line.id, name: line.name, unit: line.volume.info.valueUnit, values });
    }
    return { voxel, region: chosen?.measurement.name, series, ...timesOf(document.info, count) };
  }
}

interface ChosenRegion {
  readonly measurement: Measurement;
  readonly region: Region;
}

type Values = (number | null)[];

/** The values of a voxel over time. In a compressed volume, only the chunks that contain the voxel are decoded. */
async function valuesAlong({ volume, voxel, first, count }: TimeLine, isWanted: () => boolean): Promise<Values | undefined> {
  const values: Values = [];
  while (values.length < count) {
    const times = Array.from(
      { length: Math.min(timePointsAtOnce, count - values.length) },
      (_, at) => first + values.length + at,
    );
    const stored = await Promise.all(times.map((time) => volume.voxel(...voxel, time)));
    if (!isWanted()) return undefined;
    values.push(...stored.map((value) => realValue(value, volume.info)));
  }
  return values;
}

async function meansAlong(
  { volume, map, first, count }: TimeLine,
  region: Region,
  isWanted: () => boolean,
): Promise<Values | undefined> {
  const mean: RegionMean | undefined = map ? layerRegionMean(volume, region, map) : regionMean(volume, region);
  const values: Values = [];
  while (mean && values.length < count) {
    values.push(await mean(first + values.length));
    if (!isWanted()) return undefined;
  }
  return values;
}

/** The pinned curves of a session, with times from its volume. */
export function pinnedAgain(saved: readonly SavedCurve[], info: VolumeInfo): readonly PinnedCurve[] {
  return saved.map((curve) => ({ ...curve, ...timesOf(info, Math.max(0, ...curve.series.map(({ values }) => values.length))) }));
}

/** Times in the file's unit, or the numbers of the time points if the file gives no unit. */
function timesOf({ spacing, timeUnit }: VolumeInfo, count: number): Pick<TimeCurve, 'times' | 'unit'> {
  const hasTime = timeUnit !== 'unknown' && spacing[3] > 0 && Number.isFinite(spacing[3]);
  const times = Array.from({ length: count }, (_, at) => (hasTime ? at * spacing[3] : at + 1));
  return { times, unit: hasTime ? timeUnit : undefined };
}

/** The place where a curve was read, in words. */
export function curvePlace({ region, voxel }: TimeCurve): string {
  return region ?? placeWords(voxel).replaceAll('  ', ' ');
}

/**
 * One line for each time point: its time, then the value of each volume; empty where there is none. Several curves are columns beside
 * each other, named with their places.
 */
export function timeCurvesCsv(curves: readonly TimeCurve[]): string {
  const [longest] = [...curves].sort((a, b) => b.times.length - a.times.length);
  if (!longest) return '';
  const { times, unit } = longest;
  const series = curves.flatMap((curve) =>
    curve.series.map((one) =>
      curves.length > 1 || curve.region ? { ...one, name: `${one.name} at ${curvePlace(curve)}` } : one,
    ),
  );
  return seriesCsv(unit === undefined ? 'time point' : `time (${unit})`, times, series);
}
