import sliceShader from '../../shaders/draw/slice.wgsl';
import { createBindGroup } from '../gpu/commands.ts';
import type { Gpu } from '../gpu/gpu.ts';
import type { Dims3, ElementType } from '../shared/volume.ts';
import { rangeStart } from '../volume/value-scale.ts';
import type { AxisIndex, SliceBox, VolumeSource } from '../volume/volume-source.ts';
import { elementTypeNumber, floatBits, voxelKey } from '../volume/voxel-key.ts';
import { type MissingLook, missingParameter, type OutsideLook, outsideParameters } from './outside.ts';

/** The position of a slice on its target: voxel position = origin + right × pixel x + down × pixel y. */
export interface SlicePlane {
  /**
   * The axis that the slice cuts across. The slice's number, not the origin, gives the position along this axis. Undefined: the
   * origin and the directions give a plane of any orientation, and the slice's number moves it by `across`.
   */
  readonly axis: AxisIndex | undefined;
  readonly origin: Dims3;
  readonly right: Dims3;
  readonly down: Dims3;
  /** For a plane of any orientation: the step between slices. Slice `n` begins at origin + n × across. Default: 0. */
  readonly across?: Dims3 | undefined;
}

/** How a layer is combined with the picture below it. */
export const blendings = ['over', 'add', 'maximum'] as const;
export type Blending = (typeof blendings)[number];

export interface SliceLook {
  /** The stored values with the lowest and the highest colour; see `ViewState.window`. */
  readonly window: readonly [low: number, high: number];
  /** Interpolate between voxels. */
  readonly smooth: boolean;
  /** Colours denote single values: 0 has colour 0, the others cycle through colours 1 to 255. */
  readonly isCategorical: boolean;
  readonly outside: OutsideLook;
  readonly missing: MissingLook;
  /** 0…1; default 1. */
  readonly opacity?: number | undefined;
  /** Draws only the edges of labels, this many pixels wide. Default 0: labels are filled. */
  readonly outline?: number | undefined;
  /** The number 0, the background of labels, is not drawn. */
  readonly hidesZero?: boolean | undefined;
}

/** Bytes of `Slice` in shaders/draw/slice.wgsl. */
export const sliceUniformBytes = 176;

/** `Slice` of shaders/draw/slice.wgsl. */
export function sliceUniform(
  { info, factors, dims, numbers }: Pick<VolumeSource, 'info' | 'factors' | 'dims' | 'numbers'>,
  { axis, origin, right, down, across = [0, 0, 0] }: SlicePlane,
  { window, smooth, isCategorical, outside, missing, opacity = 1, outline = 0, hidesZero = false }: SliceLook,
): Uint32Array<ArrayBuffer> {
  const { type } = info;
  const { power, key, scaledBits, rest } = rangeStart(type, window);
  const width = 2 ** power * (window[1] - window[0]);
  const bits = (values: readonly number[]): number[] =>
    values.map((value, along) => floatBits(value / (factors[along] as number)));
  const end = bits(info.dims.slice(0, 3));
  return new Uint32Array([
    ...[...bits(axis === undefined ? origin : origin.with(axis, 0.5)), end[0] as number],
    ...[...bits(axis === undefined ? across : [0, 0, 0].with(axis, 1)), end[1] as number],
    ...[...bits(right), end[2] as number],
    ...[...bits(down), 0],
    ...dims.slice(0, 3),
    key,
    scaledBits,
    floatBits(rest),
    floatBits(1 / width),
    floatBits(width),
    smooth && !isCategorical ? 1 : 0,
    isCategorical ? 1 : 0,
    power >>> 0,
    floatBits(opacity),
    ...[...outsideParameters(outside), missingParameter(missing)].flat().map(floatBits),
    ...numbers.map((value) => voxelKey(type, value)),
    floatBits(outline),
    hidesZero ? 1 : 0,
  ]);
}

export interface SliceDraw {
  readonly type: ElementType;
  /** From `VolumeSource.recordSlice`, in the same commands. */
  readonly boxes: readonly SliceBox[];
  /** Contains the result of `sliceUniform`. */
  readonly uniform: GPUBuffer;
  /** 256 × 1 texels, lowest value first. */
  readonly colors: GPUTexture;
  readonly index: number;
  readonly timePoint: number;
  /** Default: over. */
  readonly blending?: Blending | undefined;
}

const over: GPUBlendComponent = { srcFactor: 'one', dstFactor: 'one-minus-src-alpha' };
/** Colours are premultiplied. */
export const blendStates: Readonly<Record<Blending, GPUBlendState>> = {
  over: { color: over, alpha: over },
  add: { color: { srcFactor: 'one', dstFactor: 'one' }, alpha: over },
  maximum: { color: { operation: 'max', srcFactor: 'one', dstFactor: 'one' }, alpha: over },
};

/** Draws slices with shaders/draw/slice.wgsl, with one pipeline for each element type and blending. */
export class SlicePass {
  readonly #gpu: Gpu;
  readonly #format: GPUTextureFormat;
  readonly #pipelines = new Map<string, GPURenderPipeline>();

  /** @param format of the targets */
  constructor(gpu: Gpu, format: GPUTextureFormat) {
    this.#gpu = gpu;
    this.#format = format;
  }

  /** The slice's number and the time point are passed with the draw, so that no buffer is written from frame to frame. */
  draw(pass: GPURenderPassEncoder, { type, boxes, uniform, colors, index, timePoint, blending = 'over' }: SliceDraw): void {
    const pipeline = this.#pipelineFor(type, blending);
    pass.setPipeline(pipeline);
    for (const { voxels, place } of boxes) {
      const bindings = [voxels.buffer, uniform, place, colors.createView()];
      pass.setBindGroup(0, createBindGroup(this.#gpu.device, pipeline.label, pipeline.getBindGroupLayout(0), bindings));
      pass.draw(3, 1, 3 * timePoint, index);
    }
  }

  #pipelineFor(type: ElementType, blending: Blending): GPURenderPipeline {
    const key = `${type} ${blending}`;
    const known = this.#pipelines.get(key);
    if (known) return known;
    const module = this.#gpu.shaderModule('view.slice', sliceShader);
    const pipeline = this.#gpu.device.createRenderPipeline({
      label: `view.slice ${key}`,
      layout: 'auto',
      vertex: { module, entryPoint: 'vertex' },
      fragment: {
        module,
        entryPoint: 'main',
        targets: [{ format: this.#format, blend: blendStates[blending] }],
        constants: { element_type: elementTypeNumber(type) },
      },
    });
    this.#pipelines.set(key, pipeline);
    return pipeline;
  }
}
