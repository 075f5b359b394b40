import type { ChunkGeometry } from '../codec/codec.ts';
import type { ConstantChunk } from '../format/chunk.ts';
import type { CommandTimes } from '../gpu/commands.ts';
import type { Gpu } from '../gpu/gpu.ts';
import type { GpuScope } from '../gpu/scope.ts';
import type { StoredChunk } from '../gpu-chunks/decode-planner.ts';
import type { StriaError } from '../shared/errors.ts';
import type { VolumeSource } from '../volume/volume-source.ts';
import { type BrickKey, brickOf } from './brick.ts';
import { BrickAtlas, type SlottedBrick } from './brick-atlas.ts';
import { BrickPayloads } from './brick-payloads.ts';
import type { BrickSource } from './brick-source.ts';
import { BrickTable } from './brick-table.ts';
import type { HostBricks } from './host-bricks.ts';
import { canFilterBricks, fitsTexels } from './number-texels.ts';
import { OutdatedBricks } from './outdated-bricks.ts';
import { PayloadPool } from './payload-pool.ts';
import { StaleAprons } from './stale-aprons.ts';
import { leastBricks, UpdatePace } from './update-pace.ts';
import { WantedBricks } from './wanted-bricks.ts';

export interface GpuBrickLimits {
  /** The budget for compressed bricks. */
  readonly payloadBytes: number;
  /** The budget for decoded bricks. */
  readonly atlasBytes: number;
  /** The budget for copies of decoded bricks in a texture; without room for all of them, rays read the atlas. */
  readonly textureBytes: number;
  /** The maximum number of bricks to decode in one update, and about how long an update may take on the GPU. */
  readonly bricksPerUpdate: number;
  readonly updateMs: number;
}

const gpuBrickLimits: GpuBrickLimits = {
  payloadBytes: 2 ** 30,
  atlasBytes: 2 ** 29,
  textureBytes: 0,
  bricksPerUpdate: 256,
  updateMs: 4,
};

/** The maximum number of updates whose work the GPU has not finished. */
const mostUpdates = 2;

/**
 * The maximum numbers of bricks that are copied to the texture again in one update, because a neighbour has arrived. There are fewer
 * while bricks are being decoded, because most would soon have to be copied once more.
 */
const [mostRefreshed, fewRefreshed] = [64, 16];
/**
 * At most as many bricks load, or wait to be decoded, as this many updates decode, and at most `mostAhead`. A flight wants more bricks than
 * can be decoded: further ones would take time to read and upload, and be no longer wanted once it is their turn.
 */
const updatesAhead = 3;
const mostAhead = 512;

/** An update that the GPU has finished. */
export interface BrickUpdate {
  readonly decoded: number;
  /** The number of bricks that were only copied to the texture again. */
  readonly refreshed: number;
  readonly times: CommandTimes;
}

/** The contents of the GPU tiers, and counters of their work. */
export interface GpuBrickUse {
  readonly slots: number;
  readonly usedSlots: number;
  readonly atlasBytes: number;
  readonly payloadBytes: number;
  readonly poolBytes: number;
  readonly tableBytes: number;
  readonly loading: number;
  /** Counted since the tiers were created. */
  readonly decoded: number;
  readonly evicted: number;
}

/**
 * Bricks in GPU memory: compressed ones in a pool, decoded ones in the slots of an atlas, and a page table that locates them. `want`
 * names the bricks that are needed; `update`, called once for each frame, decodes some of them. Wanted bricks keep their slots; others
 * are evicted, the least recently used first.
 */
export class GpuBricks {
  readonly source: BrickSource;
  readonly table: BrickTable;
  readonly atlas: BrickAtlas;
  /** Called with each update that the GPU has finished, in order. */
  onUpdated: ((update: BrickUpdate) => void) | undefined;
  readonly #gpu: Gpu;
  readonly #scope: GpuScope;
  readonly #limits: GpuBrickLimits;
  readonly #pool: PayloadPool;
  readonly #payloads: BrickPayloads;
  readonly #onArrival: () => void;
  readonly #onReady = () => {
    if (!this.#isClosed) this.#onArrival();
  };
  readonly #stale: StaleAprons;
  readonly #wanted: WantedBricks;
  readonly #outdated: OutdatedBricks;
  readonly #endRenewals: () => void;
  #updates = 0;
  #copies = 0;
  readonly #pace: UpdatePace;
  #decoded = 0;
  #evicted = 0;
  #isClosed = false;

