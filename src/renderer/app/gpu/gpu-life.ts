import { diagnoseGpu, type Gpu, openGpu } from '../../../core/gpu/gpu.ts';
import { createGpuBackend, type GpuBackend } from '../../../core/gpu-chunks/gpu-backend.ts';
import { defaultBudget } from '../../../core/volume/resident/resident-volume.ts';
import type { Viewpoints } from '../../viewer/model/same-place.ts';
import type { ViewState } from '../../viewer/model/viewer-api.ts';
import { Viewer } from '../../viewer/viewer.ts';
import { type BrickBudgets, brickBudgetsOf } from '../state/brick-budgets.ts';
import { applyTuning } from '../state/gpu-tuning.ts';
import type { AppStore } from '../state/store.ts';

/** The device and everything built on it, which is recreated after a device loss. */
export interface Engine {
  readonly gpu: Gpu;
  readonly backend: GpuBackend;
  readonly viewer: Viewer;
  /** Memory budget for volumes in bytes, by the current setting. */
  readonly budgetBytes: number;
  /** The budgets for bricks of larger volumes, by the current settings. */
  readonly brickBudgets: BrickBudgets;
}

/** What a viewer showed, and from where, when its device was lost. */
export interface LostView {
  readonly state: ViewState;
  readonly viewpoints: Viewpoints;
}

/** Is notified when devices are lost and replaced. */
export interface EngineWatcher {
  deviceLost(message: string): void;
  /**
   * There is a new device, possibly the first one. Restores what the old one showed. The GPU's state becomes `ready` once this resolves.
   * @param view the view before the loss, if a device was lost
   */
  deviceBack(engine: Engine, view: LostView | undefined): Promise<void>;
  /** No new device is available. */
  deviceGone(message: string): void;
}

const attempts = 4;
const firstPauseMs = 250;
/** After this many losses within this time, no new device is opened: it would be lost again. */
const mostLosses = 5;
const lossWindowMs = 30_000;

const givenUp =
  'The graphics device was lost again and again. Update the graphics driver, then restart Stria; no file was changed.';

/** @param lossTimesMs times of device losses, the last one just now */
export function isLostTooOften(lossTimesMs: readonly number[]): boolean {
  const now = lossTimesMs.at(-1) ?? 0;
  return lossTimesMs.filter((time) => now - time < lossWindowMs).length > mostLosses;
}

/** Opens the GPU, and opens a new device after a loss. */
export class GpuLife {
  readonly #store: AppStore;
  readonly #watcher: EngineWatcher;
  #engine: Engine | undefined;
  /** The view to restore. Kept until it is restored, since the new device may be lost first. */
  #lostView: LostView | undefined;
  readonly #lossTimesMs: number[] = [];

  constructor(store: AppStore, watcher: EngineWatcher) {
    this.#store = store;
    this.#watcher = watcher;
  }

  /** The engine; undefined while there is no device. */
  get engine(): Engine | undefined {
    return this.#engine;
  }

  /** Forgets the losses so far. For testing. */
  forgetLosses(): void {
    this.#lossTimesMs.length = 0;
  }

  /** Opens the GPU, or tries again. Never throws; without a GPU the state says why. */
  async open(): Promise<void> {
    this.#store.setState({ gpu: { kind: 'opening' } });
    let engine: Engine;
    try {
      engine = await this.#start();
    } catch {
      this.#store.setState({ gpu: { kind: 'failed', diagnosis: await diagnoseGpu(navigator.gpu) } });
      return;
    }
    await this.#present(engine);
  }

  async #start(): Promise<Engine> {
    const gpu = await openGpu(navigator.gpu);
    const store = this.#store;
    applyTuning(store.getState().settings.tunings, gpu);
    const engine: Engine = {
      gpu,
      backend: createGpuBackend(gpu),
      viewer: new Viewer(gpu),
      get budgetBytes() {
        const { gpuBudgetMiB } = store.getState().settings;
        return gpuBudgetMiB === 'auto' ? defaultBudget(gpu) : gpuBudgetMiB * 2 ** 20;
      },
      get brickBudgets() {
        return brickBudgetsOf(store.getState().settings.brickMiB, engine.budgetBytes);
      },
    };
    engine.viewer.setGround(store.getState().settings.ground);
    gpu.onError((message) => console.error(`WebGPU: ${message}`));
    gpu.onLost((message) => void this.#recover(engine, message));
    this.#engine = engine;
    return engine;
  }

  async #present(engine: Engine): Promise<void> {
    await this.#watcher.deviceBack(engine, this.#lostView);
    // This device was lost meanwhile too, and the next one is being opened.
    if (this.#engine !== engine) return;
    this.#lostView = undefined;
    this.#store.setState({ gpu: { kind: 'ready', gpu: engine.gpu, viewer: engine.viewer } });
  }

  async #recover(lost: Engine, message: string): Promise<void> {
    if (this.#engine !== lost) return;
    this.#engine = undefined;
    this.#lostView ??= { state: lost.viewer.snapshot().state, viewpoints: lost.viewer.views.viewpoints() };
    this.#store.setState({ gpu: { kind: 'recovering', message } });
    this.#watcher.deviceLost(message);
    lost.viewer.dispose();
    this.#lossTimesMs.push(performance.now());
    const engine = isLostTooOften(this.#lossTimesMs) ? undefined : await this.#startAgain();
    if (engine) {
      await this.#present(engine);
      return;
    }
    const diagnosis = await diagnoseGpu(navigator.gpu);
    const isGivenUp = isLostTooOften(this.#lossTimesMs);
    this.#store.setState({
      gpu: { kind: 'failed', diagnosis: isGivenUp ? { ...diagnosis, state: 'device-lost', advice: givenUp } : diagnosis },
    });
    this.#watcher.deviceGone(message);
  }

  async #startAgain(): Promise<Engine | undefined> {
    for (let attempt = 0, pauseMs = firstPauseMs; attempt < attempts; attempt++, pauseMs *= 2) {
      // A driver that restarts needs a moment, and does not report when it is ready.
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
      try {
        return await this.#start();
      } catch {
        // Try again after a longer pause.
      }
    }
    return undefined;
  }
}
