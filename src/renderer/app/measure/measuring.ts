import { toStriaError } from '../../../core/shared/errors.ts';
import type { JobOptions, Progress } from '../../../core/shared/job.ts';
import type { RegionStatistics } from '../../../core/volume/region-statistics.ts';
import type { VolumeSource } from '../../../core/volume/volume-source.ts';
import {
  isMeasuring,
  type Measurement,
  type MeasurementKind,
  middleOf,
  needsVoxels,
  type SliceTool,
} from '../../viewer/model/measure.ts';
import { clampVoxel } from '../../viewer/model/slice-geometry.ts';
import { emptyBoard, type MeasureBoard } from '../../viewer/model/view-host.ts';
import { fraction } from '../state/progress.ts';
import { type RegionFound, type RegionsFound, regionKey } from '../state/regions.ts';
import type { Settings } from '../state/settings.ts';
import { type AppState, type AppStore, openDocument } from '../state/store.ts';
import { measurementLines } from './measurement-words.ts';
import { regionOfVoxels } from './region-of-voxels.ts';

/** Computes statistics of a region at full resolution; undefined if it contains no voxels. */
export type RegionReader = (measurement: Measurement, job: JobOptions) => Promise<RegionStatistics | undefined>;

/**
 * The measurements of the open volume. Shows them in the viewer, takes new ones from it, and computes the statistics of
 * regions.
 */
export class Measuring {
  readonly #store: AppStore;
  readonly #volume: () => VolumeSource | undefined;
  readonly #fromFile: RegionReader;
  #board: MeasureBoard = emptyBoard;
  /** The state that the board was made from. */
  #shownBy: unknown;
  #units: Settings['lengthUnits'] | undefined;
  #regions: RegionsFound | undefined;
  #work: { readonly key: string; readonly controller: AbortController } | undefined;
  /** The tool that M switches back to. */
  #lastTool: MeasurementKind = 'distance';

  /**
   * @param volume the volume in GPU memory
   * @param fromFile used if GPU memory lacks some of its voxels
   */
  constructor(store: AppStore, volume: () => VolumeSource | undefined, fromFile: RegionReader) {
    this.#store = store;
    this.#volume = volume;
    this.#fromFile = fromFile;
    store.subscribe((state, before) => {
      const isOther = (['measurements', 'chosenMeasurement', 'tool', 'regions', 'document', 'gpu', 'residency'] as const).some(
        (key) => state[key] !== before[key],
      );
      if (!isOther && state.settings.lengthUnits === before.settings.lengthUnits) return;
      this.#show(state);
      this.#compute();
    });
  }

  setTool(tool: SliceTool): void {
    if (isMeasuring(tool)) this.#lastTool = tool;
    this.#store.setState({ tool });
  }

