import type { ChunkBox, ResidentBox } from '../../chunks/backend.ts';
import { type DecodePlan, type GpuVoxels, rowBytes } from '../../codec/codec.ts';
import { type ChunkGrid, codecElementBytes } from '../../format/chunk-grid.ts';
import type { Commands } from '../../gpu/commands.ts';
import type { Gpu } from '../../gpu/gpu.ts';
import type { GpuScope } from '../../gpu/scope.ts';
import { type DecodePlanner, DecodeWorkspace, type PlannedChunk, type StoredChunk } from '../../gpu-chunks/decode-planner.ts';
import type { FaultFlags } from '../../gpu-chunks/fault-flags.ts';
import { paddedBoxBytes } from '../../gpu-chunks/gpu-chunks.ts';
import { StriaError } from '../../shared/errors.ts';
import type { Dims3, ElementType } from '../../shared/volume.ts';
import { type AxisIndex, placeUniform, type SliceBox } from '../volume-source.ts';
import { prepareDeinterleave } from './deinterleave.ts';

/** A part of a layer: a box of whole chunks, decoded into a buffer of its own. */
export interface LayerBox extends ResidentBox {
  /**
   * The box's first element in the volume. If chunks hold several time points, the box stacks them along z (or keeps their order in
   * the chunks: `LayerOptions.asEncoded`).
   */
  readonly origin: Dims3;
  /** The box's chunks: their positions in the box, and their numbers in the first time point's grid. */
  readonly chunks: readonly (ChunkBox & { readonly number: number })[];
}

/** A part of a layer from which slices are drawn. */
export interface PlacedLayerBox extends LayerBox, SliceBox {}

interface ChunkRange {
  readonly first: Dims3;
  readonly end: Dims3;
}

/** The compressed volume's data that layers need. */
export interface LayerSource {
  readonly gpu: Gpu;
  readonly planner: DecodePlanner;
  readonly grid: ChunkGrid;
  readonly type: ElementType;
  readonly stored: readonly StoredChunk[];
}

export interface LayerOptions {
  /** Flags for unsound payloads in the recorded work. If undefined, payloads are not checked. */
  readonly flags?: FaultFlags | undefined;
  /** Whether boxes hold planes in the order of the chunks. By default, time points that chunks interleave are stacked. */
  readonly asEncoded?: boolean | undefined;
}

/**
 * A compressed volume's layers of chunks across one axis, or its whole time points as layers. One layer of one time point at a
 * time is decoded, into scratch memory shared by all layers. If chunks hold several time points, decoding one time point decodes all
 * time points of its chunks.
 */
export class CompressedLayers {
  readonly #source: LayerSource;
  readonly #axis: AxisIndex | undefined;
  readonly #scratch: GpuScope;
  readonly #tables: GpuScope;
  readonly #flags: FaultFlags | undefined;
  /** Whether boxes are decoded into a separate buffer first, because chunks interleave the planes that boxes stack. */
  readonly #stacks: boolean;
  readonly #workspace: DecodeWorkspace;
  readonly #boxes = new Map<number, readonly PlacedLayerBox[]>();
  readonly #plans = new Map<number, DecodePlan>();
  #buffers: readonly GPUBuffer[] | undefined;
  /** The buffer into which a box is decoded before its time points are stacked. */
  #interleaved: GPUBuffer | undefined;
  /** The key of the layer and time point in the scratch memory once all recorded commands have run. */
  #held: number | undefined;

  /**
   * @param axis undefined if a layer is a whole time point
   * @param tables owns the tables that decoding reads besides payloads
   * @param scratch owns the decoded boxes
   */
  constructor(
    source: LayerSource,
    axis: AxisIndex | undefined,
    tables: GpuScope,
    scratch: GpuScope,
    { flags, asEncoded = false }: LayerOptions = {},
  ) {
    this.#source = source;
    this.#axis = axis;
    this.#tables = tables;
    this.#scratch = scratch;
    this.#flags = flags;
    this.#stacks = source.grid.isInterleaved && !asEncoded;
    this.#workspace = new DecodeWorkspace(scratch, source.gpu.maxBindingBytes);
  }

  get count(): number {
    return this.#axis === undefined ? 1 : this.#source.grid.counts[this.#axis];
  }

  /** Whether a layer holds several time points. */
  get holdsSeveral(): boolean {
    return this.#source.grid.timePointsPerChunk > 1;
  }

  /** Whether a layer was ever requested, so that scratch memory exists. */
  get isUsed(): boolean {
    return this.#buffers !== undefined;
  }

  /** @throws StriaError `limit-too-small` if no cut gives parts that the GPU can bind */
  assertFits(): void {
    this.#rangesOf(0);
  }

