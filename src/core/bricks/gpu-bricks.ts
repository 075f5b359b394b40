import { rampOf } from '../chunks/ramp.ts';
import type { ChunkGeometry, CodecElementBytes, GpuVoxels } from '../codec/codec.ts';
import { rowBytes } from '../codec/codec.ts';
import type { EncodedChunk } from '../format/chunk.ts';
import { codecElementBytes } from '../format/chunk-grid.ts';
import type { Gpu } from '../gpu/gpu.ts';
import type { GpuScope } from '../gpu/scope.ts';
import { DecodePlanner, type PlannedChunk, type StoredChunk } from '../gpu-chunks/decode-planner.ts';
import { inContext, StriaError, toStriaError } from '../shared/errors.ts';
import type { Dims3 } from '../shared/volume.ts';
import { type BrickKey, brickName, brickOf } from './brick.ts';
import type { BrickSource } from './brick-source.ts';
import { BrickTable } from './brick-table.ts';
import type { HostBricks } from './host-bricks.ts';
import { LeastRecent } from './least-recent.ts';
import { PayloadPool } from './payload-pool.ts';

export interface GpuBrickLimits {
  /** For compressed bricks. */
  readonly payloadBytes: number;
  /** For decoded bricks. */
  readonly atlasBytes: number;
  /** The most bricks to decode in one update, and about how long that may take on the GPU. */
  readonly bricksPerUpdate: number;
  readonly updateMs: number;
}

const gpuBrickLimits: GpuBrickLimits = { payloadBytes: 2 ** 30, atlasBytes: 2 ** 29, bricksPerUpdate: 256, updateMs: 6 };

/** Updates whose work the GPU has not finished. */
const mostUpdates = 2;
/** Bricks of the first update, before it is known how long one takes. */
const firstBricks = 8;

/** What the GPU tiers hold and have done. */
export interface GpuBrickUse {
  readonly slots: number;
  readonly usedSlots: number;
  readonly atlasBytes: number;
  readonly payloadBytes: number;
  readonly poolBytes: number;
  readonly tableBytes: number;
  readonly loading: number;
  /** Since the beginning. */
  readonly decoded: number;
  readonly evicted: number;
}

/**
 * Bricks in GPU memory: compressed ones in a pool, decoded ones in the slots of an atlas, and a page table that says where each is.
 * `want` names the bricks that are needed; `update` decodes some of them, once for each frame. Bricks that are wanted keep their
 * slots, and others give theirs away, the least recently used first.
 */
export class GpuBricks {
  readonly source: BrickSource;
  readonly table: BrickTable;
  /** All slots, one below the other along z, as a box of voxels. */
  readonly atlas: GpuVoxels;
  /** A slot in codec elements. */
  readonly slotShape: Dims3;
  readonly slotCount: number;
  readonly #gpu: Gpu;
  readonly #host: HostBricks;
  readonly #scope: GpuScope;
  readonly #limits: GpuBrickLimits;
  readonly #elementBytes: CodecElementBytes;
  readonly #planner: DecodePlanner;
  readonly #pool: PayloadPool;
  readonly #onArrival: () => void;
  readonly #slots = new LeastRecent<BrickKey, number>();
  readonly #freeSlots: number[];
  readonly #loading = new Map<BrickKey, AbortController>();
  /** Ramps that wait to be written into a slot. */
  readonly #ramps = new Map<BrickKey, StoredChunk>();
  readonly #faults = new Map<BrickKey, StriaError>();
  #wanted = new Map<BrickKey, number>();
  #updates = 0;
  #bricksPerUpdate = firstBricks;
  #decoded = 0;
  #evicted = 0;
  #isClosed = false;

