import { diagnoseGpu, type Gpu, openGpu } from '../../../core/gpu/gpu.ts';
import { createGpuBackend, type GpuBackend } from '../../../core/gpu-chunks/gpu-backend.ts';
import { defaultBudget } from '../../../core/volume/resident-volume.ts';
import type { ViewState } from '../../viewer/model/viewer-api.ts';
import { Viewer } from '../../viewer/viewer.ts';
import { applyTuning } from '../state/gpu-tuning.ts';
import type { AppStore } from '../state/store.ts';

/** The device and what stands on it. All of it is made anew when the device is lost. */
export interface Engine {
  readonly gpu: Gpu;
  readonly backend: GpuBackend;
  readonly viewer: Viewer;
  /** What volumes may take of the device's memory, in bytes: as set, at the moment that it is read. */
  readonly budgetBytes: number;
}

/** Hears of devices that go and come. */
export interface EngineWatcher {
  deviceLost(message: string): void;
  /**
   * There is a device, be it the first. Brings back what the old one showed; the state is ready once that is done.
   * @param view how it was looked at, where a device was lost before
   */
  deviceBack(engine: Engine, view: ViewState | undefined): Promise<void>;
  /** No new device could be had. */
  deviceGone(message: string): void;
}

const attempts = 4;
const firstPauseMs = 250;
/** A device that is lost this often within this time will be lost again. */
const mostLosses = 5;
const lossWindowMs = 30_000;

const givenUp =
  'The graphics device was lost again and again. Update the graphics driver, then start Stria anew; no file was changed.';

/** @param lossTimesMs when devices were lost, the last one just now */
export function isLostTooOften(lossTimesMs: readonly number[]): boolean {
  const now = lossTimesMs.at(-1) ?? 0;
  return lossTimesMs.filter((time) => now - time < lossWindowMs).length > mostLosses;
}

/** Opens the GPU, and opens a new one when it is lost. */
export class GpuLife {
  readonly #store: AppStore;
  readonly #watcher: EngineWatcher;
  #engine: Engine | undefined;
  /** What is to be shown again. Kept until it is, since the new device may be lost before. */
  #lostView: ViewState | undefined;
  readonly #lossTimesMs: number[] = [];

  constructor(store: AppStore, watcher: EngineWatcher) {
    this.#store = store;
    this.#watcher = watcher;
  }

  /** Undefined while there is no device. */
  get engine(): Engine | undefined {
    return this.#engine;
  }

  /** Opens the GPU, or tries again. Never throws: where there is no GPU, the state says why. */
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
    };
    engine.viewer.setGround(store.getState().settings.ground);
    gpu.onError((message) => console.error(`WebGPU: ${message}`));
    gpu.onLost((message) => void this.#recover(engine, message));
    this.#engine = engine;
    return engine;
  }

  async #present(engine: Engine): Promise<void> {
    await this.#watcher.deviceBack(engine, this.#lostView);
    // Lost again meanwhile: the next one is on its way.
    if (this.#engine !== engine) return;
    this.#lostView = undefined;
    this.#store.setState({ gpu: { kind: 'ready', gpu: engine.gpu, viewer: engine.viewer } });
  }

  async #recover(lost: Engine, message: string): Promise<void> {
    if (this.#engine !== lost) return;
    this.#engine = undefined;
    this.#lostView ??= lost.viewer.snapshot().state;
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
      // A driver that restarts needs a moment, and tells nobody when it is done.
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
      try {
        return await this.#start();
      } catch {
        // Asked again after a longer pause.
      }
    }
    return undefined;
  }
}
