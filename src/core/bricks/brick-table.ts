import scatterShader from '../../shaders/brick-draw/table-changes.wgsl';
import type { ConstantChunk } from '../format/chunk.ts';
import { createBindGroup } from '../gpu/commands.ts';
import type { Gpu } from '../gpu/gpu.ts';
import type { GpuScope } from '../gpu/scope.ts';
import { typedVoxels } from '../shared/volume.ts';
import { isFloatType } from '../volume/voxel-key.ts';
import { type BrickKey, brickOf } from './brick.ts';
import type { BrickSource } from './brick-source.ts';

/** An entry is 0 for an absent brick, this bit and the index of its value for a constant one, and the slot + 1 for others. */
const constantBit = 0x8000_0000;
/** The maximum number of different values of constant bricks. Bricks of further values take slots. */
const mostConstants = 4096;
/** The maximum number of entries that one dispatch changes. */
const mostChanges = 4096;
/** Twin: shaders/brick-draw/table-changes.wgsl. */
const changesPerWorkgroup = 64;

/** The page table: the location in GPU memory of each brick of each level and time point. Twin: shaders/brick-draw/paged.wgsl. */
export class BrickTable {
  /** The bits of the values of constant bricks, as `voxel_bits` in voxel.wgsl gives them. */
  readonly constants: GPUBuffer;
  /** The entry of each level's first brick. */
  readonly starts: readonly number[];
  readonly count: number;
  readonly #gpu: Gpu;
  readonly #source: BrickSource;
  readonly #values = new Map<number, number>();
  /** One word for each brick. */
  readonly #entries: GPUBuffer;
  /** What `#entries` contains once the changes are submitted. */
  readonly #written: Uint32Array;
  /** The indices of entries that have changed since the last submit. */
  readonly #changed = new Set<number>();
  readonly #changes: GPUBuffer;
  #writes = 0;

  /** @param scope owns the buffers @throws StriaError `limit-too-small` */
  constructor(gpu: Gpu, scope: GpuScope, source: BrickSource) {
    this.#gpu = gpu;
    this.#source = source;
    const starts: number[] = [];
    let count = 0;
    for (const { grid } of source.levels) {
      starts.push(count);
      count += grid.count;
    }
    this.starts = starts;
    this.count = count;
    this.#written = new Uint32Array(count);
    this.#entries = scope.storage('table', 4 * count);
    this.#changes = scope.storage('changes', 8 * mostChanges);
    this.constants = scope.storage('constants', 4 * mostConstants);
  }

  get bytes(): number {
    return this.#entries.size + this.#changes.size + this.constants.size;
  }

  /** Counts changes of entries. */
  get writes(): number {
    return this.#writes;
  }

  /**
   * One word for each brick. Submits the changes since the last call, all at once, because a write of its own for each takes longer. So
   * only work that is submitted after the call sees them.
   */
  entries(): GPUBuffer {
    if (this.#changed.size > 0) {
      const pairs = new Uint32Array(2 * this.#changed.size);
      let at = 0;
      for (const index of this.#changed) {
        pairs[at++] = index;
        pairs[at++] = this.#written[index] as number;
      }
      this.#changed.clear();
      for (let from = 0; from < pairs.length; from += 2 * mostChanges) this.#submit(pairs.subarray(from, from + 2 * mostChanges));
    }
    return this.#entries;
  }

  indexOf(key: BrickKey): number {
    const { level, number } = brickOf(key);
    return (this.starts[level] as number) + number;
  }

  /** The brick of the entry at `index`. */
  keyAt(index: number): BrickKey {
    let level = this.starts.length - 1;
    while ((this.starts[level] as number) > index) level--;
    return level * 2 ** 24 + index - (this.starts[level] as number);
  }

  /** The bricks that can be drawn. */
  *drawn(): Generator<BrickKey> {
    for (let index = 0; index < this.count; index++) if (this.#written[index] !== 0) yield this.keyAt(index);
  }

  /** Whether the brick is drawn from the table alone, without a slot. */
  isConstant(key: BrickKey): boolean {
    return ((this.#written[this.indexOf(key)] as number) & constantBit) !== 0;
  }

  /** Enters a brick's slot. @param slot undefined if the brick is no longer drawn */
  setSlot(key: BrickKey, slot: number | undefined): void {
    this.#write(key, slot === undefined ? 0 : slot + 1);
  }

  /** Enters a constant brick. @returns whether the table can hold its value */
  setConstant(key: BrickKey, { element }: ConstantChunk): boolean {
    const { type } = this.#source.info;
    // An f64 voxel is two elements, and the table keeps 32 bits.
    if (type === 'f64') return false;
    const value = typedVoxels(type, element.slice())[0] as number;
    const bits = isFloatType(type) ? new DataView(element.slice().buffer).getUint32(0, true) : value >>> 0;
    const known = this.#values.get(bits);
    if (known === undefined && this.#values.size === mostConstants) return false;
    const place = known ?? this.#values.size;
    if (known === undefined) {
      this.#values.set(bits, place);
      this.#gpu.device.queue.writeBuffer(this.constants, 4 * place, Uint32Array.of(bits));
    }
    this.#write(key, (constantBit | place) >>> 0);
    return true;
  }

  #write(key: BrickKey, entry: number): void {
    const index = this.indexOf(key);
    this.#written[index] = entry;
    this.#changed.add(index);
    this.#writes++;
  }

  /** @param pairs indices of entries, each with its entry */
  #submit(pairs: Uint32Array<ArrayBuffer>): void {
    const { device } = this.#gpu;
    const { pipeline, layout } = this.#gpu.kernel({ label: 'bricks.table-changes', shader: scatterShader });
    device.queue.writeBuffer(this.#changes, 0, pairs);
    const changes = { buffer: this.#changes, size: pairs.byteLength };
    const encoder = device.createCommandEncoder({ label: 'table' });
    const pass = encoder.beginComputePass({ label: 'table' });
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, createBindGroup(device, 'table', layout, [this.#entries, changes]));
    pass.dispatchWorkgroups(Math.ceil(pairs.length / 2 / changesPerWorkgroup));
    pass.end();
    device.queue.submit([encoder.finish()]);
  }
}
