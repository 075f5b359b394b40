import {
  type RayLook,
  RayPass,
  type RayView,
  rayFrame,
  rayFrameBytes,
  rayParameters,
  type Strip,
} from '../../../core/draw/ray-pass.ts';
import { rayTransferBytes, rayTransferSize } from '../../../core/draw/ray-transfer.ts';
import type { Gpu } from '../../../core/gpu/gpu.ts';
import type { GpuScope } from '../../../core/gpu/scope.ts';
import type { DisplayTexture } from '../../../core/volume/display-texture.ts';
import { colormap } from '../colors/colormaps.ts';
import { isFloorOpaque, transferTexels } from '../colors/transfer-function.ts';
import type { ViewState } from '../model/viewer-api.ts';

/**
 * Marches a volume's rays into a texture, strip by strip. Scenes of three.js and pictures without a scene show that texture. Free
 * it with `destroy`.
 */
export class RayDrawing {
  readonly #gpu: Gpu;
  readonly #scope: GpuScope;
  readonly #display: DisplayTexture;
  readonly #pass: RayPass;
  readonly #frame: GPUBuffer;
  readonly #transfer: GPUTexture;
  #picture: GPUTexture;
  #transferKey = '';

  constructor(gpu: Gpu, display: DisplayTexture) {
    this.#gpu = gpu;
    this.#scope = gpu.scope('view.rays');
    this.#display = display;
    this.#pass = new RayPass(gpu);
    this.#frame = this.#scope.buffer('frame', rayFrameBytes, GPUBufferUsage.UNIFORM);
    this.#transfer = this.#scope.texture('transfer', rayTransferBytes, {
      size: [...rayTransferSize],
      format: 'rgba8unorm',
      usage: GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_DST,
    });
    this.#picture = this.#pictureOf(1, 1);
  }

  /**
   * The last strip from the upper left corner, premultiplied. It is as large as the largest strip so far, so `march` may replace
   * it.
   */
  get picture(): GPUTexture {
    return this.#picture;
  }

  /**
   * Submits the ray marching of a strip. Work submitted afterwards sees that strip.
   * @returns when done: the GPU time in milliseconds, without waiting, or undefined if unknown
   * @param plane the oblique clip plane, in the unit cube
   * @param step distance between samples in texels; smaller in a small volume
   */
  march(state: ViewState, view: RayView, step: number, plane: RayLook['plane'], strip: Strip): Promise<number | undefined> {
    // The owner of the device learns of its loss from `Gpu.onLost`.
    if (this.#gpu.isLost) return Promise.resolve(undefined);
    this.#makeRoom(strip);
    this.#writeTransfer(state);
    const { isCategorical } = colormap(state.colormap);
    const colors = { isCategorical, isFloorOpaque: isFloorOpaque(state) };
    const parameters = rayParameters(this.#display, { ...state, plane }, colors, step);
    this.#gpu.device.queue.writeBuffer(this.#frame, 0, rayFrame(this.#display, view, parameters, strip));
    const { projection } = state;
    const inputs = { projection, display: this.#display, frame: this.#frame, transfer: this.#transfer };
    const commands = this.#gpu.commands('view', this.#gpu.hasTimestamps ? () => {} : undefined);
    this.#pass.record(commands, inputs, this.#picture, strip);
    return commands.submit().then(
      // Timestamps are rounded, to 0.1 ms in some browsers, so 0 means unknown.
      ({ stages: [stage] }) => (stage?.gpuMs !== undefined && stage.gpuMs > 0 ? stage.gpuMs : undefined),
      () => undefined,
    );
  }

  destroy(): void {
    this.#scope.destroy();
  }

  #makeRoom({ width, count }: Strip): void {
    const before = this.#picture;
    if (width <= before.width && count <= before.height) return;
    this.#scope.free(before);
    this.#picture = this.#pictureOf(Math.max(width, before.width), Math.max(count, before.height));
  }

  #pictureOf(width: number, height: number): GPUTexture {
    return this.#scope.texture('picture', 4 * width * height, {
      size: [width, height],
      format: 'rgba8unorm',
      usage: GPUTextureUsage.STORAGE_BINDING | GPUTextureUsage.TEXTURE_BINDING,
    });
  }

  #writeTransfer(state: ViewState): void {
    const key = JSON.stringify([state.colormap, state.inverted, state.opacity]);
    if (key === this.#transferKey) return;
    this.#transferKey = key;
    const [width] = rayTransferSize;
    const texels = transferTexels(state);
    this.#gpu.device.queue.writeTexture({ texture: this.#transfer }, texels, { bytesPerRow: 4 * width }, rayTransferSize);
  }
}
