import { StriaError } from '../shared/errors.ts';
import type { Kernel } from './kernel.ts';
import { type LentBytes, wholeWords } from './lent-bytes.ts';
import type { GpuScope } from './scope.ts';

/** How long one stage took on the GPU. */
export interface StageTime {
  readonly label: string;
  /** Milliseconds from the start of the first dispatch to the end of the last; undefined if the device has no timestamps, or too few. */
  readonly gpuMs: number | undefined;
  /** Milliseconds from the start of the first stage to the start of this one. Between stages are copies. Undefined like `gpuMs`. */
  readonly startMs?: number | undefined;
}

export interface CommandTimes {
  readonly stages: readonly StageTime[];
  /** Milliseconds from submission until the queue was done, on the host's clock. */
  readonly wallMs: number;
}

export type Binding = GPUBuffer | GPUBufferBinding | GPUTextureView | GPUSampler;

/** @param bindings for `@binding(0)`, `@binding(1)` … */
export function createBindGroup(
  device: GPUDevice,
  label: string,
  layout: GPUBindGroupLayout,
  bindings: readonly Binding[],
): GPUBindGroup {
  const entries = bindings.map((resource, binding) => ({
    binding,
    resource: resource instanceof GPUBuffer ? { buffer: resource } : resource,
  }));
  return device.createBindGroup({ label, layout, entries });
}

interface CommandsHost {
  readonly device: GPUDevice;
  readonly hasTimestamps: boolean;
  /** The maximum number of workgroups along one dimension. */
  readonly workgroupsPerDimension: number;
  /** Awaited before each timed submit. The bench uses it to keep the GPU's clocks up. */
  readonly beforeTimed: (() => Promise<void>) | undefined;
  /** Timestamps of `maxStages` stages, for one Commands at a time. */
  takeQueries(): StageQueries;
  keepQueries(queries: StageQueries): void;
  scope(label: string): GpuScope;
  checkAlive(): void;
  /** See `Gpu.causeOf`. */
  causeOf(error: unknown): Promise<unknown>;
  /** @returns a function to call when the GPU has finished the work that is being submitted */
  submitting(): () => void;
}

/**
 * Records GPU work and submits it at once, or in parts. Each `stage` is one pass with its own time. Dispatches of a stage run in order, and each
 * sees what the earlier ones wrote.
 */
export class Commands {
  readonly label: string;
  /** Called with the times of each `submit` once they are known. */
  readonly onTimes: ((times: CommandTimes) => void) | undefined;
  readonly #host: CommandsHost;
  #encoder: GPUCommandEncoder;
  readonly #stages: string[] = [];
  readonly #scope: GpuScope;
  readonly #queries: StageQueries | undefined;
  readonly #staging: Staging[] = [];
  /** One of `#staging`, for reads to come. */
  #block: Staging | undefined;
  readonly #lent: GpuScope[] = [];
  #pass: GPUComputePassEncoder | undefined;
  /** Of the names of stages. */
  #prefix = '';

  constructor(host: CommandsHost, label: string, onTimes?: (times: CommandTimes) => void) {
    host.checkAlive();
    this.#host = host;
    this.label = label;
    this.onTimes = onTimes;
    this.#encoder = host.device.createCommandEncoder({ label });
    this.#scope = host.scope('reads');
    this.#queries = host.hasTimestamps && onTimes ? host.takeQueries() : undefined;
  }

  /** Begins the names of the stages that follow with this prefix. */
  within(prefix: string): this {
    this.#prefix = prefix;
    return this;
  }

  /** Begins a stage. It lasts until the next `stage`, copy or `submit`. */
  stage(label: string): this {
    this.#endPass();
    const name = this.#prefix + label;
    this.#pass = this.#encoder.beginComputePass({ label: `${this.label}.${name}`, ...this.#timed(name) });
    return this;
  }

  /** A render pass: a stage of its own. */
  render(label: string, descriptor: GPURenderPassDescriptor, draw: (pass: GPURenderPassEncoder) => void): this {
    this.#endPass();
    const pass = this.#encoder.beginRenderPass({ ...descriptor, label: `${this.label}.${label}`, ...this.#timed(label) });
    draw(pass);
    pass.end();
    return this;
  }

