import { UniformCache } from '../../../core/draw/uniform-cache.ts';
import { createBindGroup } from '../../../core/gpu/commands.ts';
import type { Gpu } from '../../../core/gpu/gpu.ts';
import type { GpuScope } from '../../../core/gpu/scope.ts';
import overlayShader from '../../../shaders/viewer/overlay.wgsl';
import type { Point } from '../model/slice-geometry.ts';

/** A picture to draw over the slice, premultiplied and as large as the target, and the crosshair under it. */
export interface SliceOverlay {
  readonly picture: GPUTexture;
  /** The crosshair's voxel along the canvas's right and down axes. */
  readonly voxel: Point;
  /** The canvas pixel of the centre of voxel 0, and the pixels from one voxel to the next. */
  readonly center: Point;
  readonly step: Point;
  /** Half the gap around the crosshair's centre; undefined if there is no crosshair. */
  readonly gap: Point | undefined;
  readonly thickness: number;
}

const crosshairColor = [0.32, 0.68, 0.95, 0.75] as const;

/** Size of `Overlay` in overlay.wgsl, in bytes. */
const overlayBytes = 64;

/** Draws the crosshair and the overlay's picture. The crosshair's voxel is passed with the draw call. */
export class OverlayPass {
  readonly #gpu: Gpu;
  readonly #format: GPUTextureFormat;
  readonly #uniforms: UniformCache;
  #pipeline: GPURenderPipeline | undefined;

  /** @param mostUniforms the most overlays that one submit draws @param scope owns the buffers */
  constructor(gpu: Gpu, format: GPUTextureFormat, scope: GpuScope, mostUniforms: number) {
    this.#gpu = gpu;
    this.#format = format;
    this.#uniforms = new UniformCache(gpu.device, scope, overlayBytes, mostUniforms);
  }

  draw(pass: GPURenderPassEncoder, { picture, voxel, center, step, gap, thickness }: SliceOverlay): void {
    const pipeline = this.#compiled();
    const [r, g, b, a] = crosshairColor;
    const values = [...center, ...step, ...(gap ?? [-1, -1]), 0, 0, r * a, g * a, b * a, a, thickness, 0, 0, 0];
    const uniform = this.#uniforms.get(new Uint32Array(new Float32Array(values).buffer));
    const bindings = [uniform, picture.createView()];
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, createBindGroup(this.#gpu.device, pipeline.label, pipeline.getBindGroupLayout(0), bindings));
    pass.draw(3, 1, 3 * voxel[1], voxel[0]);
  }

  #compiled(): GPURenderPipeline {
    if (this.#pipeline) return this.#pipeline;
    const module = this.#gpu.shaderModule('view.overlay', overlayShader);
    const over: GPUBlendComponent = { srcFactor: 'one', dstFactor: 'one-minus-src-alpha' };
    this.#pipeline = this.#gpu.device.createRenderPipeline({
      label: 'view.overlay',
      layout: 'auto',
      vertex: { module, entryPoint: 'vertex' },
      fragment: { module, entryPoint: 'main', targets: [{ format: this.#format, blend: { color: over, alpha: over } }] },
    });
    return this.#pipeline;
  }
}
