import { rowBytes } from '../../core/codecs/codec.ts';
import type { PlacedBox } from '../../core/engine/resident-layout.ts';
import type { ResidentVolume } from '../../core/engine/resident-volume.ts';
import { elementTypeNumber, floatBits, isFloatType, typeRange, voxelKey } from '../../core/engine/voxel-key.ts';
import type { Gpu } from '../../core/gpu/gpu.ts';
import type { GpuScope } from '../../core/gpu/scope.ts';
import type { ElementType } from '../../core/shared/volume.ts';
import voxelCode from '../../shaders/resident/voxel.wgsl?raw';
import overlayCode from '../../shaders/view/overlay.wgsl?raw';
import sliceCode from '../../shaders/view/slice.wgsl?raw';
import { colormap } from './colormaps.ts';
import type { CanvasToVoxel, Point } from './slice-geometry.ts';
import type { ViewState } from './viewer-api.ts';

/** A picture to draw over the slice, premultiplied and of the target's size, and the crosshair under it. */
export interface SliceOverlay {
  readonly picture: GPUTexture;
  readonly center: Point;
  /** Half the free space around the crosshair's middle; undefined: no crosshair. */
  readonly gap: Point | undefined;
  readonly thickness: number;
}

export interface SliceDrawing {
  readonly volume: ResidentVolume;
  readonly map: CanvasToVoxel;
  readonly state: Pick<ViewState, 'window' | 'colormap' | 'timePoint' | 'smooth'>;
  readonly overlay?: SliceOverlay | undefined;
}

/** The viewports' background: near black, whatever the theme. */
export const background = { r: 0.031, g: 0.035, b: 0.043, a: 1 } as const;
const crosshairColor = [0.32, 0.68, 0.95, 0.75] as const;
/** Uniforms of draws in one buffer start at multiples of this, WebGPU's default and largest offset alignment. */
const uniformStride = 256;

/** Draws slices from voxels in GPU memory into any texture. Free it with `destroy`. */
export class SliceRenderer {
  readonly #gpu: Gpu;
  readonly #scope: GpuScope;
  readonly #format: GPUTextureFormat;
  readonly #pipelines = new Map<ElementType, GPURenderPipeline>();
  readonly #colors: GPUTexture;
  readonly #overlayUniform: GPUBuffer;
  #overlayPipeline: GPURenderPipeline | undefined;
  #uniforms: GPUBuffer | undefined;
  #colormapName = '';

