import type { LayerBrickInputs } from '../draw/ray-stack.ts';
import type { Binding, Commands } from '../gpu/commands.ts';
import type { Gpu } from '../gpu/gpu.ts';
import type { GpuScope } from '../gpu/scope.ts';
import type { Dims3 } from '../shared/volume.ts';
import { type BrickFeedback, FeedbackReader } from './brick-feedback.ts';
import type { GpuBricks } from './gpu-bricks.ts';
import { type BrickLayer, type LayerPlaces, layerUniform, layerUniformWords } from './layer-uniform.ts';
import { canFilterBricks } from './number-texels.ts';
import type { FeedbackPlaces } from './paged-uniform.ts';

/** The maximum number of misses of a layer that a frame records; later frames record the others. */
const mostMisses = 4096;

/** A layer of the frame that has begun. */
interface Drawn {
  readonly layer: BrickLayer;
  readonly places: LayerPlaces;
  readonly feedback: FeedbackPlaces;
}

/** The inputs of rays that choose their kernel. @param bricks of those volumes that have some, by their number among the volumes */
export function layerTextures(
  gpu: Pick<Gpu, 'device'>,
  bricks: readonly (GpuBricks | undefined)[],
): Pick<LayerBrickInputs, 'atlases' | 'areFiltered'> {
  const areFiltered = bricks.every((each) => !each || canFilterBricks(gpu, each.source.info.type));
  return { atlases: bricks.map((each) => each?.atlas.filtered.texture), areFiltered };
}

/**
 * The bricks of the layers that rays of shaders/draw/ray-stack.wgsl cross. Their page tables and ranges are gathered in one buffer, and
 * their feedback in another. A frame is `begin`, `RayStackPass.record` or `BrickRays.recordStack` for each strip, with `refresh` between
 * them, and `end`.
 */
export class BrickLayers {
  readonly #gpu: Gpu;
  readonly #scope: GpuScope;
  readonly #readers = new WeakMap<GpuBricks, FeedbackReader>();
  #uniform: GPUBuffer | undefined;
  #words: GPUBuffer | undefined;
  #feedback: GPUBuffer | undefined;
  /** What `#words` contains: the bricks of each layer, and the number of their changes. */
  #gathered: readonly { readonly bricks: GpuBricks; readonly changes: number }[] = [];
  #drawn: readonly Drawn[] = [];

  constructor(gpu: Gpu) {
    this.#gpu = gpu;
    this.#scope = gpu.scope('brick-layers');
  }

  /**
   * @param layers those of a frame's volumes that are drawn from bricks, by their number among the volumes
   * @param open lengths in the scene of the edges of the open volume's cube
   * @returns the inputs of all strips of the frame
   */
  begin(commands: Commands, layers: readonly (BrickLayer | undefined)[], open: Dims3): LayerBrickInputs {
    const uniform = new Uint32Array(layers.length * layerUniformWords);
    const drawn: Drawn[] = [];
    let [words, feedbackWords] = [0, 0];
    for (const [at, layer] of layers.entries()) {
      if (!layer) continue;
      const { table, atlas } = layer.bricks;
      const ranges = words + table.count;
      const cells = ranges + atlas.ranges.size / 4;
      const constants = cells + atlas.filtered.cells.size / 4;
      const places = { table: words, ranges, cells, constants, feedback: feedbackWords };
      const used = 1 + mostMisses;
      const feedback = { used, asked: used + atlas.slotCount, mostMisses };
      words = constants + table.constants.size / 4;
      feedbackWords += feedback.asked + Math.ceil(table.count / 32);
      uniform.set(layerUniform(layer, places, feedback, open), at * layerUniformWords);
      drawn.push({ layer, places, feedback });
    }
    this.#drawn = drawn;
    this.#uniform = this.#roomFor(this.#uniform, 'uniform', uniform.byteLength);
    this.#words = this.#roomFor(this.#words, 'words', 4 * words);
    this.#feedback = this.#roomFor(this.#feedback, 'feedback', 4 * feedbackWords);
    this.#gpu.device.queue.writeBuffer(this.#uniform, 0, uniform);
    this.#gather(commands, this.#words);
    const feedback = this.#feedback;
    commands.record((encoder) => encoder.clearBuffer(feedback));
    const bindings: Binding[] = [this.#uniform, this.#words, feedback];
    const textures = layerTextures(
      this.#gpu,
      layers.map((layer) => layer?.bricks),
    );
    return { bindings, ...textures };
  }

  /** Must be called before each further strip of a frame: since the last one, slots may have been given to other bricks. */
  refresh(commands: Commands): void {
    if (this.#words) this.#gather(commands, this.#words);
  }

  /**
   * Records the readback of the feedback.
   * @returns a function that gives the feedback of each layer with bricks, in order, once the commands have run
   */
  end(commands: Commands): () => readonly BrickFeedback[] {
    const buffer = this.#feedback as GPUBuffer;
    const reads = this.#drawn.map(({ layer: { bricks }, places, feedback }) => {
      const words = commands.readWords(buffer, 4 * places.feedback, 4 * feedback.asked);
      const reader = this.#readers.get(bricks) ?? new FeedbackReader(bricks, feedback);
      this.#readers.set(bricks, reader);
      const { fills } = bricks.atlas;
      return () => reader.read(words(), fills);
    });
    return () => reads.map((read) => read());
  }

  destroy(): void {
    this.#scope.destroy();
  }

  /** Copies the parts of all layers, unless they are there already. */
  #gather(commands: Commands, to: GPUBuffer): void {
    const now = this.#drawn.map(({ layer: { bricks } }) => ({ bricks, changes: bricks.changes }));
    const isSame = (at: number) =>
      now[at]?.bricks === this.#gathered[at]?.bricks && now[at]?.changes === this.#gathered[at]?.changes;
    if (now.length === this.#gathered.length && now.every((_, at) => isSame(at))) return;
    this.#gathered = now;
    for (const { layer, places } of this.#drawn) {
      const { table, atlas } = layer.bricks;
      const parts = [
        [table.entries(), places.table],
        [atlas.ranges, places.ranges],
        [atlas.filtered.cells, places.cells],
        [table.constants, places.constants],
      ] as const;
      commands.record((encoder) => {
        for (const [buffer, at] of parts) encoder.copyBufferToBuffer(buffer, 0, to, 4 * at, buffer.size);
      });
    }
  }

  /** A buffer of at least so many bytes. */
  #roomFor(before: GPUBuffer | undefined, label: 'uniform' | 'words' | 'feedback', bytes: number): GPUBuffer {
    if (before && before.size >= bytes) return before;
    if (before) this.#scope.free(before);
    if (label === 'words') this.#gathered = [];
    const usage = label === 'uniform' ? GPUBufferUsage.UNIFORM : GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC;
    return this.#scope.buffer(label, bytes, usage);
  }
}
