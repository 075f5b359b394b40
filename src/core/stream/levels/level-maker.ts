import type { Backend, BackendJob, BoxHalving, EncodeChoice, VoxelBox } from '../../chunks/backend.ts';
import { gatherChunk, scatterChunk } from '../../chunks/boxes.ts';
import { ChainUses } from '../../chunks/chain-uses.ts';
import type { EncodedChunk } from '../../format/chunk.ts';
import { type ChunkGrid, type ChunkShape, chunkGridOf, codecElementBytes, elementsPerVoxel } from '../../format/chunk-grid.ts';
import type { OpenVolume } from '../../io/common/volume-reader.ts';
import { halvedElements } from '../../levels/halved-dims.ts';
import { halvingsOf } from '../../levels/level-geometry.ts';
import { type PlannedHalving, planLevels, whyNoLevels } from '../../levels/level-plan.ts';
import type { LevelRun, RunMemory } from '../../levels/level-run.ts';
import { LevelStack } from '../../levels/level-stack.ts';
import { StriaError } from '../../shared/errors.ts';
import type { HalvingMethod } from '../../shared/halving.ts';
import type { JobOptions } from '../../shared/job.ts';
import type { Dims3, ElementType, VolumeInfo } from '../../shared/volume.ts';
import type { ReadBox } from '../box-reader.ts';
import { Beside, maxBoxBytes } from '../pipeline.ts';
import { boxesOf, rangeOf } from '../slabs.ts';
import { HeldLevels, type HeldRun } from './held-levels.ts';
import { type LevelChoice, wantsLevels } from './level-choice.ts';

/** The chunks of a run of a level, encoded. */
export interface EncodedRun extends Pick<LevelRun, 'level' | 'firstChunk' | 'due'> {
  readonly chunks: readonly EncodedChunk[];
}

/** Makes the levels of a volume from its voxels, and encodes them. */
export class LevelMaker {
  readonly stack: LevelStack;
  readonly #grid: ChunkGrid;
  readonly #halvings: readonly PlannedHalving[];
  readonly #elementBytes: 1 | 2 | 4;
  readonly #backend: Backend;
  readonly #choice: EncodeChoice;
  readonly #type: ElementType;
  /** How many halvings the backend can do with a box of the volume. */
  readonly #boxHalvings: number;
  /** If set, its results stay there. */
  #held: HeldLevels | undefined;
  /** For each halving, the halved boxes of a slab. */
  #slabs: Uint8Array<ArrayBuffer>[] = [];
  #slabFilled = 0;
  readonly #encoding = new Beside<EncodedRun[]>();
  readonly #uses = new ChainUses();
  /** The finest levels, whose runs are no longer encoded. */
  #leftOut = 0;
  /** Taken from the stack, and not released yet. */
  readonly #taken = new Set<LevelRun | HeldRun>();
  /** Released plain memory, which is used again: there are too many runs to leave them to the garbage collector. */
  readonly #spare: Uint8Array<ArrayBuffer>[] = [];

  /** Undefined if the file gets no levels. @throws StriaError as `plan` */
  static create(
    volume: VolumeInfo,
    chunkShape: ChunkShape,
    backend: Backend,
    choice: EncodeChoice,
    wish: LevelChoice,
  ): LevelMaker | undefined {
    const halvings = LevelMaker.plan(volume, chunkShape, wish);
    const method = typeof wish === 'string' ? wish : undefined;
    return halvings && new LevelMaker(volume, chunkGridOf(volume, chunkShape), halvings, backend, choice, method);
  }

  /**
   * How levels are made; undefined if the file gets none.
   * @throws StriaError `invalid-input` if levels were asked for and the volume's chunks allow none
   */
  static plan(volume: VolumeInfo, chunkShape: ChunkShape, wish: LevelChoice): readonly PlannedHalving[] | undefined {
    if (!wantsLevels(volume, wish) || halvingsOf(volume).length === 0) return undefined;
    const fault = whyNoLevels(chunkGridOf(volume, chunkShape));
    if (fault !== undefined) {
      if (wish === undefined) return undefined;
      throw new StriaError('invalid-input', fault);
    }
    if (wish === 'mode' && (volume.type === 'f32' || volume.type === 'f64')) {
      throw new StriaError('invalid-input', 'floating-point volumes hold no labels, so their levels are means');
    }
    const halvings = planLevels(volume, chunkShape);
    return halvings.length > 0 ? halvings : undefined;
  }

