import rayMarchShader from '../../shaders/draw/ray-march.wgsl';
import rayStackShader from '../../shaders/draw/ray-stack.wgsl';
import { KernelsBeside } from '../draw/kernels-beside.ts';
import { type Projection, projections, type Strip } from '../draw/ray-pass.ts';
import { type RayStackInputs, type StackVariant, stackBindings, stackVariant } from '../draw/ray-stack.ts';
import type { Binding, Commands } from '../gpu/commands.ts';
import type { Gpu } from '../gpu/gpu.ts';
import type { KernelDescriptor } from '../gpu/kernel.ts';
import type { GpuScope } from '../gpu/scope.ts';
import { elementTypeNumber } from '../volume/voxel-key.ts';
import { type BrickFeedback, FeedbackReader } from './brick-feedback.ts';
import type { GpuBricks } from './gpu-bricks.ts';
import { type FeedbackPlaces, type PagedLook, pagedUniform, pagedUniformBytes, type RayDetail } from './paged-uniform.ts';

/** The width and height of a workgroup in pixels. */
const tile = 16;
type RayShader = Pick<KernelDescriptor, 'shader' | 'variant'>;
/** Through the bricks alone. */
const volumeRays: RayShader = { shader: rayMarchShader, variant: { paged: true } };
/** The maximum number of misses that a frame records; later frames record the others. */
const mostMisses = 4096;

/** @param variant undefined for rays through the bricks alone */
function raysOf(variant: StackVariant | undefined): RayShader {
  return variant ? { shader: rayStackShader, variant } : volumeRays;
}

export interface BrickRayInputs {
  readonly projection: Projection;
  /** Contains the result of `rayFrame`, or of `rayStackFrame` for several volumes, for the whole volume's dims. */
  readonly frame: GPUBuffer;
  /** 256 × 2 texels: see `rayTransfer`. For several volumes: see `RayStackInputs`. */
  readonly transfer: GPUTexture;
}

/**
 * Draws the bricks in GPU memory with shaders/draw/ray-march.wgsl or ray-stack.wgsl, each at the level that suits its size on the screen,
 * or at a coarser one. A frame is `begin`, `record` or `recordStack` for each strip, and `end`.
 */
export class BrickRays {
  readonly #gpu: Gpu;
  readonly #bricks: GpuBricks;
  readonly #scope: GpuScope;
  readonly #sampler: GPUSampler;
  /** The parameters of each channel. */
  readonly #uniforms: GPUBuffer[] = [];
  readonly #feedback: GPUBuffer;
  /** Kept, because a frame that makes no new objects leaves no garbage. */
  readonly #views = new WeakMap<GPUTexture, GPUTextureView>();
  readonly #places: FeedbackPlaces;
  readonly #reader: FeedbackReader;
  /** Whether the frame is drawn from the texture. */
  #isFiltered = false;
  readonly #kernels: KernelsBeside;

  constructor(gpu: Gpu, bricks: GpuBricks) {
    this.#gpu = gpu;
    this.#bricks = bricks;
    this.#scope = gpu.scope('brick-rays');
    this.#kernels = new KernelsBeside(gpu);
    this.#sampler = gpu.device.createSampler({ label: 'brick-rays', magFilter: 'linear', minFilter: 'linear' });
    const { table, atlas } = bricks;
    const used = 1 + mostMisses;
    this.#places = { used, asked: used + atlas.slotCount, mostMisses };
    this.#reader = new FeedbackReader(bricks, this.#places);
    this.#feedback = this.#scope.storage('feedback', 4 * (this.#places.asked + Math.ceil(table.count / 32)));
  }

  /**
   * Compiles the kernel of `record`, or of `recordStack`: see `KernelsBeside`.
   * @param looks as in `begin` @param variant `stackVariant` of the inputs of `recordStack`; undefined for `record`
   */
  compile(projection: Projection, looks: readonly PagedLook[], variant?: StackVariant): Promise<void> | undefined {
    return this.#kernels.compile(this.#kernelOf(raysOf(variant), projection, this.#canFilter(looks)));
  }