  /** The layer that holds an element. */
  layerAt(position: Dims3): number {
    if (this.#axis === undefined) return 0;
    return Math.floor(position[this.#axis] / this.#source.grid.chunkShape[this.#axis]);
  }

  /** Creates the tables for decoding a layer at a time point, so that `record` uploads nothing. */
  prepare(layer: number, timePoint: number): void {
    this.#planOf(layer, timePoint);
  }

  /**
   * The layer's boxes, which hold the layer once its decoding is recorded. They are the same for all time points of a chunk or, if
   * chunks hold single time points, for all time points.
   */
  boxes(layer: number, timePoint: number): readonly PlacedLayerBox[] {
    const block = this.holdsSeveral ? this.#source.grid.timeBlock(timePoint) : 0;
    const boxKey = block * this.count + layer;
    const known = this.#boxes.get(boxKey);
    if (known) return known;
    const ranges = this.#rangesOf(layer);
    // No layer is larger than layer 0.
    this.#buffers ??= this.#rangesOf(0).map((range, index) =>
      this.#scratch.storage(`layer ${index}`, this.#paddedBytes(this.#extentOf(range, 0).dims)),
    );
    const buffers = this.#buffers;
    const boxes = ranges.map((range, index) => this.#boxOf(range, block, buffers[index] as GPUBuffer));
    this.#boxes.set(boxKey, boxes);
    return boxes;
  }

  /** The layer's boxes. Records their decoding, unless they already hold the layer. */
  record(commands: Commands, layer: number, timePoint: number): readonly PlacedLayerBox[] {
    const boxes = this.boxes(layer, timePoint);
    const key = this.#key(layer, timePoint);
    if (this.#held !== key) {
      this.#planOf(layer, timePoint)(commands);
      this.#held = key;
    }
    return boxes;
  }

  /**
   * A plan that decodes some chunks of a layer into its boxes, for `recordBy`.
   * @param chunks their numbers in the first time point's grid
   * @param tables owns the tables that decoding reads besides payloads
   */
  planSome(layer: number, timePoint: number, chunks: ReadonlySet<number>, tables: GpuScope): DecodePlan {
    return this.#plan(layer, timePoint, tables, ({ number }) => chunks.has(number));
  }

  /** The layer's boxes, with only the chunks of the plan decoded; the rest of their contents is undefined. */
  recordBy(plan: DecodePlan, commands: Commands, layer: number, timePoint: number): readonly PlacedLayerBox[] {
    if (this.#held !== this.#key(layer, timePoint)) {
      plan(commands);
      this.#held = undefined;
    }
    return this.boxes(layer, timePoint);
  }

  /** The box that currently holds an element of a time point. @param position z counts from the first time point of its chunk */
  holding(position: Dims3, timePoint: number): LayerBox | undefined {
    const layer = this.layerAt(position);
    if (this.#held !== this.#key(layer, timePoint)) return undefined;
    return this.boxes(layer, timePoint).find(({ origin, voxels }) =>
      origin.every((from, axis) => {
        const at = position[axis] as number;
        return at >= from && at < from + (voxels.dims[axis] as number);
      }),
    );
  }

  #key(layer: number, timePoint: number): number {
    return this.#source.grid.timeBlock(timePoint) * this.count + layer;
  }

  #planOf(layer: number, timePoint: number): DecodePlan {
    const key = this.#key(layer, timePoint);
    const known = this.#plans.get(key);
    if (known) return known;
    const plan = this.#plan(layer, timePoint, this.#tables, () => true);
    this.#plans.set(key, plan);
    return plan;
  }

  #plan(
    layer: number,
    timePoint: number,
    tables: GpuScope,
    isWanted: (chunk: LayerBox['chunks'][number]) => boolean,
  ): DecodePlan {
    const { grid, stored, planner } = this.#source;
    const firstChunk = grid.timeBlock(timePoint) * grid.chunksPerTimePoint;
    const plans = this.boxes(layer, timePoint).flatMap(({ chunks, voxels }) => {
      const planned = chunks.filter(isWanted).map((chunk): PlannedChunk => {
        const number = firstChunk + chunk.number;
        return { ...chunk, stored: stored[number] as StoredChunk, number };
      });
      const plan = (target: GpuVoxels) => planner.planNamed(planned, target, tables, this.#workspace, this.#flags);
      if (!this.#stacks) return [plan(voxels)];
      const decoded = { ...voxels, buffer: this.#interleavedBuffer() };
      const { timePoints } = grid.box(firstChunk);
      return [plan(decoded), prepareDeinterleave(this.#source.gpu, tables, decoded, voxels.buffer, timePoints)];
    });
    return (commands) => {
      for (const one of plans) one(commands);
    };
  }

  /** A buffer as large as the largest box. */
  #interleavedBuffer(): GPUBuffer {
    const bytes = this.#rangesOf(0).map((range) => this.#paddedBytes(this.#extentOf(range, 0).dims));
    this.#interleaved ??= this.#scratch.storage('interleaved', Math.max(...bytes));
    return this.#interleaved;
  }

  /**
   * A layer, cut along z or y until each part fits in one binding. A layer that holds several time points is cut only along y, because
   * their planes follow each other. All layers are cut alike, because they share buffers.
   */
  #rangesOf(layer: number): ChunkRange[] {
    const { counts } = this.#source.grid;
    const axis = this.#axis;
    const whole: ChunkRange = { first: [0, 0, 0], end: [counts[0], counts[1], counts[2]] };
    if (axis === undefined) return this.#cut(whole);
    const firstLayer = { first: whole.first, end: withLength(whole.end, axis, 1) };
    return this.#cut(firstLayer).map(({ first, end }) => ({
      first: withLength(first, axis, layer),
      end: withLength(end, axis, layer + 1),
    }));
  }

  #cut(range: ChunkRange): ChunkRange[] {
    const { gpu } = this.#source;
    const bytes = this.#paddedBytes(this.#extentOf(range, 0).dims);
    if (bytes <= gpu.maxBindingBytes) return [range];
    const axis = (this.holdsSeveral ? ([1] as const) : ([2, 1] as const)).find((one) => range.end[one] - range.first[one] > 1);
    if (axis === undefined) {
      throw new StriaError('limit-too-small', `a row of chunks takes ${bytes} bytes; this GPU binds ${gpu.maxBindingBytes}`);
    }
    const middle = Math.ceil((range.first[axis] + range.end[axis]) / 2);
    return [
      ...this.#cut({ first: range.first, end: withLength(range.end, axis, middle) }),
      ...this.#cut({ first: withLength(range.first, axis, middle), end: range.end }),
    ];
  }

