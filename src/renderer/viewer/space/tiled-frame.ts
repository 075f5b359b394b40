import { type Camera, NearestFilter, type Scene } from 'three';
import { texture } from 'three/tsl';
import { NodeMaterial, QuadMesh, RenderTarget, type WebGPURenderer } from 'three/webgpu';
import type { Strip } from '../../../core/draw/ray-pass.ts';

/** A frame drawn in strips over several submits, so that a slow GPU is never occupied for long. It is shown when complete. */
export class TiledFrame {
  readonly #renderer: WebGPURenderer;
  readonly #target = new RenderTarget(1, 1, { depthBuffer: false, minFilter: NearestFilter, magFilter: NearestFilter });
  readonly #material = new NodeMaterial();
  readonly #quad: QuadMesh;

  constructor(renderer: WebGPURenderer) {
    this.#renderer = renderer;
    this.#target.scissorTest = true;
    this.#material.fragmentNode = texture(this.#target.texture);
    this.#material.depthTest = false;
    this.#material.depthWrite = false;
    this.#quad = new QuadMesh(this.#material);
  }

  /** The first strip starts a new frame. */
  drawStrip(scene: Scene, camera: Camera, { width, height, from, count }: Strip): void {
    this.#target.setSize(width, height);
    this.#target.scissor.set(0, from, width, count);
    this.#renderer.setRenderTarget(this.#target);
    // Clearing ignores the scissor rectangle, so it happens only once.
    this.#renderer.autoClear = from === 0;
    this.#renderer.render(scene, camera);
    this.#renderer.autoClear = true;
    this.#renderer.setRenderTarget(null);
  }

  /** Reads rows of the frame as premultiplied RGBA. The next strip may be drawn meanwhile. */
  async read({ width, from, count }: Strip): Promise<Uint8Array> {
    const pixels = await this.#renderer.readRenderTargetPixelsAsync(this.#target, 0, from, width, count);
    return new Uint8Array(pixels.buffer, pixels.byteOffset, pixels.byteLength);
  }

  /** Copies the frame to the canvas, which must have the same size. */
  present(): void {
    this.#quad.render(this.#renderer);
  }

  dispose(): void {
    this.#target.dispose();
    this.#material.dispose();
  }
}
