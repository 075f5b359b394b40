import { createGpuBackend, type GpuBackend } from '../../core/engine/gpu-backend.ts';
import { diagnoseGpu, type Gpu, openGpu } from '../../core/gpu/gpu.ts';
import { Viewer } from '../viewer/viewer.ts';
import type { ViewState } from '../viewer/viewer-api.ts';
import type { AppStore } from './store.ts';

/** The device and what stands on it. All of it is made anew when the device is lost. */
export interface Engine {
  readonly gpu: Gpu;
  readonly backend: GpuBackend;
  readonly viewer: Viewer;
}

const attempts = 4;
const firstPauseMs = 250;

/** Opens the GPU, and opens a new one when it is lost. */
export class GpuLife {
  readonly #store: AppStore;
  readonly #onRecovered: (engine: Engine, view: ViewState) => void;
  #engine: Engine | undefined;

  /** @param onRecovered called with a new engine after a loss, and with what the old one showed */
  constructor(store: AppStore, onRecovered: (engine: Engine, view: ViewState) => void) {
    this.#store = store;
    this.#onRecovered = onRecovered;
  }

  /** Undefined while there is no device. */
  get engine(): Engine | undefined {
    return this.#engine;
  }

  /** Never throws: where there is no GPU, the state says why. */
  async open(): Promise<Engine | undefined> {
    this.#store.setState({ gpu: { kind: 'opening' } });
    try {
      return await this.#start();
    } catch {
      this.#store.setState({ gpu: { kind: 'failed', diagnosis: await diagnoseGpu(navigator.gpu) } });
      return undefined;
    }
  }

  async #start(): Promise<Engine> {
    const gpu = await openGpu(navigator.gpu);
    const engine: Engine = { gpu, backend: createGpuBackend(gpu), viewer: new Viewer(gpu) };
    gpu.device.addEventListener('uncapturederror', ({ error }) => console.error(`WebGPU: ${error.message}`));
    gpu.onLost((message) => void this.#recover(engine, message));
    this.#engine = engine;
    this.#store.setState({ gpu: { kind: 'ready', gpu, viewer: engine.viewer } });
    return engine;
  }

  async #recover(lost: Engine, message: string): Promise<void> {
    if (this.#engine !== lost) return;
    this.#engine = undefined;
    const view = lost.viewer.snapshot().state;
    this.#store.setState({ gpu: { kind: 'recovering', message } });
    lost.viewer.dispose();
    for (let attempt = 0, pauseMs = firstPauseMs; attempt < attempts; attempt++, pauseMs *= 2) {
      // A driver that restarts needs a moment.
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
      try {
        this.#onRecovered(await this.#start(), view);
        return;
      } catch {
        // Asked again after a longer pause.
      }
    }
    this.#store.setState({ gpu: { kind: 'failed', diagnosis: await diagnoseGpu(navigator.gpu) } });
  }
}