  /**
   * @param onArrival called when a wanted brick has arrived or failed, so that the caller can update
   * @throws StriaError `limit-too-small` if the atlas cannot hold a single brick
   */
  constructor(gpu: Gpu, host: HostBricks, limits: Partial<GpuBrickLimits> = {}, onArrival: () => void = () => {}) {
    this.#gpu = gpu;
    this.source = host.source;
    this.#limits = { ...gpuBrickLimits, ...limits };
    this.#onArrival = onArrival;
    this.#pace = new UpdatePace(this.#limits.bricksPerUpdate, this.#limits.updateMs);
    this.#scope = gpu.scope('bricks');
    try {
      this.table = new BrickTable(gpu, this.#scope, this.source);
      this.atlas = new BrickAtlas(gpu, this.#scope, this.source, this.#limits.atlasBytes, this.#limits.textureBytes);
    } catch (error) {
      this.#scope.destroy();
      throw error;
    }
    this.#stale = new StaleAprons(this.source, this.atlas);
    this.#outdated = new OutdatedBricks(this.table);
    this.#wanted = new WantedBricks(this.atlas.slotCount, (key) => !this.table.isConstant(key) || this.#outdated.has(key));
    this.#pool = new PayloadPool(gpu, this.#scope, this.#limits.payloadBytes);
    this.#payloads = new BrickPayloads(gpu, host, this.#pool, {
      geometryOf: (key) => this.#geometryOf(key),
      takeConstant: (key, chunk) => this.#takeConstant(key, chunk),
      onArrival,
    });
    this.#endRenewals = host.onRenewed((isOutdated) => this.#renew(isOutdated));
  }

  get use(): GpuBrickUse {
    const { bytes, allocatedBytes } = this.#pool.use;
    return {
      slots: this.atlas.slotCount,
      usedSlots: this.atlas.slots.size,
      atlasBytes: this.atlas.voxels.buffer.size + this.atlas.ranges.size,
      payloadBytes: bytes,
      poolBytes: allocatedBytes,
      tableBytes: this.table.bytes,
      loading: this.#payloads.loading,
      decoded: this.#decoded,
      evicted: this.#evicted,
    };
  }

  /** Counts changes of the page table, of ranges and of constants. */
  get changes(): number {
    return this.#copies + this.table.writes;
  }

  /** Whether a brick can be drawn. */
  has(key: BrickKey): boolean {
    return this.atlas.slots.has(key) || this.table.isConstant(key);
  }

  /** Why a brick cannot be shown; undefined if it has not failed. */
  faultOf(key: BrickKey): StriaError | undefined {
    return this.#payloads.faultOf(key);
  }

  /** Allows failed bricks to be tried again. */
  forgetFaults(): void {
    this.#payloads.forgetFaults();
  }

