import type { ChunkGrid } from '../format/chunk-grid.ts';
import type { LevelHeader } from '../format/level.ts';
import type { HalvingMethod } from '../shared/halving.ts';
import { nextTurn } from '../shared/turn.ts';
import { type Dims3, type ElementType, elementBytes, typedVoxels, type VolumeInfo } from '../shared/volume.ts';
import { halve } from './halve.ts';
import { LabelEvidence } from './label-evidence.ts';
import type { PlannedHalving } from './level-plan.ts';
import { type LevelRun, RunBuilder, type RunMemory } from './level-run.ts';

/** Halved together, so that other work gets its turn. */
const bytesPerTurn = 2 ** 23;

/**
 * Makes all levels of a volume from its planes, in their order. It holds one run of layers of each level, and one plane of each
 * halving.
 */
export class LevelStack {
  readonly #evidence: LabelEvidence;
  readonly #volume: VolumeInfo;
  readonly #halvings: readonly PlannedHalving[];
  /** The first halving of the volume, and those of its results. */
  readonly #halvers: readonly PlaneHalver[];
  readonly #builders: RunBuilder[] = [];
  /** Whether it was given voxels. */
  hasBegun = false;
  #runs: LevelRun[] = [];

  /**
   * @param grid of the volume
   * @param method undefined: what the voxels suggest
   * @param takeMemory may return more bytes than wanted
   */
  constructor(
    volume: VolumeInfo,
    grid: ChunkGrid,
    halvings: readonly PlannedHalving[],
    method?: HalvingMethod,
    takeMemory: (byteLength: number) => Promise<RunMemory> = async (length) => ({ bytes: new Uint8Array(length), release() {} }),
  ) {
    this.#evidence = new LabelEvidence(volume, method);
    this.#volume = volume;
    this.#halvings = halvings;
    const halvers: PlaneHalver[] = [];
    for (const [index, halving] of [...halvings.entries()].reverse()) {
      const { level } = halving;
      const builder =
        level === undefined
          ? undefined
          : new RunBuilder(volume.type, grid, halving, level, takeMemory, (run) => this.#runs.push(run));
      if (builder) this.#builders.push(builder);
      const [x, y, z] = volume.dims;
      const dims = halvings[index - 1]?.dims ?? ([x, y, z] as const);
      halvers.unshift(new PlaneHalver(volume.type, dims, halving.steps, this.#evidence, index === 0, builder, halvers[0]));
    }
    this.#halvers = halvers;
  }

  /** How the levels were made, once all voxels were seen. */
  get headers(): LevelHeader[] {
    const { method } = this.#evidence;
    return this.#halvings.flatMap(({ level, factors, chunkShape }) =>
      level === undefined ? [] : [{ number: level, method, factors, chunkShape }],
    );
  }

  /** How the voxels that follow are halved, if that is known, so that somebody else may do it for `pushHalved`. */
  get method(): HalvingMethod | undefined {
    return this.#evidence.isDecided ? this.#evidence.method : undefined;
  }

  /** @param bytes the next ones of the volume, any number of them; they are not kept */
  async push(bytes: Uint8Array): Promise<void> {
    this.hasBegun = true;
    for (let at = 0; at < bytes.byteLength; at += bytesPerTurn) {
      if (at > 0) await nextTurn();
      await this.#halvers[0]?.push(bytes.subarray(at, at + bytesPerTurn));
    }
  }

  /** The bytes of the first planes that are halved together. */
  get firstGroupBytes(): number {
    const { dims, type } = this.#volume;
    return dims[0] * dims[1] * Math.min(this.#halvings[0]?.steps[2] ?? 1, dims[2]) * elementBytes(type);
  }

  /**
   * Looks at the beginning of the volume before any of it is pushed. If its first group of planes shows how the volume is halved, `method`
   * is known afterwards. @param bytes the first `firstGroupBytes` of the volume, or more whole planes
   */
  judge(bytes: Uint8Array): void {
    if (this.hasBegun || this.#evidence.isDecided) return;
    const found = this.#look(bytes.subarray(0, this.firstGroupBytes));
    // Planes are halved in groups, in the way that is known with the group's last plane; see `PlaneHalver`.
    if (found.isDecided) this.#evidence.adopt(found);
  }

  /**
   * Like `push`, while `method` is not known. But if the volume begins with these bytes, and they show that all of them are halved in
   * one way, it leaves them to the caller. @param bytes whole planes @returns whether they were taken
   */
  async pushFirst(bytes: Uint8Array): Promise<boolean> {
    this.judge(bytes);
    if (!this.hasBegun && !this.#evidence.isDecided) {
      const found = this.#look(bytes);
      if (found.isDecided && found.method === 'mode') this.#evidence.adopt(found);
    }
    if (!this.hasBegun && this.#evidence.isDecided) return false;
    await this.push(bytes);
    return true;
  }

  #look(bytes: Uint8Array): LabelEvidence {
    const { type, dims } = this.#volume;
    const found = new LabelEvidence(this.#volume);
    const voxels = typedVoxels(type, bytes);
    // A large plane comes in parts, which show nothing on their own.
    found.add(voxels, [dims[0], dims[1], Math.floor(voxels.length / (dims[0] * dims[1]))]);
    return found;
  }

  /** Like `push`, with the results of the first halvings of the same voxels. */
  async pushHalved(results: readonly Uint8Array[]): Promise<void> {
    this.hasBegun = true;
    for (const [index, bytes] of results.entries()) {
      const halver = this.#halvers[index];
      for (let at = 0; at < bytes.byteLength; at += bytesPerTurn) {
        if (at > 0) await nextTurn();
        const part = bytes.subarray(at, at + bytesPerTurn);
        await halver?.keep(part);
        if (index + 1 === results.length) await halver?.passOn(part);
      }
    }
  }

  /** The runs that are complete, in the order in which they are written, up to `due`. The caller releases their memory. */
  takeRuns(due: number): LevelRun[] {
    const ready = this.#runs.filter((run) => run.due <= due).sort((a, b) => a.due - b.due || a.level - b.level);
    this.#runs = this.#runs.filter((run) => run.due > due);
    return ready;
  }

  /** Releases the memory of all runs that were not taken. */
  close(): void {
    for (const { memory } of this.#runs.splice(0)) memory.release();
    for (const builder of this.#builders) builder.close();
  }
}

/** Halves one level's planes, collects the result in runs, and passes it to the next halving. */
class PlaneHalver {
  readonly #type: ElementType;
  readonly #dims: Dims3;
  readonly #steps: Dims3;
  readonly #evidence: LabelEvidence;
  readonly #isFirst: boolean;
  readonly #builder: RunBuilder | undefined;
  readonly #next: PlaneHalver | undefined;
  readonly #planeBytes: number;
  /** Planes that are combined, of which some have come. */
  readonly #group: Uint8Array<ArrayBuffer>;
  #filled = 0;
  /** The plane at which `#group` begins. */
  #z = 0;

  constructor(
    type: ElementType,
    dims: Dims3,
    steps: Dims3,
    evidence: LabelEvidence,
    isFirst: boolean,
    builder: RunBuilder | undefined,
    next: PlaneHalver | undefined,
  ) {
    this.#type = type;
    this.#dims = dims;
    this.#steps = steps;
    this.#evidence = evidence;
    this.#isFirst = isFirst;
    this.#builder = builder;
    this.#next = next;
    this.#planeBytes = dims[0] * dims[1] * elementBytes(type);
    this.#group = new Uint8Array(this.#planeBytes * Math.min(steps[2], dims[2]));
  }

  async push(bytes: Uint8Array): Promise<void> {
    const stepBytes = this.#planeBytes * this.#steps[2];
    for (let at = 0; at < bytes.byteLength; ) {
      const wanted = Math.min(this.#steps[2], this.#dims[2] - this.#z) * this.#planeBytes;
      const left = bytes.byteLength - at;
      if (this.#filled === 0 && left >= wanted) {
        // Whole groups of planes up to the end of the time point, without a copy.
        const planes =
          Math.min(this.#dims[2] - this.#z, Math.floor(left / stepBytes) * this.#steps[2]) || wanted / this.#planeBytes;
        await this.#halve(bytes.subarray(at, at + planes * this.#planeBytes), planes);
        at += planes * this.#planeBytes;
        continue;
      }
      const length = Math.min(wanted - this.#filled, left);
      this.#group.set(bytes.subarray(at, at + length), this.#filled);
      this.#filled += length;
      at += length;
      if (this.#filled < wanted) continue;
      this.#filled = 0;
      await this.#halve(this.#group.subarray(0, wanted), wanted / this.#planeBytes);
    }
  }

  /** @param halved the next ones of its result */
  async keep(halved: Uint8Array): Promise<void> {
    await this.#builder?.push(halved);
  }

  /** To the next halving. */
  async passOn(halved: Uint8Array): Promise<void> {
    await this.#next?.push(halved);
  }

  async #halve(bytes: Uint8Array, planes: number): Promise<void> {
    const [x, y] = this.#dims;
    this.#z = (this.#z + planes) % this.#dims[2];
    // One group of planes after another: each is judged before it is halved.
    const together = this.#evidence.isDecided ? planes : this.#steps[2];
    for (let z = 0; z < planes; ) {
      const depth = Math.min(this.#evidence.isDecided ? planes - z : together, planes - z);
      const voxels = typedVoxels(this.#type, bytes.subarray(z * this.#planeBytes, (z + depth) * this.#planeBytes));
      if (this.#isFirst) this.#evidence.add(voxels, [x, y, depth]);
      const halved = halve(voxels, this.#type, [x, y, depth], this.#steps, 1, this.#evidence.method);
      const result = new Uint8Array(halved.buffer, halved.byteOffset, halved.byteLength);
      await this.keep(result);
      await this.passOn(result);
      z += depth;
    }
  }
}
