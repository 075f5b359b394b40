import type { Camera, Scene } from 'three';
import { WebGPURenderer } from 'three/webgpu';

/**
 * After its first frame, three.js requests animation frames forever, and has no public way to stop. This renderer stops after
 * each picture, since we draw only when something changes. Its `NodeFrame` counter then counts pictures.
 */
export class RestingRenderer extends WebGPURenderer {
  /** Draws to a canvas with a device that belongs to the caller. */
  constructor(device: GPUDevice, canvas: HTMLCanvasElement) {
    hideLoss(device);
    super({ device, canvas, antialias: false, alpha: false });
  }

  override render(scene: Scene, camera: Camera): void {
    super.render(scene, camera);
    (this as unknown as { readonly _animation?: { stop(): void } })._animation?.stop();
  }
}

/**
 * Replaces `device.lost` by a promise that never settles. three.js waits for `lost` with a function that refers to the renderer, so
 * a device would keep every renderer that was made on it alive, with its canvas. `Gpu.onLost` tells views about a loss.
 */
function hideLoss(device: GPUDevice): void {
  Object.defineProperty(device, 'lost', { configurable: true, get: () => new Promise(() => undefined) });
}
