import { rampOf } from '../chunks/ramp.ts';
import type { ChunkGeometry } from '../codec/codec.ts';
import type { CodedChunk, ConstantChunk, EncodedChunk } from '../format/chunk.ts';
import type { Gpu } from '../gpu/gpu.ts';
import type { StoredChunk } from '../gpu-chunks/decode-planner.ts';
import { inContext, type StriaError } from '../shared/errors.ts';
import { type BrickKey, brickName, brickOf } from './brick.ts';
import type { HostBricks } from './host-bricks.ts';
import type { PayloadPool } from './payload-pool.ts';

/** What becomes of bricks that arrive. */
export interface BrickReceiver {
  geometryOf(key: BrickKey): ChunkGeometry;
  /** @returns whether the brick needs no slot, so that it is not kept here */
  takeConstant(key: BrickKey, chunk: ConstantChunk): boolean;
  /** Called after each brick that has arrived or failed. */
  onArrival(): void;
}

/** Bricks that have no slot yet: they are loaded from the host tier, uploaded, and kept compressed in GPU memory. */
export class BrickPayloads {
  readonly #gpu: Gpu;
  readonly #host: HostBricks;
  readonly #pool: PayloadPool;
  readonly #receiver: BrickReceiver;
  /** Functions that cancel the loads. */
  readonly #loading = new Map<BrickKey, () => void>();
  /** Payloads that have arrived but are not in the pool yet. */
  readonly #arrived = new Map<BrickKey, CodedChunk>();
  /** Ramps that have arrived but have no slot yet. */
  readonly #ramps = new Map<BrickKey, StoredChunk>();
  readonly #faults = new Map<BrickKey, StriaError>();
  #isClosed = false;

  constructor(gpu: Gpu, host: HostBricks, pool: PayloadPool, receiver: BrickReceiver) {
    this.#gpu = gpu;
    this.#host = host;
    this.#pool = pool;
    this.#receiver = receiver;
  }

  /** The number of bricks that are being loaded. */
  get loading(): number {
    return this.#loading.size;
  }

  /** Why a brick cannot be shown; undefined if it has not failed. */
  faultOf(key: BrickKey): StriaError | undefined {
    return this.#faults.get(key) ?? this.#host.faultOf(key);
  }

  /** Allows failed bricks to be tried again. */
  forgetFaults(): void {
    this.#faults.clear();
    this.#host.forgetFaults();
  }

  /** A brick that can be decoded. A payload is marked as recently used. Undefined if it has not been uploaded. */
  get(key: BrickKey): StoredChunk | undefined {
    return this.#ramps.get(key) ?? this.#pool.get(key);
  }

  /** Forgets a brick that has a slot now. Its payload stays in the pool. */
  release(key: BrickKey): void {
    this.#ramps.delete(key);
  }

  /** Forgets bricks that the source has other voxels for. Loads that are under way bring the new ones: see `HostBricks.renew`. */
  renew(isOutdated: (key: BrickKey) => boolean): void {
    for (const known of [this.#arrived, this.#ramps, this.#faults]) {
      for (const key of [...known.keys()]) if (isOutdated(key)) known.delete(key);
    }
    for (const key of this.#pool.keys) if (isOutdated(key)) this.#pool.delete(key);
  }

  /** Cancels loads of bricks that are no longer wanted, and forgets those that have arrived but are not in the pool. */
  keepOnly(wanted: ReadonlyMap<BrickKey, number>): void {
    for (const [key, cancel] of this.#loading) {
      if (wanted.has(key)) continue;
      this.#loading.delete(key);
      cancel();
    }
    for (const key of this.#arrived.keys()) if (!wanted.has(key)) this.#arrived.delete(key);
    for (const key of this.#ramps.keys()) if (!wanted.has(key)) this.#ramps.delete(key);
  }

  /**
   * Loads the most urgent bricks that cannot be drawn.
   * @param wanted ranks of bricks, the most urgent first
   * @param canDraw whether a brick needs no load
   * @param most the maximum number of bricks that load or wait to be decoded
   */
  load(wanted: ReadonlyMap<BrickKey, number>, canDraw: (key: BrickKey) => boolean, most: number): void {
    this.#host.gather(() => this.#load(wanted, canDraw, most));
  }

  #load(wanted: ReadonlyMap<BrickKey, number>, canDraw: (key: BrickKey) => boolean, most: number): void {
    let ahead = 0;
    for (const [key, rank] of wanted) {
      if (ahead === most) return;
      if (canDraw(key) || this.faultOf(key)) continue;
      ahead++;
      if (this.#arrived.has(key) || this.#ramps.has(key) || this.#pool.has(key)) continue;
      if (this.#loading.has(key)) {
        this.#host.prioritize(key, rank);
        continue;
      }
      const cancel = this.#host.load(key, rank, {
        take: (chunk) => this.#arrive(key, chunk),
        fail: (fault) => this.#fail(key, fault),
      });
      this.#loading.set(key, cancel);
    }
  }

  /** Uploads the most urgent payloads that have arrived, at most `most` and as many as there is memory for, but at least one. */
  upload(wanted: ReadonlyMap<BrickKey, number>, most: number): void {
    if (this.#arrived.size === 0) return;
    let count = 0;
    for (const key of wanted.keys()) {
      const chunk = this.#arrived.get(key);
      if (!chunk) continue;
      if (count === most || (count > 0 && !this.#pool.hasRoomFor(chunk.payload.byteLength))) break;
      count++;
      this.#arrived.delete(key);
      try {
        this.#pool.put(key, chunk, this.#receiver.geometryOf(key));
      } catch (error) {
        this.#faults.set(key, inContext(brickName(brickOf(key)), error));
      }
    }
    this.#pool.flush();
  }

  /** Cancels all loads. */
  close(): void {
    this.#isClosed = true;
    for (const cancel of this.#loading.values()) cancel();
    this.#loading.clear();
    this.#arrived.clear();
  }

  #arrive(key: BrickKey, chunk: EncodedChunk): void {
    this.#loading.delete(key);
    if (this.#isClosed || this.#gpu.isLost) return;
    try {
      if (chunk.kind === 'coded') this.#arrived.set(key, chunk);
      else if (chunk.kind !== 'constant' || !this.#receiver.takeConstant(key, chunk)) {
        this.#ramps.set(key, { kind: 'ramp', ramp: rampOf(chunk, this.#receiver.geometryOf(key)) });
      }
    } catch (error) {
      this.#faults.set(key, inContext(brickName(brickOf(key)), error));
    }
    this.#receiver.onArrival();
  }

  #fail(key: BrickKey, fault: StriaError): void {
    this.#loading.delete(key);
    if (this.#isClosed || this.#gpu.isLost || fault.tag === 'aborted') return;
    this.#faults.set(key, fault);
    this.#receiver.onArrival();
  }
}
