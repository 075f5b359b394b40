import type { LineSlab } from '../../../core/draw/line-from-file.ts';
import { sampleLine } from '../../../core/draw/line-samples.ts';
import { slabRange, type ThickSlice } from '../../../core/draw/slab-plane.ts';
import type { VolumeInfo } from '../../../core/shared/volume.ts';
import { isLayerShown, layerTime, volumeIdOf } from '../../viewer/model/layers.ts';
import { axisNumber, type Measurement, sliceOf } from '../../viewer/model/measure.ts';
import { lengthOf, metricOf, stepBetween } from '../../viewer/model/metric.ts';
import { safeSpacing } from '../../viewer/model/orientation.ts';
import { slabChoice, slabOf } from '../../viewer/model/slab.ts';
import type { Voxel } from '../../viewer/model/slice-geometry.ts';
import { mapPosition, mapStep } from '../../viewer/model/voxel-map.ts';
import type { LineProfile, ProfileSeries } from '../state/profile-state.ts';
import { type AppState, type AppStore, openDocument } from '../state/store.ts';
import { LatestReading } from './latest-reading.ts';
import { type MeasuredVolumes, realValue, seriesCsv, shownImages } from './volume-series.ts';

/** Samples for each voxel along a line, and their limits. */
const samplesPerVoxel = 2;
const [fewestSamples, mostSamples] = [2, 4096];

/** Keeps the profile of the chosen distance up to date as the distance, the layers or the time point change. */
export class Profiles {
  readonly #store: AppStore;
  readonly #volumes: MeasuredVolumes;
  readonly #sample: typeof sampleLine;

  constructor(store: AppStore, volumes: MeasuredVolumes, sample: typeof sampleLine = sampleLine) {
    this.#store = store;
    this.#volumes = volumes;
    this.#sample = sample;
    new LatestReading<LineProfile>(store, {
      follows: ['measurements', 'chosenMeasurement', 'layers', 'document', 'gpu', 'residency'],
      keyOf: (state) => this.#keyOf(state),
      read: () => this.#read(),
      show: (profile, profileFault) => store.setState({ profile, profileFault }),
    });
  }

  /** What a profile depends on. */
  #keyOf(state: AppState): string {
    const measurement = chosenDistance(state);
    if (!measurement || state.gpu.kind !== 'ready' || openDocument(state)?.space) return '';
    const { id, points } = measurement;
    const { layers, residency } = state;
    const { timePoint, smooth } = state.gpu.viewer.snapshot().state;
    const shown = layers.stack.layers.map((look) => [
      look.id,
      look.name,
      look.smooth,
      look.channel,
      look.motion,
      look.colormap === 'labels',
      isLayerShown(layers.stack, look),
      layers.volumes[volumeIdOf(look)]?.kind,
    ]);
    // A finer resolution takes the place of the volume that is being read, which ends that reading.
    const decimation = openDocument(state)?.decimation;
    return JSON.stringify([id, points, timePoint, smooth, shown, residency?.kept, decimation, this.#slabOf(state, measurement)]);
  }

  /** The slab of the slice that a distance was measured in; undefined if the slice is not thick. The oblique slice never is. */
  #slabOf({ gpu }: AppState, { axis, oblique }: Measurement): ThickSlice | undefined {
    const info = this.#volumes.base()?.info;
    if (!info || oblique || gpu.kind !== 'ready') return undefined;
    return slabOf(slabChoice(gpu.viewer.snapshot().state, axis), safeSpacing(info)[axisNumber(axis)]);
  }

  async #read(): Promise<LineProfile | undefined> {
    const state = this.#store.getState();
    const measurement = chosenDistance(state);
    const document = openDocument(state);
    const base = this.#volumes.base();
    if (!measurement || !document || !base || state.gpu.kind !== 'ready') return undefined;
    const { gpu, viewer } = state.gpu;
    const { timePoint, smooth, colormap, layers } = viewer.snapshot().state;
    const slab = this.#slabOf(state, measurement);
    const { from, to, thick } = lineIn(measurement, base.info, slab);
    const lines = [
      { name: document.name, volume: base, from, to, slab: thick, time: timePoint, smooth: smooth && colormap !== 'labels' },
      ...shownImages(base.info, layers, this.#volumes.layer).map(({ look: { name, smooth, channel }, volume, map }) => {
        const time = layerTime(base.info, timePoint, volume.info, channel);
        const layerSlab = thick && { ...thick, across: mapStep(map, thick.across) };
        return { name, volume, from: mapPosition(map, from), to: mapPosition(map, to), slab: layerSlab, time, smooth };
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
    return { measurement: measurement.id, distances, slab, series };
  }
}

/** The line to sample in the open volume for a distance: through the slices of a slab, or the line itself. */
function lineIn(
  measurement: Measurement,
  { dims }: VolumeInfo,
  slab: ThickSlice | undefined,
): { readonly from: Voxel; readonly to: Voxel; readonly thick: LineSlab | undefined } {
  const [from, to] = measurement.points as [Voxel, Voxel];
  if (!slab) return { from, to, thick: undefined };
  const axis = axisNumber(measurement.axis);
  const at = ([x, y, z]: Voxel, value: number) => [x, y, z].with(axis, value) as unknown as Voxel;
  const slices = slabRange(sliceOf(measurement), slab.slices, dims[axis]);
  // 0.5 is the middle of slice 0.
  return { from: at(from, 0.5), to: at(to, 0.5), thick: { kind: slab.kind, across: at([0, 0, 0], 1), slices } };
}

/** The words for a slab: `mean of 5 slices`. */
export function slabWords({ kind, slices }: ThickSlice): string {
  return `${kind} of ${slices} slices`;
}

/** One line for each sample: its distance, then the value of each volume; empty where there is none. */
export function profileCsv({ distances, slab, series }: LineProfile, { spatialUnit }: Pick<VolumeInfo, 'spatialUnit'>): string {
  const distance = spatialUnit === 'unknown' ? 'distance' : `distance (${spatialUnit})`;
  const named = slab ? series.map((one) => ({ ...one, name: `${one.name}, ${slabWords(slab)}` })) : series;
  return seriesCsv(distance, distances, named);
}

function chosenDistance({ measurements, chosenMeasurement }: AppState): Measurement | undefined {
  return measurements.find(({ id, kind }) => id === chosenMeasurement && kind === 'distance');
}
