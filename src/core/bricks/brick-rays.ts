import rayMarchShader from '../../shaders/draw/ray-march.wgsl';
import { type Projection, projections, type Strip } from '../draw/ray-pass.ts';
import type { Binding, Commands } from '../gpu/commands.ts';
import type { Gpu } from '../gpu/gpu.ts';
import type { GpuScope } from '../gpu/scope.ts';
import type { Dims3 } from '../shared/volume.ts';
import { elementTypeNumber } from '../volume/voxel-key.ts';
import type { BrickKey } from './brick.ts';
import { brickBeside } from './brick-source.ts';
import type { GpuBricks } from './gpu-bricks.ts';
import { type FeedbackPlaces, type PagedLook, pagedUniform, pagedUniformBytes, type RayDetail } from './paged-uniform.ts';

/** The maximum number of misses that a frame records; later frames record the others. */
const mostMisses = 4096;
/** The maximum number of bricks whose neighbours are remembered. */
const mostAround = 8192;

/**
 * Steps from a brick to the bricks around it, x fastest, and the bits of the faces beyond which they lie: see
 * shaders/brick-draw/paged-rays.wgsl.
 */
const around = [-1, 0, 1].flatMap((z) =>
  [-1, 0, 1].flatMap((y) =>
    [-1, 0, 1].map((x) => {
      const by: Dims3 = [x, y, z];
      return { by, faces: by.reduce((bits, step, axis) => bits | (step === 0 ? 0 : (step < 0 ? 2 : 16) << axis), 0) };
    }),
  ),
);

/** The bricks that the rays of a frame met. */
export interface BrickFeedback {
  /** Bricks that were needed but not in GPU memory, coarse ones first. */
  readonly missed: readonly BrickKey[];
  /** Whether there were more misses than could be recorded. */
  readonly hasMore: boolean;
  readonly used: readonly BrickKey[];
  /** If nothing was missed: bricks that no ray entered, but whose voxels are needed by samples beside them, loaded or not. */
  readonly beside: readonly BrickKey[];
}

export interface BrickRayInputs {
  readonly projection: Projection;
  /** Contains the result of `rayFrame` for the whole volume's dims. */
  readonly frame: GPUBuffer;
  /** 256 × 2 texels: see `rayTransfer`. */
  readonly transfer: GPUTexture;
}

/**
 * Draws the bricks in GPU memory with shaders/draw/ray-march.wgsl, each at the level that suits its size on the screen, or at a coarser
 * one. A frame is `begin`, `record` for each strip, and `end`.
 */
export class BrickRays {
  readonly #gpu: Gpu;
  readonly #bricks: GpuBricks;
  readonly #scope: GpuScope;
  readonly #sampler: GPUSampler;
  readonly #uniform: GPUBuffer;
  readonly #feedback: GPUBuffer;
  readonly #places: FeedbackPlaces;
  /** The bricks around bricks that were used, in the order of `around`. */
  readonly #around = new Map<BrickKey, readonly (BrickKey | undefined)[]>();

  constructor(gpu: Gpu, bricks: GpuBricks) {
    this.#gpu = gpu;
    this.#bricks = bricks;
    this.#scope = gpu.scope('brick-rays');
    this.#sampler = gpu.device.createSampler({ label: 'brick-rays', magFilter: 'linear', minFilter: 'linear' });
    this.#uniform = this.#scope.buffer('paged', pagedUniformBytes, GPUBufferUsage.UNIFORM);
    const { table, atlas } = bricks;
    const used = 1 + mostMisses;
    this.#places = { used, asked: used + atlas.slotCount, mostMisses };
    this.#feedback = this.#scope.storage('feedback', 4 * (this.#places.asked + Math.ceil(table.count / 32)));
  }

  begin(commands: Commands, look: PagedLook, detail: RayDetail): void {
    this.#gpu.device.queue.writeBuffer(this.#uniform, 0, pagedUniform(this.#bricks, look, detail, this.#places));
    commands.record((encoder) => encoder.clearBuffer(this.#feedback));
  }

  /** @param target rgba8unorm, usage STORAGE_BINDING; its first `count` rows become the strip's, premultiplied */
  record(commands: Commands, { projection, frame, transfer }: BrickRayInputs, target: GPUTexture, strip: Strip): void {
    const { source, table, atlas } = this.#bricks;
    const way = projections.indexOf(projection) + 1;
    const [width, height] = [8, 8];
    const constants = {
      ...{ way, tile_width: width, tile_height: height, element_type: elementTypeNumber(source.info.type) },
      is_filtered: Number(atlas.filtered.isUsed),
    };
    const kernel = this.#gpu.kernel({ label: 'view.brick-rays', shader: rayMarchShader, variant: { paged: true }, constants });
    const bindings: Binding[] = [
      ...[atlas.voxels.buffer, this.#uniform, table.entries(), table.constants, frame],
      ...[this.#sampler, transfer.createView(), target.createView(), atlas.ranges, this.#feedback],
      ...[atlas.filtered.texture.createView(), this.#sampler, atlas.filtered.cells],
    ];
    commands.dispatch(kernel, bindings, [Math.ceil(strip.width / width), Math.ceil(strip.count / height), 1]);
  }

  /** Records the readback of the feedback. @returns a function that gives the feedback once the commands have run */
  end(commands: Commands): () => BrickFeedback {
    const words = commands.readWords(this.#feedback, 0, 4 * this.#places.asked);
    return () => this.#parse(words());
  }

  #parse(words: Uint32Array): BrickFeedback {
    const { table, atlas } = this.#bricks;
    const count = words[0] as number;
    const missed = [...words.subarray(1, 1 + Math.min(count, mostMisses))].map((index) => table.keyAt(index));
    const used = new Map<BrickKey, number>();
    for (const [key, slot] of atlas.slots.oldest()) {
      const met = words[this.#places.used + slot] as number;
      if (met !== 0) used.set(key, met);
    }
    const beside = missed.length === 0 ? this.#beside(used) : [];
    // Keys of coarse levels are greater.
    return { missed: missed.sort((a, b) => b - a), hasMore: count > mostMisses, used: [...used.keys()], beside };
  }

  /** The bricks beyond faces that samples crossed. @param used bricks, and the bits of the faces beyond which their samples lay */
  #beside(used: ReadonlyMap<BrickKey, number>): readonly BrickKey[] {
    const found = new Set<BrickKey>();
    for (const [key, met] of used) {
      if (met === 1) continue;
      let keys = this.#around.get(key);
      if (!keys) {
        keys = around.map(({ by }) => brickBeside(this.#bricks.source, key, by));
        if (this.#around.size >= mostAround) this.#around.clear();
        this.#around.set(key, keys);
      }
      for (const [at, { faces }] of around.entries()) {
        const other = keys[at];
        if (faces !== 0 && (met & faces) === faces && other !== undefined && !used.has(other)) found.add(other);
      }
    }
    return [...found];
  }

  destroy(): void {
    this.#scope.destroy();
  }
}