  /**
   * @param bindings for `@binding(0)`, `@binding(1)` … of group 0
   * @param workgroups along x, y and z; or a total, in which each workgroup's number is `id.x + id.y × num_workgroups.x`
   */
  dispatch(kernel: Kernel, bindings: readonly Binding[], workgroups: number | readonly [number, number, number]): this {
    const counts = typeof workgroups === 'number' ? this.#spread(workgroups) : workgroups;
    if (counts.some((count) => count === 0)) return this;
    if (!this.#pass) this.stage(kernel.label);
    const pass = this.#pass as GPUComputePassEncoder;
    pass.setPipeline(kernel.pipeline);
    pass.setBindGroup(0, this.#bindGroup(kernel, bindings));
    pass.dispatchWorkgroups(...counts);
    return this;
  }

  /** Records work outside of stages, such as copies. */
  record(callback: (encoder: GPUCommandEncoder) => void): this {
    this.#endPass();
    callback(this.#encoder);
    return this;
  }

  /**
   * Submits what was recorded so far, and waits for nothing. Systems take a GPU for hung if one submit runs for about two seconds,
   * so work that may be that long on a slow GPU is submitted in parts.
   */
  submitPart(): this {
    this.#endPass();
    // The bench raises the GPU's clocks in `submit`, so nothing may run before that.
    if (this.onTimes && this.#host.beforeTimed) return this;
    const { device } = this.#host;
    device.queue.submit([this.#encoder.finish()]);
    this.#encoder = device.createCommandEncoder({ label: this.label });
    return this;
  }

  /**
   * Records a copy of a buffer's bytes (usage COPY_SRC; `offset` a multiple of 4) to the CPU, at this point of the commands. It
   * costs no wait of its own. @returns the bytes, once `submit` has resolved
   */
  read(buffer: GPUBuffer, offset = 0, size = buffer.size - offset): () => Uint8Array<ArrayBuffer> {
    const copied = Math.min(wholeWords(size), buffer.size - offset);
    const { block, at } = this.#roomFor(wholeWords(size));
    const read: Read = { at, size };
    block.reads.push(read);
    this.record((encoder) => encoder.copyBufferToBuffer(buffer, offset, block.buffer, at, copied));
    return () => {
      if (!read.bytes) throw new StriaError('internal', `${this.label}: bytes were taken before they were read`);
      return read.bytes;
    };
  }

  /** As `read`, as 32-bit words. */
  readWords(buffer: GPUBuffer, offset = 0, size = buffer.size - offset): () => Uint32Array {
    const bytes = this.read(buffer, offset, size);
    return () => new Uint32Array(bytes().buffer);
  }

  /**
   * As `read`, for much data, gathered from several places. The bytes are lent: release them when they are no longer needed.
   * If `submit` fails, they are released already.
   */
  lend(size: number, copies: readonly GatheredCopy[]): () => LentBytes {
    const scope = this.#host.scope('lent');
    this.#lent.push(scope);
    const staging = scope.reused('read', size, stagingUsage());
    this.record((encoder) => {
      for (const { buffer, offset, size, to } of copies) encoder.copyBufferToBuffer(buffer, offset, staging, to, size);
    });
    this.#staging.push({ buffer: staging, used: wholeWords(size), reads: [] });
    const release = () => scope.destroy();
    return () => ({ bytes: new Uint8Array(staging.getMappedRange(0, wholeWords(size)), 0, size), release });
  }

  /**
   * Room to read into. Several reads share one buffer, which is kept for later: allocating memory that the CPU can read, and freeing
   * it, takes longer than most kernels.
   */
  #roomFor(bytes: number): { readonly block: Staging; readonly at: number } {
    let block = this.#block;
    if (!block || block.used + bytes > block.buffer.size) {
      const buffer = this.#scope.reused('read', Math.max(blockBytes, bytes), stagingUsage());
      block = { buffer, used: 0, reads: [] };
      this.#block = block;
      this.#staging.push(block);
    }
    const at = block.used;
    block.used += bytes;
    return { block, at };
  }

  /** Submits what was recorded since the last `submitPart`. Resolves when the GPU is done and everything is read. @throws StriaError `device-lost` */
  async submit(): Promise<CommandTimes> {
    this.#endPass();
    const { device } = this.#host;
    try {
      // Without a hook there is no await before the submit, so that work submitted later sees these results.
      if (this.onTimes && this.#host.beforeTimed) await this.#host.beforeTimed();
      const ticks = this.#recordTimestamps();
      const start = performance.now();
      const finished = this.#host.submitting();
      try {
        device.queue.submit([this.#encoder.finish()]);
        await Promise.all(this.#staging.length > 0 ? this.#staging.map(finishReads) : [device.queue.onSubmittedWorkDone()]);
      } finally {
        finished();
      }
      const wallMs = performance.now() - start;
      this.#host.checkAlive();
      const times = { stages: this.#stageTimes(ticks?.()), wallMs };
      this.onTimes?.(times);
      return times;
    } catch (error) {
      for (const scope of this.#lent) scope.destroy();
      throw await this.#host.causeOf(error);
    } finally {
      if (this.#queries) this.#host.keepQueries(this.#queries);
      this.#scope.destroy();
    }
  }

  /** Gives up what was recorded since the last `submitPart`, instead of `submit`. */
  abandon(): void {
    for (const scope of this.#lent) scope.destroy();
    if (this.#queries) this.#host.keepQueries(this.#queries);
    this.#scope.destroy();
  }

  #spread(count: number): [number, number, number] {
    const rows = Math.max(1, Math.ceil(count / this.#host.workgroupsPerDimension));
    return [Math.ceil(count / rows), rows, 1];
  }

  /** Counts a stage and requests its timestamps. */
  #timed(label: string): { timestampWrites?: GPUComputePassTimestampWrites } {
    const index = this.#stages.push(label) - 1;
    if (!this.#queries || index >= maxStages) return {};
    const writes = { querySet: this.#queries.set, beginningOfPassWriteIndex: 2 * index, endOfPassWriteIndex: 2 * index + 1 };
    return { timestampWrites: writes };
  }

  #endPass(): void {
    this.#pass?.end();
    this.#pass = undefined;
  }

  #bindGroup(kernel: Kernel, bindings: readonly Binding[]): GPUBindGroup {
    return createBindGroup(this.#host.device, kernel.label, kernel.layout, bindings);
  }

  /** @returns the start and end of each stage, once the work is done */
  #recordTimestamps(): (() => BigUint64Array) | undefined {
    if (!this.#queries || this.#stages.length === 0) return undefined;
    const { set, resolved } = this.#queries;
    const count = Math.min(this.#stages.length, maxStages);
    this.#encoder.resolveQuerySet(set, 0, 2 * count, resolved, 0);
    const read = this.read(resolved, 0, 16 * count);
    return () => new BigUint64Array(read().buffer);
  }

  #stageTimes(ticks: BigUint64Array | undefined): StageTime[] {
    const first = ticks?.[0] ?? 0n;
    return this.#stages.map((label, index) => {
      const [begin, end] = [ticks?.[2 * index], ticks?.[2 * index + 1]];
      if (begin === undefined || end === undefined) return { label, gpuMs: undefined };
      return { label, gpuMs: Number(end - begin) / 1e6, startMs: Number(begin - first) / 1e6 };
    });
  }
}

/** Further stages of a submit are not timed. */
export const maxStages = 256;

/** Bytes of a buffer for `Commands.lend`, in multiples of 4. */
export interface GatheredCopy {
  readonly buffer: GPUBuffer;
  readonly offset: number;
  readonly size: number;
  /** Where they go. */
  readonly to: number;
}

/** Where the timestamps of stages go. Kept from one Commands to the next, because making one takes longer than most submits. */
export interface StageQueries {
  readonly set: GPUQuerySet;
  readonly resolved: GPUBuffer;
}

/** Memory that the CPU reads: MAP_READ | COPY_DST. */
function stagingUsage(): GPUBufferUsageFlags {
  return GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST;
}

/** Enough for the reads of most submits. */
const blockBytes = 2 ** 16;

/** A buffer to map, and what is copied out of it then. Nothing is if it is lent. */
interface Staging {
  readonly buffer: GPUBuffer;
  /** In bytes. */
  used: number;
  readonly reads: Read[];
}

interface Read {
  /** Where it is in its block. */
  readonly at: number;
  /** In bytes. */
  readonly size: number;
  bytes?: Uint8Array<ArrayBuffer>;
}

/** Waits until the GPU has written the buffer, and copies the bytes that are not lent. */
async function finishReads({ buffer, used, reads }: Staging): Promise<void> {
  await buffer.mapAsync(GPUMapMode.READ, 0, used);
  if (reads.length === 0) return;
  const mapped = buffer.getMappedRange(0, used);
  for (const read of reads) read.bytes = new Uint8Array(mapped.slice(read.at, read.at + read.size));
  buffer.unmap();
}