  private constructor(
    volume: VolumeInfo,
    grid: ChunkGrid,
    halvings: readonly PlannedHalving[],
    backend: Backend,
    choice: EncodeChoice,
    method: HalvingMethod | undefined,
  ) {
    this.stack = new LevelStack(volume, grid, halvings, method, (byteLength) => this.#takeMemory(byteLength));
    this.#grid = grid;
    this.#halvings = halvings;
    this.#elementBytes = codecElementBytes(volume.type);
    this.#backend = backend;
    this.#choice = choice;
    this.#type = volume.type;
    this.#boxHalvings = backend.halves?.(volume.type) ? evenHalvings(grid, halvings, volume.type) : 0;
    const isWhole = this.#boxHalvings === halvings.length;
    this.#held = isWhole ? HeldLevels.create(volume.type, grid, halvings, backend, this.#boxBytes) : undefined;
  }

  /**
   * The first halvings, if the backend can do them with the boxes of the volume: their kind is known, and boxes begin at even places.
   */
  firstHalving(): Omit<BoxHalving, 'onHalved'> | undefined {
    const { method } = this.stack;
    if (method === undefined || this.#boxHalvings === 0) return undefined;
    const [first, ...further] = this.#halvings.slice(0, this.#boxHalvings) as [PlannedHalving, ...PlannedHalving[]];
    return { steps: first.steps, further: further.map(({ steps }) => steps), method, type: this.#type };
  }

  /** How the backend halves a box, which follows those of earlier calls. @throws StriaError of the backend */
  async halvingOf(box: ReadBox): Promise<Omit<BoxHalving, 'onHalved'> | undefined> {
    const halving = this.firstHalving();
    // The stack holds what it was given at the beginning.
    if (this.stack.hasBegun) this.#held = undefined;
    return halving && { ...halving, into: await this.#held?.partsOf(box) };
  }

  /**
   * Reads the first planes of a plain file. Mostly they show how voxels are halved; then the backend can halve all boxes, from the
   * first one on.
   */
  async judge({ fill, place }: OpenVolume, { signal }: JobOptions): Promise<void> {
    if (!fill || !place || this.#boxHalvings === 0 || this.stack.method !== undefined) return;
    const bytes = new Uint8Array(this.stack.firstGroupBytes);
    await fill(bytes, 0, { signal });
    this.stack.judge(bytes);
  }

  /** Takes voxels of the volume that the backend cannot halve, in their order. @returns whether it has: it may find that the backend can */
  async take(bytes: Uint8Array): Promise<boolean> {
    if (this.#boxHalvings > 0) return this.stack.pushFirst(bytes);
    await this.stack.push(bytes);
    return true;
  }

  /** Takes the results for a box, in the order of the boxes. They are not kept. @param results undefined if the backend has put them in place */
  async addHalved(box: ReadBox, results: readonly Uint8Array[] | undefined): Promise<void> {
    if (!results) return this.#held?.add(box);
    const { origin, slabDims } = box;
    const { dims } = box.voxels;
    if (dims.every((length, axis) => length === slabDims[axis])) return this.stack.pushHalved(results);
    let [at, shape, whole]: [Dims3, Dims3, Dims3] = [origin, dims, slabDims];
    for (const [index, bytes] of results.entries()) {
      const { steps } = this.#halvings[index] as PlannedHalving;
      at = [at[0] / steps[0], at[1] / steps[1], at[2] / steps[2]];
      shape = halvedElements(shape, steps, this.#type);
      whole = halvedElements(whole, steps, this.#type);
      const slab = this.#slabs[index] ?? new Uint8Array(whole[0] * whole[1] * whole[2] * this.#elementBytes);
      this.#slabs[index] = slab;
      scatterChunk(bytes, { origin: at, shape }, { bytes: slab, dims: whole, elementBytes: this.#elementBytes });
    }
    // All results of a slab are complete with its last box.
    this.#slabFilled += dims[0] * dims[1] * dims[2];
    if (this.#slabFilled < slabDims[0] * slabDims[1] * slabDims[2]) return;
    const slabs = this.#slabs;
    this.#slabs = [];
    this.#slabFilled = 0;
    await this.stack.pushHalved(slabs);
  }

  /** The end of the layer that holds a chunk: up to there, chunks are written without waiting for levels. */
  endOfLayer(chunk: number): number {
    const { chunksPerLayer } = this.#grid;
    return (Math.floor(chunk / chunksPerLayer) + 1) * chunksPerLayer;
  }

  /**
   * Encodes the runs that are complete and belong before the end of these chunks, once those of earlier calls are encoded. Runs of levels
   * that were left out may be missing.
   * Voxels may be added meanwhile.
   * @param chunks the next ones of the volume, from `first`
   */
  encodeDue(
    first: number,
    chunks: readonly EncodedChunk[],
    job: Pick<BackendJob, 'signal' | 'lend'>,
  ): Promise<readonly EncodedRun[]> {
    const end = first + chunks.length;
    this.#uses.add(first, chunks);
    const runs = [...this.stack.takeRuns(end), ...(this.#held?.takeRuns(end) ?? [])];
    if (runs.length === 0) return Promise.resolve([]);
    for (const run of runs) this.#taken.add(run);
    return this.#encoding.start(async () => {
      const wanted = runs.filter(({ level }) => level > this.#leftOut);
      for (const run of runs) if (!wanted.includes(run)) this.#release(run);
      const encoding = wanted.map((run) => this.#encode(run, job).finally(() => this.#release(run)));
      // No run may be in use when its memory is released.
      await Promise.allSettled(encoding);
      return Promise.all(encoding);
    });
  }

  /** From now on, runs of so many of the finest levels need not be encoded. */
  leaveOut(count: number): void {
    this.#leftOut = count;
  }

  /** Waits for what is being encoded, and releases all memory. Must be called in the end, whether or not it succeeded. */
  async close(): Promise<void> {
    await this.#encoding.settle();
    for (const run of this.#taken) this.#release(run);
    this.stack.close();
    await this.#held?.close();
  }

  async #encode(run: LevelRun | HeldRun, job: Pick<BackendJob, 'signal' | 'lend'>): Promise<EncodedRun> {
    const { level, firstChunk, chunkCount, dims, due } = run;
    const { grid } = this.#halvings.find((halving) => halving.level === level) as PlannedHalving;
    const range = rangeOf(grid, firstChunk, chunkCount);
    const { codec, options } = this.#choice;
    const choice = { codec, options: { ...options, inUse: this.#uses.before(due) } };
    if ('box' in run)
      return { level, firstChunk, due, chunks: await run.box.encode(range.chunks, choice, { ...job, firstChunk }) };
    const { memory } = run;
    const elementBytes = this.#elementBytes;
    const whole: VoxelBox = { bytes: memory.bytes, dims, elementBytes };
    const chunks: EncodedChunk[] = [];
    for (const box of boxesOf(range, elementBytes, this.#boxBytes)) {
      const isWhole = box.chunks.length === chunkCount;
      const bytes = isWhole ? memory.bytes : gatherChunk(whole, { origin: box.origin, shape: box.dims });
      const inBox = { ...job, firstChunk: box.firstChunk };
      const of = await this.#backend.encode({ bytes, dims: box.dims, elementBytes }, box.chunks, choice, inBox);
      for (const chunk of of) chunks.push(chunk);
    }
    return { level, firstChunk, due, chunks };
  }

  #release(run: LevelRun | HeldRun): void {
    this.#taken.delete(run);
    if ('box' in run) run.box.release();
    else run.memory.release();
  }

  get #boxBytes(): number {
    return Math.min(this.#backend.maxBoxBytes, maxBoxBytes);
  }

  /** For the voxels of a run: memory from which the backend encodes without a copy, if it lends any and the run is one box. */
  async #takeMemory(byteLength: number): Promise<RunMemory> {
    const { borrowBytes } = this.#backend;
    if (borrowBytes && byteLength <= this.#boxBytes) return borrowBytes(byteLength);
    const at = this.#spare.findIndex((bytes) => bytes.byteLength >= byteLength);
    const [whole = new Uint8Array(byteLength)] = at < 0 ? [] : this.#spare.splice(at, 1);
    return { bytes: whole.subarray(0, byteLength), release: () => this.#spare.push(whole) };
  }
}

/**
 * How many halvings of a box of whole chunks are parts of those of the volume: boxes begin at even places along the axes that are
 * halved, and no pair of planes spans two time points.
 */
function evenHalvings({ chunkShape, counts, dims }: ChunkGrid, halvings: readonly PlannedHalving[], type: ElementType): number {
  const uneven = halvings.findIndex(({ factors }) => {
    const lengths = [factors[0] * elementsPerVoxel(type), factors[1], factors[2]] as const;
    const isEven = ([0, 1, 2] as const).every(
      (axis) => factors[axis] === 1 || counts[axis] === 1 || chunkShape[axis] % lengths[axis] === 0,
    );
    return !isEven || (factors[2] > 1 && dims[3] > 1 && dims[2] % factors[2] > 0);
  });
  return uneven < 0 ? halvings.length : uneven;
}
