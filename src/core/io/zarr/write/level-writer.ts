import { halve } from '../../../levels/halve.ts';
import type { HalvingMethod } from '../../../shared/halving.ts';
import { type ElementType, elementBytes, typedVoxels, type VoxelArray } from '../../../shared/volume.ts';
import type { ImagePlan, LevelPlan } from './ome-zarr-plan.ts';
import { ShardWriter } from './shard-writer.ts';

/** Data that all levels of an image share. */
export interface LevelContext {
  readonly plan: ImagePlan;
  readonly type: ElementType;
  readonly method: HalvingMethod;
  /** Compresses a chunk. */
  encode(chunk: Uint8Array): Promise<Uint8Array>;
  /** Writes a file, by its path in the image. */
  write(path: string, parts: readonly Uint8Array[]): Promise<void>;
  /** Receives the values of the first and last levels, slab by slab. */
  note(level: 'first' | 'last', channel: number, values: VoxelArray): void;
  /** Yields to the event loop, and throws if the job was cancelled. */
  breathe(): Promise<void>;
}

/** Takes the planes of one level in order, writes its shards, and passes the halved planes to the next level. */
export class LevelWriter {
  readonly #context: LevelContext;
  readonly #level: LevelPlan;
  readonly #isFirst: boolean;
  readonly #next: LevelWriter | undefined;
  readonly #slab: Uint8Array<ArrayBuffer>;
  readonly #planeBytes: number;
  /** The position of the slab that is being filled. */
  #channel = 0;
  #time = 0;
  #z = 0;
  #filled = 0;
  #shard: ShardWriter | undefined;

  constructor(context: LevelContext, number: number) {
    const { levels } = context.plan;
    this.#context = context;
    this.#isFirst = number === 0;
    this.#level = levels[number] as LevelPlan;
    this.#next = number + 1 < levels.length ? new LevelWriter(context, number + 1) : undefined;
    const [nx, ny] = this.#level.dims;
    const [, , depth, times] = this.#level.chunk;
    this.#planeBytes = nx * ny * elementBytes(context.type);
    this.#slab = new Uint8Array(depth * times * this.#planeBytes);
  }

  /** @param bytes any number of the level's bytes, in order */
  async push(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.byteLength; ) {
      const wanted = this.#slabTimes * this.#slabDepth * this.#planeBytes - this.#filled;
      const length = Math.min(wanted, bytes.byteLength - at);
      this.#slab.set(bytes.subarray(at, at + length), this.#filled);
      this.#filled += length;
      at += length;
      if (length === wanted) await this.#flush();
    }
  }

  get #slabTimes(): number {
    return Math.min(this.#level.chunk[3], this.#context.plan.timePoints - this.#time);
  }

  get #slabDepth(): number {
    return Math.min(this.#level.chunk[2], this.#level.dims[2] - this.#z);
  }

  async #flush(): Promise<void> {
    const { plan, type, method, note } = this.#context;
    const { dims, chunk, shardTimes, factors } = this.#level;
    const [times, depth] = [this.#slabTimes, this.#slabDepth];
    const slab = typedVoxels(type, this.#slab.subarray(0, this.#filled));
    this.#filled = 0;
    await this.#encodeSlab(times, depth);
    const isShardComplete = (this.#time + times) % shardTimes === 0 || this.#time + times === plan.timePoints;
    if (isShardComplete) await this.#writeShard();
    if (this.#isFirst) note('first', this.#channel, slab);
    if (!this.#next) note('last', this.#channel, slab);
    else {
      const steps = this.#next.#level.factors.map((factor, axis) => factor / (factors[axis] as number));
      const halved = halve(slab, type, [dims[0], dims[1], depth], [steps[0] ?? 1, steps[1] ?? 1, steps[2] ?? 1], times, method);
      await this.#next.push(new Uint8Array(halved.buffer));
    }
    this.#z += depth;
    if (this.#z < dims[2]) return;
    this.#z = 0;
    this.#time += chunk[2] < dims[2] ? 1 : times;
    if (this.#time < plan.timePoints) return;
    this.#time = 0;
    this.#channel++;
  }

  async #encodeSlab(times: number, depth: number): Promise<void> {
    const { type, encode, breathe } = this.#context;
    const [nx, ny] = this.#level.dims;
    const [cx, cy, cz, ct] = this.#level.chunk;
    const width = elementBytes(type);
    const [countX, countY] = [Math.ceil(nx / cx), Math.ceil(ny / cy)];
    this.#shard ??= new ShardWriter(countX * countY * (this.#level.shardTimes / ct));
    const bytes = new Uint8Array(cx * cy * cz * ct * width);
    for (let y = 0; y < ny; y += cy) {
      for (let x = 0; x < nx; x += cx) {
        await breathe();
        // Beyond the array, a chunk has the fill value.
        bytes.fill(0);
        const length = Math.min(cx, nx - x) * width;
        const rows = Math.min(cy, ny - y);
        for (let plane = 0; plane < times * depth; plane++) {
          const toPlane = Math.floor(plane / depth) * cz + (plane % depth);
          for (let row = 0; row < rows; row++) {
            const from = plane * this.#planeBytes + ((y + row) * nx + x) * width;
            bytes.set(this.#slab.subarray(from, from + length), (toPlane * cy + row) * cx * width);
          }
        }
        this.#shard.add(bytes.every((byte) => byte === 0) ? undefined : await encode(bytes));
      }
    }
  }

  async #writeShard(): Promise<void> {
    const { plan, write } = this.#context;
    const { path, chunk, shardTimes } = this.#level;
    const parts = this.#shard?.finish();
    this.#shard = undefined;
    if (parts === undefined) return;
    const place = [
      ...(plan.hasTimeAxis ? [Math.floor(this.#time / shardTimes)] : []),
      ...(plan.hasChannelAxis ? [this.#channel] : []),
      ...(plan.hasZAxis ? [this.#z / chunk[2]] : []),
      0,
      0,
    ];
    await write(`${path}/c/${place.join('/')}`, parts);
  }
}