  constructor(gpu: Gpu, format: GPUTextureFormat) {
    this.#gpu = gpu;
    this.#format = format;
    this.#scope = gpu.scope('slices');
    this.#colors = this.#scope.texture('colors', 1024, {
      size: [256, 1],
      format: 'rgba8unorm',
      usage: GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_DST,
    });
    this.#overlayUniform = this.#scope.buffer('overlay', 48, GPUBufferUsage.UNIFORM);
  }

  /** Clears the target, and draws the slice (undefined: nothing) into it. */
  draw(target: GPUTexture, drawing: SliceDrawing | undefined): void {
    const { device } = this.#gpu;
    const encoder = device.createCommandEncoder({ label: 'slice' });
    const pass = encoder.beginRenderPass({
      label: 'slice',
      colorAttachments: [{ view: target.createView(), clearValue: background, loadOp: 'clear', storeOp: 'store' }],
    });
    if (drawing) {
      this.#drawBoxes(pass, drawing);
      if (drawing.overlay) this.#drawOverlay(pass, drawing.overlay);
    }
    pass.end();
    device.queue.submit([encoder.finish()]);
  }

  destroy(): void {
    this.#scope.destroy();
  }

  #drawBoxes(pass: GPURenderPassEncoder, { volume, map, state }: SliceDrawing): void {
    const { type } = volume.info;
    const { device } = this.#gpu;
    const firstPlane = state.timePoint * volume.dims[2];
    const boxes = volume.placedBoxes.filter(
      (box) => box.firstPlane < firstPlane + volume.dims[2] && box.firstPlane + box.planeCount > firstPlane,
    );
    this.#writeColors(state.colormap);
    const uniforms = this.#uniformsFor(boxes.length);
    const pipeline = this.#pipelineFor(type);
    pass.setPipeline(pipeline);
    for (const [index, box] of boxes.entries()) {
      device.queue.writeBuffer(uniforms, index * uniformStride, sliceUniform(volume, box, map, state));
      const bindGroup = device.createBindGroup({
        layout: pipeline.getBindGroupLayout(0),
        entries: [
          { binding: 0, resource: { buffer: box.voxels.buffer } },
          { binding: 1, resource: { buffer: uniforms, offset: index * uniformStride, size: uniformBytes } },
          { binding: 2, resource: this.#colors.createView() },
        ],
      });
      pass.setBindGroup(0, bindGroup);
      pass.draw(3);
    }
  }

  #drawOverlay(pass: GPURenderPassEncoder, { picture, center, gap, thickness }: SliceOverlay): void {
    const { device } = this.#gpu;
    const pipeline = this.#overlay();
    const [r, g, b, a] = crosshairColor;
    const values = [...center, ...(gap ?? [-1, -1]), r * a, g * a, b * a, a, thickness, 0, 0, 0];
    device.queue.writeBuffer(this.#overlayUniform, 0, new Float32Array(values));
    const bindGroup = device.createBindGroup({
      layout: pipeline.getBindGroupLayout(0),
      entries: [
        { binding: 0, resource: { buffer: this.#overlayUniform } },
        { binding: 1, resource: picture.createView() },
      ],
    });
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, bindGroup);
    pass.draw(3);
  }

  #writeColors(name: string): void {
    if (name === this.#colormapName) return;
    this.#colormapName = name;
    const { colors } = colormap(name);
    const texels = Uint8Array.from({ length: 1024 }, (_, index) =>
      index % 4 === 3 ? 255 : (colors[Math.floor(index / 4) * 3 + (index % 4)] as number),
    );
    this.#gpu.device.queue.writeTexture({ texture: this.#colors }, texels, { bytesPerRow: 1024 }, [256, 1]);
  }

  #uniformsFor(count: number): GPUBuffer {
    const bytes = Math.max(1, count) * uniformStride;
    if (this.#uniforms && this.#uniforms.size >= bytes) return this.#uniforms;
    if (this.#uniforms) this.#scope.free(this.#uniforms);
    this.#uniforms = this.#scope.buffer('uniforms', bytes, GPUBufferUsage.UNIFORM);
    return this.#uniforms;
  }

  #pipelineFor(type: ElementType): GPURenderPipeline {
    const known = this.#pipelines.get(type);
    if (known) return known;
    const module = this.#gpu.device.createShaderModule({ label: 'view.slice', code: `${voxelCode}\n${sliceCode}` });
    const pipeline = this.#gpu.device.createRenderPipeline({
      label: `view.slice ${type}`,
      layout: 'auto',
      vertex: { module, entryPoint: 'vertex' },
      fragment: {
        module,
        entryPoint: 'main',
        targets: [{ format: this.#format }],
        constants: { element_type: elementTypeNumber(type) },
      },
    });
    this.#pipelines.set(type, pipeline);
    return pipeline;
  }

  #overlay(): GPURenderPipeline {
    if (this.#overlayPipeline) return this.#overlayPipeline;
    const module = this.#gpu.device.createShaderModule({ label: 'view.overlay', code: overlayCode });
    const over: GPUBlendComponent = { srcFactor: 'one', dstFactor: 'one-minus-src-alpha' };
    this.#overlayPipeline = this.#gpu.device.createRenderPipeline({
      label: 'view.overlay',
      layout: 'auto',
      vertex: { module, entryPoint: 'vertex' },
      fragment: { module, entryPoint: 'main', targets: [{ format: this.#format, blend: { color: over, alpha: over } }] },
    });
    return this.#overlayPipeline;
  }
}

const uniformBytes = 112;

/** `Slice` of slice.wgsl. */
function sliceUniform(
  volume: ResidentVolume,
  box: PlacedBox,
  map: CanvasToVoxel,
  state: SliceDrawing['state'],
): Uint32Array<ArrayBuffer> {
  const { type } = volume.info;
  const n = volume.decimation;
  const [low, high] = state.window;
  const [typeLow, typeHigh] = typeRange(type);
  const isFloat = isFloatType(type);
  const keyed = isFloat ? low : Math.min(typeHigh, Math.max(typeLow, Math.floor(low)));
  const scale = (isFloat ? 2 : 1) / Math.max(high - low, Number.MIN_VALUE);
  const bits = (values: readonly number[]): number[] => [...values.map((value) => floatBits(value / n)), 0];
  return new Uint32Array([
    ...bits(map.origin),
    ...bits(map.right),
    ...bits(map.down),
    ...volume.dims.slice(0, 3),
    state.timePoint * volume.dims[2],
    ...[box.firstRow, box.rowCount, box.firstPlane, box.planeCount],
    rowBytes(box.voxels.dims[0], box.voxels.elementBytes) / 4,
    voxelKey(type, keyed),
    floatBits(keyed),
    floatBits(isFloat ? 0 : low - keyed),
    floatBits(Math.min(scale, typeRange('f32')[1])),
    state.smooth && !colormap(state.colormap).isCategorical ? 1 : 0,
    colormap(state.colormap).isCategorical ? 1 : 0,
    0,
  ]);
}
