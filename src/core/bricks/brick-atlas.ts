import rangesShader from '../../shaders/brick-draw/brick-ranges.wgsl';
import { type GpuVoxels, rowBytes } from '../codec/codec.ts';
import { codecElementBytes, elementsPerVoxel } from '../format/chunk-grid.ts';
import type { Commands } from '../gpu/commands.ts';
import type { Gpu } from '../gpu/gpu.ts';
import type { GpuScope } from '../gpu/scope.ts';
import { DecodePlanner, type PlannedChunk, type StoredChunk } from '../gpu-chunks/decode-planner.ts';
import { StriaError } from '../shared/errors.ts';
import { LeastRecent } from '../shared/least-recent.ts';
import type { Dims3 } from '../shared/volume.ts';
import { elementTypeNumber } from '../volume/voxel-key.ts';
import { type BrickKey, brickOf } from './brick.ts';
import type { BrickSource } from './brick-source.ts';
import type { BrickTable } from './brick-table.ts';
import { BrickTexture, slotsBesideTexture, type TexturedBrick, texturedSlots } from './brick-texture.ts';
import { brickTexelBytes } from './number-texels.ts';
import { ReadyCodecs } from './ready-codecs.ts';

/** A compressed brick and the slot that it is decoded into. */
export interface SlottedBrick {
  readonly key: BrickKey;
  readonly slot: number;
  readonly stored: StoredChunk;
}

/** Decoded bricks in GPU memory, each in a slot of its own. */
export class BrickAtlas {
  /** All slots as one box of voxels, in which they follow each other along z. */
  readonly voxels: GpuVoxels;
  /** The shape of a slot in codec elements. */
  readonly slotShape: Dims3;
  readonly slotBytes: number;
  readonly slotCount: number;
  /** For each slot, four words: see shaders/brick-draw/brick-ranges.wgsl. */
  readonly ranges: GPUBuffer;
  /** Copies of bricks in a texture that rays can filter. */
  readonly filtered: BrickTexture;
  /** The slots that are taken, by brick. */
  readonly slots = new LeastRecent<BrickKey, number>();
  readonly #gpu: Gpu;
  readonly #source: BrickSource;
  readonly #codecs: ReadyCodecs;
  readonly #planner: DecodePlanner;
  readonly #free: number[];
  /** The brick in each slot. */
  readonly #keys: (BrickKey | undefined)[];
  /** Counts the bricks that have taken slots. */
  #fills = 0;
  /** `#fills` when the brick in each slot took it. */
  readonly #filledAt: Float64Array;

  /**
   * @param scope owns the buffers
   * @param budget bytes for the slots
   * @param textureBudget bytes for `filtered`
   * @throws StriaError `limit-too-small` if there is no room for a single brick
   */
  constructor(gpu: Gpu, scope: GpuScope, source: BrickSource, budget: number, textureBudget = 0) {
    this.#gpu = gpu;
    this.#source = source;
    this.#planner = new DecodePlanner(gpu);
    this.#codecs = new ReadyCodecs(this.#planner);
    const { type } = source.info;
    const elementBytes = codecElementBytes(type);
    this.slotShape = source.levels[0]?.grid.chunkShape ?? [1, 1, 1];
    const [x, y, z] = this.slotShape;
    this.slotBytes = rowBytes(x, elementBytes) * y * z;
    const bytes = Math.min(budget, gpu.maxBindingBytes);
    const most = Math.floor(bytes / this.slotBytes);
    const longest = gpu.device.limits.maxTextureDimension3D;
    const shape: Dims3 = [x / elementsPerVoxel(type), y, z];
    const textured = texturedSlots(most, shape, brickTexelBytes(type), textureBudget, longest);
    this.slotCount = slotsBesideTexture(most, textured);
    if (this.slotCount < 1) {
      throw new StriaError(
        'limit-too-small',
        `a decoded brick takes ${this.slotBytes} bytes of GPU memory; the limit is ${bytes}`,
      );
    }
    this.#keys = new Array<BrickKey | undefined>(this.slotCount).fill(undefined);
    this.#filledAt = new Float64Array(this.slotCount);
    this.#free = Array.from({ length: this.slotCount }, (_, at) => this.slotCount - 1 - at);
    const buffer = scope.storage('atlas', this.slotBytes * this.slotCount);
    this.voxels = { buffer, dims: [x, y, z * this.slotCount], elementBytes };
    this.ranges = scope.storage('ranges', 16 * this.slotCount);
    const slots = {
      ...{ voxels: buffer, ranges: this.ranges, type },
      ...{ shape, count: this.slotCount, words: this.words },
    };
    this.filtered = new BrickTexture(gpu, scope, slots, textureBudget);
  }

  /** Words from one slot to the next, of a row and of a slice. */
  get words(): readonly [slot: number, row: number, slice: number] {
    const row = rowBytes(this.slotShape[0], this.voxels.elementBytes) / 4;
    return [this.slotBytes / 4, row, row * this.slotShape[1]];
  }

