import type { Camera, Scene } from 'three';
import { WebGPURenderer } from 'three/webgpu';

/**
 * After its first frame, three.js requests animation frames forever, and has no public way to stop. This renderer stops after
 * each picture, since we draw only when something changes. Its `NodeFrame` counter then counts pictures.
 */
export class RestingRenderer extends WebGPURenderer {
  override render(scene: Scene, camera: Camera): void {
    super.render(scene, camera);
    (this as unknown as { readonly _animation?: { stop(): void } })._animation?.stop();
  }
}
