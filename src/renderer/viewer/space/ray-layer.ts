import { CustomBlending, ExternalTexture, Mesh, OneFactor, OneMinusSrcAlphaFactor, PlaneGeometry } from 'three';
import { ivec2, positionGeometry, screenCoordinate, textureLoad, uniform, vec4 } from 'three/tsl';
import { NodeMaterial } from 'three/webgpu';
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
 * The volume in a three.js scene. A compute shader marches its rays into a texture, and a full-screen rectangle blends that
 * over what was drawn before.
 */
export class RayLayer {
  readonly object: Mesh;
  readonly #gpu: Gpu;
  readonly #scope: GpuScope;
  readonly #display: DisplayTexture;
  readonly #pass: RayPass;
  readonly #frame: GPUBuffer;
  readonly #transfer: GPUTexture;
  readonly #material = new NodeMaterial();
  readonly #geometry = new PlaneGeometry(2, 2);
  readonly #firstRow = uniform(0, 'int');
  /** As large as the largest strip so far. */
  #picture: GPUTexture;
  readonly #shown: ReturnType<typeof textureLoad>;
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
    const pixel = ivec2(screenCoordinate).sub(ivec2(0, this.#firstRow));
    this.#shown = textureLoad(new ExternalTexture(this.#picture), pixel);
    const material = this.#material;
    material.vertexNode = vec4(positionGeometry.xy, 0, 1);
    material.fragmentNode = this.#shown;
    material.transparent = true;
    material.depthTest = false;
    material.depthWrite = false;
    // The texture's colours are premultiplied.
    material.blending = CustomBlending;
    material.blendSrc = OneFactor;
    material.blendDst = OneMinusSrcAlphaFactor;
    this.object = new Mesh(this.#geometry, material);
    this.object.frustumCulled = false;
  }

  /**
   * Submits the ray marching of a strip. Work submitted afterwards shows that strip.
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
    this.#firstRow.value = strip.from;
    return commands.submit().then(
      // Timestamps are rounded, to 0.1 ms in some browsers, so 0 means unknown.
      ({ stages: [stage] }) => (stage?.gpuMs !== undefined && stage.gpuMs > 0 ? stage.gpuMs : undefined),
      () => undefined,
    );
  }

  dispose(): void {
    this.#shown.value.dispose();
    this.#material.dispose();
    this.#geometry.dispose();
    this.#scope.destroy();
  }

  #makeRoom({ width, count }: Strip): void {
    const before = this.#picture;
    if (width <= before.width && count <= before.height) return;
    this.#scope.free(before);
    this.#picture = this.#pictureOf(Math.max(width, before.width), Math.max(count, before.height));
    this.#shown.value.dispose();
    this.#shown.value = new ExternalTexture(this.#picture);
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
