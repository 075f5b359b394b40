import type { Gpu } from '../../../core/gpu/gpu.ts';
import type { GpuScope } from '../../../core/gpu/scope.ts';

/** If no brick arrives for this many milliseconds, and no kernel is being compiled, a picture is drawn from the bricks that are there. */
export const stuckMs = 15_000;
/** The width in pixels of the picture that only finds out which bricks are needed. */
const probeWidth = 192;

/** The texture of a small picture that is never shown, which finds out which bricks a view needs. */
export class ProbeTarget {
  readonly #scope: GpuScope;
  #texture: GPUTexture | undefined;

  constructor(gpu: Gpu) {
    this.#scope = gpu.scope('bricks.probe');
  }

  /** The texture for pictures of a size. */
  sized(width: number, height: number): GPUTexture {
    const scale = Math.min(1, probeWidth / width);
    const size = [Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale))] as const;
    if (this.#texture?.width === size[0] && this.#texture.height === size[1]) return this.#texture;
    if (this.#texture) this.#scope.free(this.#texture);
    this.#texture = this.#scope.texture('probe', 4 * size[0] * size[1], {
      size: [...size],
      format: 'rgba8unorm',
      usage: GPUTextureUsage.STORAGE_BINDING,
    });
    return this.#texture;
  }

  destroy(): void {
    this.#scope.destroy();
  }
}