  /** See `ReadyCodecs.has`. A software GPU compiles nothing beside the thread's work. */
  canDecode(key: BrickKey, stored: StoredChunk, onReady: () => void): boolean {
    if (this.#gpu.isSoftware) return true;
    return this.#codecs.has(stored, { shape: this.#shapeOf(key), elementBytes: this.voxels.elementBytes }, onReady);
  }

  /** Whether bricks may wait for kernels that are being compiled. */
  get isCompiling(): boolean {
    return this.#codecs.isCompiling;
  }

  /** Counts the bricks that have taken slots. */
  get fills(): number {
    return this.#fills;
  }

  /** Whether a slot's brick took it since `fills` was this number. */
  isNewerThan(slot: number, fills: number): boolean {
    return (this.#filledAt[slot] as number) > fills;
  }

  /** The brick in a slot. */
  keyAt(slot: number): BrickKey | undefined {
    return this.#keys[slot];
  }

  /**
   * Takes a slot for a brick: a free one, or that of the least recently used brick that may be evicted.
   * @returns undefined if there is no such slot
   */
  take(
    key: BrickKey,
    mayEvict: (key: BrickKey) => boolean,
  ): { readonly slot: number; readonly evicted: BrickKey | undefined } | undefined {
    const free = this.#free.pop();
    if (free !== undefined) return this.#fill(key, free, undefined);
    for (const [evicted, slot] of this.slots.oldest()) {
      if (!mayEvict(evicted)) continue;
      this.slots.delete(evicted);
      return this.#fill(key, slot, evicted);
    }
    return undefined;
  }

  /** Frees the slot of a brick, if it has one. */
  free(key: BrickKey): void {
    const slot = this.slots.delete(key);
    if (slot === undefined) return;
    this.#keys[slot] = undefined;
    this.#free.push(slot);
  }

  #fill(key: BrickKey, slot: number, evicted: BrickKey | undefined) {
    this.slots.set(key, slot, this.slotBytes);
    this.#keys[slot] = key;
    this.#filledAt[slot] = ++this.#fills;
    return { slot, evicted };
  }

  /**
   * Decodes bricks into their slots.
   * @param scope owns the buffers that are needed until the commands have run
   * @param table finds the neighbours of bricks in the texture
   * @param others bricks in slots whose neighbours have changed, to be copied to the texture again
   */
  record(
    commands: Commands,
    scope: GpuScope,
    bricks: readonly SlottedBrick[],
    table: BrickTable,
    others: readonly BrickKey[] = [],
  ): void {
    if (bricks.length > 0) this.#decode(commands, scope, bricks);
    const textured = [...bricks.map(({ key }) => key), ...others].map((key) => this.#texturedOf(key, table));
    this.filtered.record(commands, scope, textured, table);
  }

  #decode(commands: Commands, scope: GpuScope, bricks: readonly SlottedBrick[]): void {
    const planned = bricks.map(({ key, slot, stored }): PlannedChunk => {
      return { origin: [0, 0, slot * this.slotShape[2]], shape: this.#shapeOf(key), stored, number: slot };
    });
    this.#planner.plan(planned, this.voxels, scope)(commands);
    // Copying to the texture computes the ranges, too.
    if (this.filtered.isUsed) return;
    const { type } = this.#source.info;
    const perVoxel = elementsPerVoxel(type);
    const table = Uint32Array.from(planned.flatMap(({ shape: [x, y, z], number }) => [number, x / perVoxel, y, z]));
    const kernel = this.#gpu.kernel({
      label: 'bricks.ranges',
      shader: rangesShader,
      constants: { element_type: elementTypeNumber(type) },
    });
    const slots = scope.storage('bricks', table.byteLength, table);
    const bindings = [this.voxels.buffer, slots, scope.uniform('slots', [...this.words, planned.length]), this.ranges];
    commands.stage('ranges').dispatch(kernel, bindings, planned.length);
  }

  #texturedOf(key: BrickKey, table: BrickTable): TexturedBrick {
    const { level, number } = brickOf(key);
    const { grid } = this.#source.levels[level] as BrickSource['levels'][number];
    const perVoxel = elementsPerVoxel(this.#source.info.type);
    const inVoxels = ([x, y, z]: readonly number[]): Dims3 => [(x as number) / perVoxel, y as number, z as number];
    return {
      slot: this.slots.peek(key) as number,
      start: table.indexOf(key) - (number % grid.chunksPerTimePoint),
      ...{ columns: grid.counts[0], rows: grid.counts[1] },
      ...{ first: inVoxels(grid.box(number).origin), dims: inVoxels(grid.dims), shape: inVoxels(grid.chunkShape) },
    };
  }

  #shapeOf(key: BrickKey): Dims3 {
    const { level, number } = brickOf(key);
    const found = this.#source.levels[level];
    if (!found) throw new StriaError('internal', `there is no level ${level}`);
    return found.grid.box(number).shape;
  }
}