  /** Switches measuring on or off. */
  toggle(): void {
    const state = this.#store.getState();
    const last = openDocument(state)?.space && needsVoxels(this.#lastTool) ? 'distance' : this.#lastTool;
    this.setTool(isMeasuring(state.tool) ? 'pointer' : last);
  }

  /** Adds a measurement, or replaces the one with its id. */
  put(measurement: Measurement): void {
    const { measurements } = this.#store.getState();
    const at = measurements.findIndex(({ id }) => id === measurement.id);
    this.#store.setState({ measurements: at < 0 ? [...measurements, measurement] : measurements.with(at, measurement) });
  }

  remove(id: string): void {
    this.#store.setState(({ measurements, chosenMeasurement }) => ({
      measurements: measurements.filter((measurement) => measurement.id !== id),
      chosenMeasurement: chosenMeasurement === id ? undefined : chosenMeasurement,
    }));
  }

  /** An empty name changes nothing. */
  rename(id: string, name: string): void {
    const measurement = this.#store.getState().measurements.find((one) => one.id === id);
    const trimmed = name.trim().slice(0, 200);
    if (measurement && trimmed !== '' && trimmed !== measurement.name) this.put({ ...measurement, name: trimmed });
  }

  choose(id: string | undefined): void {
    this.#store.setState({ chosenMeasurement: id });
  }

  /** Selects a measurement and shows its slice, position and time point. */
  jumpTo(id: string): void {
    const { measurements, gpu } = this.#store.getState();
    const measurement = measurements.find((one) => one.id === id);
    const dims = this.#volume()?.info.dims;
    if (!measurement || !dims || gpu.kind !== 'ready') return;
    const { axis, oblique, timePoint } = measurement;
    this.#store.setState({ chosenMeasurement: id, ...(!oblique && { sliceAxis: axis }) });
    const crosshair = clampVoxel(middleOf(measurement), [dims[0], dims[1], dims[2]]);
    gpu.viewer.set({ crosshair, timePoint, ...(oblique && { oblique }) });
  }

  /**
   * Goes back one step: cancels a measurement in progress, then the tool, then the selection. @returns whether there was
   * anything to cancel
   */
  backOut(): boolean {
    const { gpu, tool, chosenMeasurement } = this.#store.getState();
    if (gpu.kind === 'ready' && gpu.viewer.overlays.cancelMeasuring()) return true;
    if (tool !== 'pointer') this.setTool('pointer');
    else if (chosenMeasurement !== undefined) this.choose(undefined);
    else return false;
    return true;
  }

  #show({ gpu, tool, measurements, chosenMeasurement, regions, settings }: AppState): void {
    if (gpu.kind !== 'ready') return;
    const isSame = this.#board.tool === tool && this.#board.measurements === measurements;
    const { lengthUnits } = settings;
    if (
      gpu.viewer === this.#shownBy &&
      lengthUnits === this.#units &&
      isSame &&
      this.#board.chosen === chosenMeasurement &&
      this.#regions === regions
    )
      return;
    this.#regions = regions;
    this.#shownBy = gpu.viewer;
    this.#units = lengthUnits;
    this.#board = {
      tool,
      measurements,
      chosen: chosenMeasurement,
      words: (measurement) => {
        const info = openDocument(this.#store.getState())?.info;
        return info ? [measurement.name, ...measurementLines(measurement, info, regions[regionKey(measurement)])] : [];
      },
      put: (measurement) => this.put(measurement),
      choose: (id) => this.choose(id),
    };
    gpu.viewer.overlays.showMeasurements(this.#board);
  }

  /** Computes one region after the other. Results of regions that have changed meanwhile are dropped. */
  #compute(): void {
    const { document, measurements, regions, gpu } = this.#store.getState();
    const wanted = new Map(measurements.filter(isRegion).map((measurement) => [regionKey(measurement), measurement]));
    if (this.#work && !wanted.has(this.#work.key)) this.#work.controller.abort();
    const volume = this.#volume();
    if (this.#work || !volume || document.kind !== 'ready' || gpu.kind !== 'ready') return;
    const next = [...wanted].find(([key]) => regions[key] === undefined || regions[key].kind === 'reading');
    if (next) void this.#computeOne(volume, ...next);
  }

  async #computeOne(volume: VolumeSource, key: string, measurement: Measurement): Promise<void> {
    const controller = new AbortController();
    this.#work = { key, controller };
    const { signal } = controller;
    const onProgress = (progress: Progress) => {
      const reading: RegionFound = { kind: 'reading', done: fraction(progress) ?? 0 };
      if (!signal.aborted) this.#store.setState(({ regions }) => ({ regions: { ...regions, [key]: reading } }));
    };
    const read: RegionReader = volume.decimation > 1 ? this.#fromFile : (one) => regionOfVoxels(volume, one, signal);
    const found = await regionFound(read, measurement, { signal, onProgress });
    this.#work = undefined;
    const { measurements, regions } = this.#store.getState();
    // Forget results that are no longer needed, so that dragging leaves nothing behind.
    const kept = new Set(measurements.filter(isRegion).map(regionKey));
    if (found && kept.has(key)) {
      const others = Object.entries(regions).filter(([one]) => kept.has(one));
      this.#store.setState({ regions: { ...Object.fromEntries(others), [key]: found } });
    } else if (controller.signal.aborted || this.#volume() !== volume) this.#compute();
  }
}

function isRegion({ kind }: Measurement): boolean {
  return kind === 'rectangle' || kind === 'sphere';
}

/** Undefined if it was cancelled or the volume was closed. */
async function regionFound(read: RegionReader, measurement: Measurement, job: JobOptions): Promise<RegionFound | undefined> {
  try {
    const statistics = await read(measurement, job);
    return statistics ? { kind: 'found', statistics } : { kind: 'empty' };
  } catch (error) {
    const { tag, message } = toStriaError(error);
    return tag === 'aborted' || tag === 'device-lost' ? undefined : { kind: 'failed', message };
  }
}