  /** Whether all wanted bricks can be drawn or have failed, and the texture is up to date. */
  get isSettled(): boolean {
    if (this.#stale.size > 0) return false;
    for (const key of this.#wanted.ranks.keys()) if (!this.#isCurrent(key) && !this.faultOf(key)) return false;
    return true;
  }

  /** Whether some of these bricks are wanted and cannot be drawn yet. */
  isAwaited(keys: readonly BrickKey[]): boolean {
    return keys.some((key) => this.#wanted.has(key) && !this.has(key));
  }

  /**
   * Whether rays can draw from the texture by filtering it. If not, they read the atlas.
   * @param window in stored values @param numbers see `VolumeSource.numbers`
   */
  isFiltered(window: readonly [low: number, high: number], numbers: VolumeSource['numbers']): boolean {
    return canFilterBricks(this.#gpu, this.source.info.type) && this.hasTexels(window, numbers);
  }

  /** Whether the texture can be drawn, by filtering it or texel by texel. @param window in stored values @param numbers see `VolumeSource.numbers` */
  hasTexels(window: readonly [low: number, high: number], numbers: VolumeSource['numbers']): boolean {
    return this.atlas.filtered.isUsed && fitsTexels(this.source.info.type, window) && this.#stale.follow(numbers);
  }

  /** The number of slots that other viewers leave to this one. */
  slotsFor(viewer: string): number {
    return Math.max(0, this.atlas.slotCount - this.#wanted.countOfOthers(viewer));
  }

  /** Marks decoded bricks as recently used: rays report which ones they crossed. */
  touch(keys: Iterable<BrickKey>): void {
    for (const key of keys) this.atlas.slots.get(key);
  }

  /**
   * Replaces the bricks that a viewer wants; viewers take turns by urgency. Loads of bricks that are no longer wanted are cancelled.
   * @param keys the most urgent first; the array is kept, so it must not change. If all viewers together want more bricks than there are
   * slots, the last ones are left out
   * @returns how many bricks were left out
   */
  want(keys: readonly BrickKey[], viewer = ''): number {
    if (this.#isClosed) return 0;
    const leftOut = this.#wanted.set(keys, viewer);
    this.#outdated.forgetConstants(this.#wanted);
    this.#payloads.keepOnly(this.#wanted.ranks);
    this.touch([...this.#wanted.ranks.keys()].reverse());
    this.#load();
    return leftOut;
  }

  /**
   * Decodes the most urgent of the wanted bricks that have arrived, as many as the limits allow, and enters them into the table. Work
   * that is submitted afterwards sees them. Bricks next to bricks that arrived earlier are copied to the texture again.
   * @returns how many bricks were decoded or copied
   */
  update(): number {
    if (this.#isClosed || this.#gpu.isLost || this.#updates >= mostUpdates) return 0;
    const start = performance.now();
    this.#payloads.upload(this.#wanted.ranks, this.#pace.bricks);
    const chosen: { readonly key: BrickKey; readonly stored: StoredChunk }[] = [];
    for (const key of this.#wanted.ranks.keys()) {
      if (chosen.length === this.#pace.bricks) break;
      if (this.#isCurrent(key)) continue;
      const stored = this.#payloads.get(key);
      if (stored && this.atlas.canDecode(key, stored, this.#onReady)) chosen.push({ key, stored });
    }
    const slotted: SlottedBrick[] = [];
    for (const { key, stored } of chosen) {
      const slot = this.atlas.slots.get(key) ?? this.#takeSlot(key);
      if (slot === undefined) break;
      this.#payloads.release(key);
      this.#outdated.delete(key);
      this.table.setSlot(key, slot);
      slotted.push({ key, slot, stored });
    }
    for (const { key } of slotted) this.#stale.addAround(key);
    for (const { key } of slotted) this.#stale.delete(key);
    const others = this.#stale.take(slotted.length > 0 ? fewRefreshed : mostRefreshed);
    if (slotted.length + others.length > 0) this.#decode(slotted, others);
    // Loads payloads again that were evicted from the pool before they were decoded.
    this.#load();
    if (slotted.length > 0) this.#pace.submitted(slotted.length, performance.now() - start);
    return slotted.length + others.length;
  }

  /** Reads the elements of a decoded brick from its slot, with padded rows. For tests and for values under the pointer. */
  async readSlot(key: BrickKey): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const slot = this.atlas.slots.get(key);
    const { voxels, slotBytes } = this.atlas;
    return slot === undefined ? undefined : this.#gpu.read(voxels.buffer, slot * slotBytes, slotBytes);
  }

  /** Frees everything on the GPU, and cancels all loads. The host tier stays open. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#endRenewals();
    this.#payloads.close();
    this.#wanted.clear();
    this.#scope.destroy();
  }

  #decode(slotted: readonly SlottedBrick[], others: readonly BrickKey[]): void {
    const scope = this.#scope.scope('decode');
    const commands = this.#gpu.commands('bricks', this.#gpu.hasTimestamps ? () => {} : undefined);
    this.atlas.record(commands, scope, slotted, this.table, others);
    // An empty stage, whose start is the end of the copies.
    commands.stage('copied');
    this.#updates++;
    this.#copies++;
    this.#decoded += slotted.length;
    const done = (times: CommandTimes | undefined) => {
      this.#updates--;
      scope.destroy();
      if (!times || this.#isClosed) return;
      if (slotted.length > 0) this.#pace.measured(slotted.length, times);
      this.onUpdated?.({ decoded: slotted.length, refreshed: others.length, times });
      if (!this.isSettled) this.#onArrival();
    };
    commands.submit().then(done, () => done(undefined));
  }

  #load(): void {
    const most = Math.min(mostAhead, updatesAhead * Math.max(leastBricks, this.#pace.bricks));
    this.#payloads.load(this.#wanted.ranks, (key) => this.#isCurrent(key), most);
  }

  /** Whether a brick is drawn with the voxels that the source has now. */
  #isCurrent(key: BrickKey): boolean {
    return this.has(key) && !this.#outdated.has(key);
  }

  /** A slot for a brick that has none; undefined if all are wanted. */
  #takeSlot(key: BrickKey): number | undefined {
    const taken = this.atlas.take(key, (other) => !this.#wanted.has(other));
    if (taken?.evicted !== undefined) {
      this.table.setSlot(taken.evicted, undefined);
      this.#outdated.delete(taken.evicted);
      this.#evicted++;
    }
    return taken?.slot;
  }

  /** Loads bricks again for which the source has other voxels. Until they arrive, the picture stays as it is. */
  #renew(isOutdated: (key: BrickKey) => boolean): void {
    this.#payloads.renew(isOutdated);
    this.#outdated.add(isOutdated);
    this.#outdated.forgetConstants(this.#wanted);
    this.#wanted.rank();
    this.#load();
    this.#onArrival();
  }

  #geometryOf(key: BrickKey): ChunkGeometry {
    const { level, number } = brickOf(key);
    const { grid } = this.source.levels[level] as BrickSource['levels'][number];
    return { shape: grid.box(number).shape, elementBytes: this.atlas.voxels.elementBytes };
  }

  #takeConstant(key: BrickKey, chunk: ConstantChunk): boolean {
    if (!this.table.setConstant(key, chunk)) return false;
    this.atlas.free(key);
    this.#outdated.delete(key);
    this.#wanted.delete(key);
    this.#stale.addAround(key);
    return true;
  }
}
