import { faultToData, StriaError, toStriaError } from '../../../core/shared/errors.ts';
import { throwIfAborted } from '../../../core/shared/job.ts';
import { inRealOrder, realDirection } from '../../../core/shared/real-order.ts';
import { type VolumeInfo, volumeBytes } from '../../../core/shared/volume.ts';
import { Stopwatch } from '../../../core/stream/stage-times.ts';
import type { CutChunks } from '../../../core/volume/compressed/compressed-volume.ts';
import {
  countDifferences,
  differenceBytes,
  differenceProblem,
  subtractVolumes,
} from '../../../core/volume/resident/difference.ts';
import type { ResidentVolume } from '../../../core/volume/resident/resident-volume.ts';
import { areAlike, LinkedViewers, type Links } from '../../viewer/linked-viewers.ts';
import { autoView } from '../../viewer/model/auto-view.ts';
import { shows3d, type ViewState } from '../../viewer/model/viewer-api.ts';
import { Viewer } from '../../viewer/viewer.ts';
import type { Engine } from '../gpu/gpu-life.ts';
import { type KeptVolume, keepAs } from '../gpu/residency.ts';
import { loadResident, type OpenRequest, openStages } from '../loading/load-resident.ts';
import { whyNoRoom } from '../loading/room.ts';
import type { ComparisonMode } from '../state/comparison-state.ts';
import { isSameDocument } from '../state/document-state.ts';
import { nextProgress, startProgress, throttleProgress } from '../state/progress.ts';
import { type AppStore, openDocument } from '../state/store.ts';
import { type ComparisonEvent, nextComparison } from './comparison-machine.ts';

/** The open volume, as the document holds it. */
export interface ComparedVolume {
  readonly kept: KeptVolume;
  /** The chunks of the last compression, once they are in host memory. */
  chunks(): Promise<CutChunks> | undefined;
}

/** The second volume on the GPU, and what belongs to it. */
interface Second {
  readonly engine: Engine;
  readonly viewer: Viewer;
  readonly kept: KeptVolume;
  readonly link: LinkedViewers;
  difference: ResidentVolume | undefined;
  /** Resolves once nothing reads the second volume any more; never rejects. The volume is freed only then. */
  work: Promise<void>;
}

/**
 * Shows a second volume, or the difference from the open one, in a second viewer that follows the first. The comparison ends
 * when the open volume is closed or the device is lost.
 */
export class Comparison {
  readonly #store: AppStore;
  readonly #engine: () => Engine | undefined;
  readonly #first: () => ComparedVolume | undefined;
  #second: Second | undefined;
  #job: AbortController | undefined;

  /** @param first the open volume */
  constructor(store: AppStore, engine: () => Engine | undefined, first: () => ComparedVolume | undefined) {
    this.#store = store;
    this.#engine = engine;
    this.#first = first;
    store.subscribe(({ document, gpu, settings }, before) => {
      this.#second?.viewer.setGround(settings.ground);
      if (!isSameDocument(document, before.document) || gpu !== before.gpu) this.end();
    });
  }

