import type { Camera, Scene } from 'three';
import { WebGPURenderer } from 'three/webgpu';

/**
 * three.js once it has drawn asks for one animation frame after the other, for ever, and there is no public way to end that. Here it
 * rests after each picture: we draw only when something changes. Its frames (`NodeFrame`) are counted by pictures then.
 */
export class RestingRenderer extends WebGPURenderer {
  override render(scene: Scene, camera: Camera): void {
    super.render(scene, camera);
    (this as unknown as { readonly _animation?: { stop(): void } })._animation?.stop();
  }
}