  /** Whether the kernel of `record`, or of `recordStack`, has been compiled. @param looks, variant as in `compile` */
  has(projection: Projection, looks: readonly PagedLook[], variant?: StackVariant): boolean {
    return this.#kernels.has(this.#kernelOf(raysOf(variant), projection, this.#canFilter(looks)));
  }

  /** @param looks of the channels that are drawn, one after another */
  begin(commands: Commands, looks: readonly PagedLook[], detail: RayDetail): void {
    this.#isFiltered = this.#canFilter(looks);
    for (const [at, look] of looks.entries()) {
      this.#uniforms[at] ??= this.#scope.buffer('paged', pagedUniformBytes, GPUBufferUsage.UNIFORM);
      const uniform = pagedUniform(this.#bricks, look, detail, this.#places);
      this.#gpu.device.queue.writeBuffer(this.#uniforms[at], 0, uniform);
    }
    commands.record((encoder) => encoder.clearBuffer(this.#feedback));
  }

  /** @param target rgba8unorm, usage STORAGE_BINDING; its first `count` rows become the strip's, premultiplied */
  record(commands: Commands, inputs: BrickRayInputs, target: GPUTexture, strip: Strip): void {
    this.#dispatch(commands, volumeRays, inputs, [], target, strip, 0);
  }

  /**
   * As `record`, but rays also cross other volumes and meshes (shaders/draw/ray-stack.wgsl). The bricks are the lowest volume.
   * @param inputs `displays` are those of the other volumes; `frame` and `transfer` are of all volumes
   * @param target rgba16float keeps pictures exact that are blended with others
   * @param channel its number in the looks of `begin`
   */
  recordStack(commands: Commands, inputs: RayStackInputs, target: GPUTexture, strip: Strip, channel = 0): void {
    const { displays, surfaces, layerBricks, areLabels } = inputs;
    const hasHalves = target.format === 'rgba16float';
    const hasMeshes = surfaces !== undefined;
    const variant = stackVariant(1 + displays.length, { hasMeshes, isPaged: true, hasHalves, layerBricks, areLabels });
    const textures = stackBindings(displays, surfaces, layerBricks, true);
    this.#dispatch(commands, raysOf(variant), inputs, textures, target, strip, channel);
  }

  #canFilter(looks: readonly PagedLook[]): boolean {
    return looks.every(({ window, numbers }) => this.#bricks.isFiltered(window, numbers));
  }

  #kernelOf(rays: RayShader, projection: Projection, isFiltered: boolean): KernelDescriptor {
    const constants = {
      ...{ way: projections.indexOf(projection) + 1, tile_width: tile, tile_height: tile },
      ...{ element_type: elementTypeNumber(this.#bricks.source.info.type), is_filtered: Number(isFiltered) },
    };
    return { label: 'view.brick-rays', ...rays, constants };
  }

  #dispatch(
    commands: Commands,
    rays: RayShader,
    { projection, frame, transfer }: BrickRayInputs,
    textures: readonly Binding[],
    target: GPUTexture,
    strip: Strip,
    channel: number,
  ): void {
    const { table, atlas } = this.#bricks;
    const kernel = this.#kernels.kernel(this.#kernelOf(rays, projection, this.#isFiltered));
    const bindings: Binding[] = [
      ...[atlas.voxels.buffer, this.#uniforms[channel] as GPUBuffer, table.entries(), table.constants, frame],
      ...[this.#sampler, this.#viewOf(transfer), this.#viewOf(target), atlas.ranges, this.#feedback],
      ...[this.#viewOf(atlas.filtered.filterable), this.#sampler, atlas.filtered.cells, ...textures],
    ];
    commands.dispatch(kernel, bindings, [Math.ceil(strip.width / tile), Math.ceil(strip.count / tile), 1]);
  }

  #viewOf(texture: GPUTexture): GPUTextureView {
    const known = this.#views.get(texture);
    if (known) return known;
    const view = texture.createView();
    this.#views.set(texture, view);
    return view;
  }

  /** Records the readback of the feedback. @returns a function that gives the feedback once the commands have run */
  end(commands: Commands): () => BrickFeedback {
    const words = commands.readWords(this.#feedback, 0, 4 * this.#places.asked);
    const { fills } = this.#bricks.atlas;
    return () => this.#reader.read(words(), fills);
  }

  destroy(): void {
    this.#scope.destroy();
  }
}
