import sliceShader from '../../shaders/draw/slice.wgsl';
import { type Blending, blendStates, type SlicePlane } from '../draw/slice-pass.ts';
import { createBindGroup } from '../gpu/commands.ts';
import type { Gpu } from '../gpu/gpu.ts';
import type { GpuScope } from '../gpu/scope.ts';
import type { Dims3 } from '../shared/volume.ts';
import { chunksOnPlane } from '../volume/plane-chunks.ts';
import { elementTypeNumber } from '../volume/voxel-key.ts';
import { type BrickKey, brickKey } from './brick.ts';
import type { BrickLevel, BrickSource } from './brick-source.ts';
import type { GpuBricks } from './gpu-bricks.ts';
import { type PagedLook, pagedUniform, pagedUniformBytes } from './paged-uniform.ts';

/** A slice on a canvas of `width` × `height` pixels, in voxels of the volume. */
export interface BrickSlice {
  readonly plane: SlicePlane;
  readonly index: number;
  readonly width: number;
  readonly height: number;
}

/** The level at which a slice is drawn: the coarsest whose voxels are no larger than a pixel. */
function sliceLevel({ levels }: Pick<BrickSource, 'levels'>, { right, down }: Pick<SlicePlane, 'right' | 'down'>): number {
  const pixel = Math.min(Math.hypot(...right), Math.hypot(...down));
  return Math.max(
    0,
    levels.findLastIndex(({ factors }) => Math.max(...factors) <= pixel),
  );
}

/** The bricks that a slice shows, those nearest to its middle first. */
function sliceBricks(source: BrickSource, slice: BrickSlice, timePoint: number, level: number): BrickKey[] {
  const { grid, factors } = source.levels[level] as BrickLevel;
  const { plane, index, width, height } = slice;
  const { axis, right, down, across = [0, 0, 0] } = plane;
  const begin = plane.origin.map((value, at) => (at === axis ? index + 0.5 : value + (across[at] as number) * index));
  const inLevel = (vector: readonly number[]): Dims3 => vector.map((value, at) => value / (factors[at] as number)) as never;
  const perVoxel = source.info.type === 'f64' ? 2 : 1;
  const [origin, alongRight, alongDown] = [inLevel(begin), inLevel(right), inLevel(down)];
  const numbers = chunksOnPlane(grid, perVoxel, { origin, right: alongRight, down: alongDown, width, height });
  const middle = origin.map(
    (value, at) => value + 0.5 * (width * (alongRight[at] as number) + height * (alongDown[at] as number)),
  ) as unknown as Dims3;
  const away = (number: number): number => {
    const { origin: first, shape } = grid.box(number);
    const voxels = (value: number, at: number) => (at === 0 ? value / perVoxel : value);
    return Math.hypot(...middle.map((value, at) => value - voxels((first[at] as number) + (shape[at] as number) / 2, at)));
  };
  return numbers
    .map((number) => ({ number, away: away(number) }))
    .sort((a, b) => a.away - b.away)
    .map(({ number }) => brickKey({ level, number: timePoint * grid.chunksPerTimePoint + number }));
}

export interface BrickSliceDraw {
  readonly slice: BrickSlice;
  readonly look: PagedLook;
  /** Contains the result of `sliceUniform` for the whole volume. */
  readonly uniform: GPUBuffer;
  /** 256 × 1 texels, lowest value first. */
  readonly colors: GPUTexture;
  /** Default: over. */
  readonly blending?: Blending | undefined;
}

/**
 * Draws slices of the bricks in GPU memory with shaders/draw/slice.wgsl, at the level that suits the zoom, or at a coarser one. The slices
 * of several time points can be drawn over each other.
 */
export class BrickSlices {
  readonly #gpu: Gpu;
  readonly #bricks: GpuBricks;
  readonly #scope: GpuScope;
  readonly #format: GPUTextureFormat;
  readonly #pipelines = new Map<Blending, GPURenderPipeline>();
  /** The parameters of each time point that was requested last. */
  readonly #uniforms = new Map<number, GPUBuffer>();
  /** The level of the slice that was requested last. */
  #level = 0;

  /** @param format of the target */
  constructor(gpu: Gpu, bricks: GpuBricks, format: GPUTextureFormat) {
    this.#gpu = gpu;
    this.#bricks = bricks;
    this.#scope = gpu.scope('brick-slices');
    this.#format = format;
  }

  /**
   * Requests the bricks of the slice that is drawn next. If there are more than `most`, the slice is drawn from a coarser level.
   * @param timePoints those of which the slice is drawn
   * @param name identifies the slice among several
   * @returns the bricks, those nearest to the slice's middle first
   */
  want(slice: BrickSlice, timePoints: readonly number[], name: string, most = this.#bricks.atlas.slotCount): readonly BrickKey[] {
    const { source } = this.#bricks;
    const bricksAt = (at: number) => {
      const each = timePoints.map((timePoint) => sliceBricks(source, slice, timePoint, at));
      return (each[0] ?? []).flatMap((_, rank) => each.map((keys) => keys[rank] as BrickKey));
    };
    let level = sliceLevel(source, slice.plane);
    let keys = bricksAt(level);
    while (keys.length > most && level + 1 < source.levels.length) keys = bricksAt(++level);
    this.#level = level;
    for (const [timePoint, uniform] of this.#uniforms) {
      if (timePoints.includes(timePoint)) continue;
      this.#scope.free(uniform);
      this.#uniforms.delete(timePoint);
    }
    for (const timePoint of timePoints) {
      if (this.#uniforms.has(timePoint)) continue;
      this.#uniforms.set(timePoint, this.#scope.buffer('paged', pagedUniformBytes, GPUBufferUsage.UNIFORM));
    }
    this.#bricks.want(keys, name);
    return keys;
  }

  /** Whether the slice of a time point was requested last. */
  has(timePoint: number): boolean {
    return this.#uniforms.has(timePoint);
  }

  /**
   * Draws the slice that was requested last, of one of its time points. Its parameters are written at once, so a submit can draw only one
   * slice of each.
   */
  draw(pass: GPURenderPassEncoder, { slice, look, uniform, colors, blending = 'over' }: BrickSliceDraw): void {
    const { table, atlas } = this.#bricks;
    const paged = this.#uniforms.get(look.timePoint);
    if (!paged) return;
    const { device } = this.#gpu;
    device.queue.writeBuffer(paged, 0, pagedUniform(this.#bricks, look, undefined, undefined, this.#level));
    const bindings = [atlas.voxels.buffer, paged, table.entries(), table.constants, uniform, colors.createView()];
    const pipeline = this.#pipelineFor(blending);
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, createBindGroup(device, pipeline.label, pipeline.getBindGroupLayout(0), bindings));
    pass.draw(3, 1, 0, slice.index);
  }

  #pipelineFor(blending: Blending): GPURenderPipeline {
    const known = this.#pipelines.get(blending);
    if (known) return known;
    const module = this.#gpu.shaderModule('view.brick-slice', sliceShader, { paged: true });
    const pipeline = this.#gpu.device.createRenderPipeline({
      label: `view.brick-slice ${blending}`,
      layout: 'auto',
      vertex: { module, entryPoint: 'vertex' },
      fragment: {
        module,
        entryPoint: 'main',
        targets: [{ format: this.#format, blend: blendStates[blending] }],
        constants: { element_type: elementTypeNumber(this.#bricks.source.info.type) },
      },
    });
    this.#pipelines.set(blending, pipeline);
    return pipeline;
  }

  destroy(): void {
    this.#scope.destroy();
  }
}