  /** Loads a second volume and shows it beside the first, or as the difference. Failures become the state. */
  async open(request: OpenRequest, name: string, mode: ComparisonMode = 'beside'): Promise<void> {
    await this.#begin(name, async (engine, job) => {
      // Checked before memory is allocated: a comparison needs all voxels of both volumes.
      const onInfo = (info: VolumeInfo) => this.#checkRoom(engine, volumeBytes(info), 'the second volume');
      return (await loadResident(engine, request, { ...job, onInfo, isWhole: true }, new Stopwatch(openStages))).kept;
    });
    if (this.#second) await this.show(mode);
  }

  /** Decodes the last compressed version of the open volume, verifies every checksum, and shows the difference. */
  async openCompressed(name: string): Promise<void> {
    const first = this.#first();
    const chunks = first?.chunks();
    if (!first || !chunks) return;
    const { kept } = first;
    // The job awaits it, if it gets that far.
    chunks.catch(() => {});
    await this.#begin(name, async (engine, job) => {
      this.#checkRoom(engine, volumeBytes(kept.info), 'the compressed volume');
      return keepAs(engine, 'raw', { info: kept.info, ...(await chunks) }, { ...job, verify: true });
    });
    if (this.#second) await this.show('difference');
  }

  /** Switches what the second viewer shows. If the difference cannot be computed, the view stays and the state says why. */
  async show(mode: ComparisonMode): Promise<void> {
    const second = this.#second;
    const state = this.#store.getState().comparison;
    if (!second || state.kind !== 'ready' || state.mode === mode) return;
    second.work = second.work.then(() => this.#showNow(second, mode)).catch(() => undefined);
    await second.work;
  }

  async #showNow(second: Second, mode: ComparisonMode): Promise<void> {
    if (this.#second !== second) return;
    if (mode === 'beside') {
      this.#send({ kind: 'look', mode });
      await this.#look(second, second.kept);
      return;
    }
    const difference = second.difference ?? (await this.#subtract(second));
    if (!difference || this.#second !== second || !this.#send({ kind: 'look', mode })) return;
    await this.#look(second, difference);
  }

  link(change: Partial<Links>): void {
    if (!this.#send({ kind: 'link', change })) return;
    const state = this.#store.getState().comparison;
    if (this.#second && state.kind === 'ready') this.#second.link.links = effectiveLinks(state.links, state.mode);
  }

  /** Moves the crosshair to the voxel that differs most. */
  goToLargest(): void {
    const state = this.#store.getState().comparison;
    if (state.kind !== 'ready' || state.difference.kind !== 'known') return;
    const voxel = state.difference.difference.largest?.voxel;
    if (voxel) this.#second?.engine.viewer.set({ crosshair: [voxel[0], voxel[1], voxel[2]], timePoint: voxel[3] });
  }

  /** Ends the comparison at once. The second volume is freed when nothing reads it any more. */
  end(): void {
    this.#stop();
    this.#send({ kind: 'end' });
  }

  /** Ends the comparison, even while it loads, and frees its memory. */
  #stop(): void {
    this.#job?.abort();
    this.#job = undefined;
    const second = this.#second;
    this.#second = undefined;
    if (second) free(second);
  }

  async #begin(
    name: string,
    load: (engine: Engine, job: { signal: AbortSignal; onProgress: ReturnType<typeof throttleProgress> }) => Promise<KeptVolume>,
  ): Promise<void> {
    const engine = this.#engine();
    if (!engine || !openDocument(this.#store.getState())) return this.end();
    this.#stop();
    const controller = new AbortController();
    this.#job = controller;
    const { signal } = controller;
    let progress = startProgress('Opening', undefined, performance.now());
    this.#send({ kind: 'begin', name, progress });
    const onProgress = throttleProgress((next) => {
      progress = nextProgress(progress, next, performance.now());
      if (!signal.aborted) this.#send({ kind: 'progress', progress });
    });
    let kept: KeptVolume | undefined;
    try {
      kept = await load(engine, { signal, onProgress });
      throwIfAborted(signal);
      if (kept.decimation > 1)
        throw new StriaError('out-of-memory', 'the GPU does not have enough memory for a second volume of this size');
      await this.#present(engine, kept, signal);
    } catch (error) {
      kept?.destroy();
      const isOver = signal.aborted || ['aborted', 'device-lost'].includes(toStriaError(error).tag);
      if (!isOver) this.#send({ kind: 'fail', fault: faultToData(error) });
      else if (this.#job === controller) this.end();
    }
  }

  async #present(engine: Engine, kept: KeptVolume, signal: AbortSignal): Promise<void> {
    const statistics = await kept.statistics();
    throwIfAborted(signal);
    const view = autoView(kept.info, statistics);
    const first = openDocument(this.#store.getState());
    // If the values are not comparable, the first volume's window would show the second all white or black.
    const values = first !== undefined && areAlike(first.info, kept.info, first.statistics.window, statistics.window);
    const links: Links = { views: true, values, layers: true };
    const viewer = new Viewer(engine.gpu);
    viewer.setGround(this.#store.getState().settings.ground);
    try {
      await viewer.setVolume(kept, view, this.#shows3d);
      throwIfAborted(signal);
    } catch (error) {
      viewer.dispose();
      throw error;
    }
    engine.viewer.lendLayers(viewer);
    const link = new LinkedViewers(engine.viewer, viewer, links);
    this.#second = { engine, viewer, kept, link, difference: undefined, work: Promise.resolve() };
    this.#send({ kind: 'present', info: kept.info, viewer, links });
  }

  async #subtract(second: Second): Promise<ResidentVolume | undefined> {
    const { engine, kept } = second;
    const first = this.#first()?.kept;
    const problem = first && differenceRefusal(first, kept);
    if (!first || problem !== undefined) {
      this.#send({ kind: 'refuse', why: problem ?? 'there is no volume' });
      return undefined;
    }
    let progress = startProgress('Subtracting', undefined, performance.now());
    this.#send({ kind: 'subtract', progress });
    const onProgress = throttleProgress((next) => {
      progress = nextProgress(progress, next, performance.now());
      if (this.#second === second) this.#send({ kind: 'progress', progress });
    });
    const check = () => {
      if (this.#second !== second || this.#first()?.kept !== first)
        throw new StriaError('aborted', 'the volume changed meanwhile. Try again');
    };
    const options = { check, onProgress };
    try {
      const whyUnseen = whyNoRoom(engine, differenceBytes(kept.info), 'a picture of the difference');
      if (whyUnseen !== undefined) {
        const difference = await countDifferences(engine.gpu, first, kept, options);
        if (this.#second === second) this.#send({ kind: 'know', difference, whyUnseen });
        return undefined;
      }
      const { volume, difference } = await subtractVolumes(engine.gpu, first, kept, options);
      if (this.#second !== second) {
        volume.destroy();
        return undefined;
      }
      second.difference = volume;
      this.#send({ kind: 'know', difference, whyUnseen: undefined });
      return volume;
    } catch (error) {
      if (this.#second === second) this.#send({ kind: 'refuse', why: toStriaError(error).message });
      return undefined;
    }
  }

  /** Shows a volume in the second viewer, at the first viewer's crosshair and time point. */
  async #look(second: Second, volume: KeptVolume): Promise<void> {
    const { viewer, link, engine } = second;
    const isDifference = volume === second.difference;
    const view = autoView(volume.info, await volume.statistics());
    const state = this.#store.getState().comparison;
    if (this.#second !== second || state.kind !== 'ready') return;
    const { crosshair, timePoint } = engine.viewer.snapshot().state;
    const { largest } = state.difference.kind === 'known' ? state.difference.difference : { largest: undefined };
    const place = { crosshair, timePoint };
    const shown = isDifference ? { ...view, ...place, ...differenceLook(largest?.magnitude ?? 0, volume.info) } : view;
    // Until the volume is set, nothing is copied back to the first viewer.
    await link.pauseFor(() => {
      link.links = effectiveLinks(state.links, state.mode);
      return viewer.setVolume(volume, shown, this.#shows3d);
    });
  }

  /** @throws StriaError `out-of-memory` if `bytes` more do not fit; `what` names the volume in its message */
  #checkRoom(engine: Engine, bytes: number, what: string): void {
    const problem = whyNoRoom(engine, bytes, what);
    if (problem !== undefined) throw new StriaError('out-of-memory', problem);
  }

  get #shows3d(): boolean {
    return shows3d(this.#store.getState().settings.layout);
  }

  /** @returns false if the event is ignored in this state */
  #send(event: ComparisonEvent): boolean {
    const comparison = nextComparison(this.#store.getState().comparison, event);
    if (comparison) this.#store.setState({ comparison });
    return comparison !== undefined;
  }
}

/** Why two volumes cannot be subtracted as they are kept; undefined if they can. */
function differenceRefusal(first: KeptVolume, second: KeptVolume): string | undefined {
  const problem = differenceProblem(first.info, second.info);
  if (problem !== undefined) return problem;
  return first.decimation > 1
    ? 'the first volume does not fit in GPU memory and is shown at less than its resolution'
    : undefined;
}

/** A difference has its own colours and no layers, so neither follows the first viewer. */
function effectiveLinks(links: Links, mode: ComparisonMode): Links {
  return mode === 'difference' ? { ...links, values: false, layers: false } : links;
}

/** Blue below zero, red above; the 3D view shows only values far from zero. */
function differenceLook(magnitude: number, info: VolumeInfo): Partial<ViewState> {
  const reach = magnitude > 0 && Number.isFinite(magnitude) ? magnitude : 1;
  return {
    window: inRealOrder([-reach, reach], info),
    level: (realDirection(info) * reach) / 2,
    colormap: 'difference',
    inverted: false,
    projection: 'composite',
    opacity: [
      [0, 0.9],
      [0.45, 0.05],
      [0.5, 0],
      [0.55, 0.05],
      [1, 0.9],
    ],
    smooth: false,
  };
}

function free(second: Second): void {
  const { engine, viewer, kept, link } = second;
  link.end();
  engine.viewer.lendLayers(undefined);
  const destroy = () => {
    viewer.dispose();
    kept.destroy();
    second.difference?.destroy();
  };
  if (engine.gpu.isLost) destroy();
  else second.work.then(() => viewer.setVolume(undefined)).then(destroy, destroy);
}