  /** @param block index of the chunks along t */
  #extentOf({ first, end }: ChunkRange, block: number): { origin: Dims3; dims: Dims3 } {
    const { grid } = this.#source;
    const { chunkShape, dims } = grid;
    const edge = (axis: AxisIndex, chunk: number): number => Math.min(dims[axis], chunk * chunkShape[axis]);
    const length = (axis: AxisIndex): number => edge(axis, end[axis]) - edge(axis, first[axis]);
    if (this.holdsSeveral) {
      const { timePoints } = grid.box(block * grid.chunksPerTimePoint);
      return { origin: [0, edge(1, first[1]), 0], dims: [dims[0], length(1), dims[2] * timePoints] };
    }
    return { origin: [edge(0, first[0]), edge(1, first[1]), edge(2, first[2])], dims: [length(0), length(1), length(2)] };
  }

  #boxOf(range: ChunkRange, block: number, buffer: GPUBuffer): PlacedLayerBox {
    const { grid, type } = this.#source;
    const { origin, dims } = this.#extentOf(range, block);
    const voxels: GpuVoxels = { buffer, dims, elementBytes: codecElementBytes(type) };
    const chunks: LayerBox['chunks'][number][] = [];
    const blockPlane = grid.box(block * grid.chunksPerTimePoint).plane;
    for (let z = range.first[2]; z < range.end[2]; z++) {
      for (let y = range.first[1]; y < range.end[1]; y++) {
        for (let x = range.first[0]; x < range.end[0]; x++) {
          const number = (z * grid.counts[1] + y) * grid.counts[0] + x;
          const box = grid.box(block * grid.chunksPerTimePoint + number);
          const [fromX, fromY, fromZ] = box.origin;
          const plane = this.holdsSeveral ? box.plane - blockPlane : fromZ - origin[2];
          const inBox: Dims3 = [fromX - origin[0], fromY - origin[1], plane];
          chunks.push({ origin: inBox, shape: box.shape, number });
        }
      }
    }
    const perVoxel = type === 'f64' ? 2 : 1;
    const place = placeUniform(this.#tables, {
      first: [origin[0] / perVoxel, origin[1], this.holdsSeveral ? blockPlane : origin[2]],
      size: [dims[0] / perVoxel, dims[1], dims[2]],
      planesPerTimePoint: this.holdsSeveral ? grid.dims[2] : 0,
      rowWords: rowBytes(dims[0], voxels.elementBytes) / 4,
    });
    return { voxels, place, origin, chunks };
  }

  #paddedBytes(dims: Dims3): number {
    return paddedBoxBytes(dims, codecElementBytes(this.#source.type));
  }
}

function withLength(dims: Dims3, axis: AxisIndex, length: number): Dims3 {
  const [x, y, z] = dims.with(axis, length);
  return [x as number, y as number, z as number];
}