  /**
   * @param onArrival called when a wanted brick has arrived, so that it is time for an update
   * @throws StriaError `limit-too-small` if the atlas cannot hold a single brick
   */
  constructor(gpu: Gpu, host: HostBricks, limits: Partial<GpuBrickLimits> = {}, onArrival: () => void = () => {}) {
    this.#gpu = gpu;
    this.#host = host;
    this.source = host.source;
    this.#limits = { ...gpuBrickLimits, ...limits };
    this.#onArrival = onArrival;
    this.#elementBytes = codecElementBytes(this.source.info.type);
    this.slotShape = this.source.levels[0]?.grid.chunkShape ?? [1, 1, 1];
    const [x, y, z] = this.slotShape;
    const slotBytes = rowBytes(x, this.#elementBytes) * y * z;
    const atlasBytes = Math.min(this.#limits.atlasBytes, gpu.maxBindingBytes);
    this.slotCount = Math.floor(atlasBytes / slotBytes);
    if (this.slotCount < 1) {
      throw new StriaError(
        'limit-too-small',
        `a decoded brick takes ${slotBytes} bytes of GPU memory; the limit is ${atlasBytes}`,
      );
    }
    this.#freeSlots = Array.from({ length: this.slotCount }, (_, at) => this.slotCount - 1 - at);
    this.#scope = gpu.scope('bricks');
    try {
      this.table = new BrickTable(gpu, this.#scope, this.source);
      const buffer = this.#scope.storage('atlas', slotBytes * this.slotCount);
      this.atlas = { buffer, dims: [x, y, z * this.slotCount], elementBytes: this.#elementBytes };
    } catch (error) {
      this.#scope.destroy();
      throw error;
    }
    this.#pool = new PayloadPool(gpu, this.#scope, this.#limits.payloadBytes);
    this.#planner = new DecodePlanner(gpu);
  }

  get use(): GpuBrickUse {
    const { bytes, allocatedBytes } = this.#pool.use;
    return {
      slots: this.slotCount,
      usedSlots: this.#slots.size,
      atlasBytes: this.atlas.buffer.size,
      payloadBytes: bytes,
      poolBytes: allocatedBytes,
      tableBytes: this.table.bytes,
      loading: this.#loading.size,
      decoded: this.#decoded,
      evicted: this.#evicted,
    };
  }

  /** Whether a brick can be drawn. */
  has(key: BrickKey): boolean {
    return this.#slots.has(key) || this.table.isConstant(key);
  }

  slotOf(key: BrickKey): number | undefined {
    return this.#slots.get(key);
  }

  /** Why a brick cannot be shown. */
  faultOf(key: BrickKey): StriaError | undefined {
    return this.#faults.get(key) ?? this.#host.faultOf(key);
  }

  /** Lets bricks be tried again. */
  forgetFaults(): void {
    this.#faults.clear();
    this.#host.forgetFaults();
  }

  /** Whether all wanted bricks can be drawn, or never will be. */
  get isSettled(): boolean {
    for (const key of this.#wanted.keys()) if (!this.has(key) && !this.faultOf(key)) return false;
    return true;
  }

  /** Counts as a use of bricks that are there: rays report which ones they crossed. */
  touch(keys: Iterable<BrickKey>): void {
    for (const key of keys) this.#slots.get(key);
  }

  /**
   * Replaces what is wanted. What is being loaded and no longer wanted is cancelled.
   * @param keys the most urgent first; if there are more than slots, the last ones are left out
   * @returns how many were left out
   */
  want(keys: Iterable<BrickKey>): number {
    if (this.#isClosed) return 0;
    const wanted = new Map<BrickKey, number>();
    let leftOut = 0;
    for (const key of keys) {
      if (wanted.has(key) || this.table.isConstant(key)) continue;
      if (wanted.size === this.slotCount) leftOut++;
      else wanted.set(key, wanted.size);
    }
    this.#wanted = wanted;
    for (const [key, stop] of [...this.#loading]) if (!wanted.has(key)) stop.abort();
    for (const key of this.#ramps.keys()) if (!wanted.has(key)) this.#ramps.delete(key);
    this.touch([...wanted.keys()].reverse());
    this.#load();
    return leftOut;
  }

  /**
   * Decodes the most urgent of the wanted bricks that have arrived, as many as the limits allow, and enters them into the table. What
   * is submitted afterwards sees them. @returns how many
   */
  update(): number {
    if (this.#isClosed || this.#gpu.isLost || this.#updates >= mostUpdates) return 0;
    const chosen: { readonly key: BrickKey; readonly stored: StoredChunk }[] = [];
    for (const key of this.#wanted.keys()) {
      if (chosen.length === this.#bricksPerUpdate) break;
      if (this.has(key)) continue;
      const stored = this.#ramps.get(key) ?? this.#pool.get(key);
      if (stored) chosen.push({ key, stored });
    }
    const planned = chosen.flatMap(({ key, stored }): PlannedChunk[] => {
      const slot = this.#takeSlot();
      if (slot === undefined) return [];
      const { level, number } = brickOf(key);
      const shape = (this.source.levels[level] as BrickSource['levels'][number]).grid.box(number).shape;
      this.#slots.set(key, slot, 1);
      this.#ramps.delete(key);
      this.table.setSlot(key, slot);
      return [{ origin: [0, 0, slot * this.slotShape[2]], shape, stored, number: slot }];
    });
    if (planned.length > 0) this.#decode(planned);
    // Payloads that made room for others before they were decoded.
    this.#load();
    return planned.length;
  }

  /** The elements of a decoded brick as they lie in its slot, with padded rows. For tests and for values under the pointer. */
  async readSlot(key: BrickKey): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const slot = this.#slots.get(key);
    const bytes = this.atlas.buffer.size / this.slotCount;
    return slot === undefined ? undefined : this.#gpu.read(this.atlas.buffer, slot * bytes, bytes);
  }

  /** Frees everything on the GPU, and cancels what is being loaded. The host tier stays. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const stop of this.#loading.values()) stop.abort();
    this.#wanted.clear();
    this.#scope.destroy();
  }

  #decode(planned: readonly PlannedChunk[]): void {
    const scope = this.#scope.scope('decode');
    const commands = this.#gpu.commands('bricks');
    this.#planner.plan(planned, this.atlas, scope)(commands);
    this.#updates++;
    this.#decoded += planned.length;
    const done = (wallMs: number | undefined) => {
      this.#updates--;
      scope.destroy();
      if (wallMs === undefined || this.#isClosed) return;
      // Twice as many at most, because small batches say little.
      const fitting = Math.floor((planned.length * this.#limits.updateMs) / Math.max(wallMs, 0.01));
      const most = Math.min(this.#limits.bricksPerUpdate, 2 * this.#bricksPerUpdate);
      if (planned.length === this.#bricksPerUpdate || fitting < this.#bricksPerUpdate)
        this.#bricksPerUpdate = Math.max(1, Math.min(most, fitting));
      if (!this.isSettled) this.#onArrival();
    };
    commands.submit().then(
      ({ wallMs }) => done(wallMs),
      () => done(undefined),
    );
  }

  #takeSlot(): number | undefined {
    const free = this.#freeSlots.pop();
    if (free !== undefined) return free;
    for (const [key, slot] of this.#slots.oldest()) {
      if (this.#wanted.has(key)) continue;
      this.#slots.delete(key);
      this.table.setSlot(key, undefined);
      this.#evicted++;
      return slot;
    }
    return undefined;
  }

  #load(): void {
    for (const [key, rank] of this.#wanted) {
      if (this.has(key) || this.#ramps.has(key) || this.#pool.has(key) || this.faultOf(key)) continue;
      if (this.#loading.has(key)) {
        this.#host.prioritize(key, rank);
        continue;
      }
      const stop = new AbortController();
      this.#loading.set(key, stop);
      this.#host.request(key, rank, stop.signal).then(
        (chunk) => this.#arrive(key, stop, chunk),
        (error: unknown) => this.#fail(key, stop, toStriaError(error)),
      );
    }
  }

  #arrive(key: BrickKey, stop: AbortController, chunk: EncodedChunk): void {
    if (!this.#finish(key, stop) || stop.signal.aborted) return;
    const { level, number } = brickOf(key);
    const { grid } = this.source.levels[level] as BrickSource['levels'][number];
    const geometry: ChunkGeometry = { shape: grid.box(number).shape, elementBytes: this.#elementBytes };
    try {
      if (chunk.kind === 'coded') this.#pool.put(key, chunk, geometry);
      else if (chunk.kind !== 'constant' || !this.table.setConstant(key, chunk)) {
        this.#ramps.set(key, { kind: 'ramp', ramp: rampOf(chunk, geometry) });
      } else this.#wanted.delete(key);
    } catch (error) {
      this.#faults.set(key, inContext(brickName(brickOf(key)), error));
    }
    this.#onArrival();
  }

  #fail(key: BrickKey, stop: AbortController, fault: StriaError): void {
    if (!this.#finish(key, stop) || stop.signal.aborted || fault.tag === 'aborted') return;
    this.#faults.set(key, fault);
    this.#onArrival();
  }

  /** @returns whether anything may still be done with what was loaded */
  #finish(key: BrickKey, stop: AbortController): boolean {
    if (this.#loading.get(key) === stop) this.#loading.delete(key);
    return !this.#isClosed && !this.#gpu.isLost;
  }
}
