import type { Variant } from '../../shaders/link.ts';
import { StriaError } from '../shared/errors.ts';
import { Commands, type CommandTimes, maxStages, type StageQueries } from './commands.ts';
import { advice, defaultLimits, type GpuDiagnosis, isSoftware, type LimitName, limitNames, wantedFeatures } from './diagnosis.ts';
import { keepDevice } from './kept-devices.ts';
import { type Kernel, KernelCache, type KernelDescriptor } from './kernel.ts';
import { wholeWords } from './lent-bytes.ts';
import { MemoryLedger } from './memory-ledger.ts';
import { GpuScope } from './scope.ts';
import { SpareBuffers } from './spare-buffers.ts';
import { standardTuning, type Tuning } from './tuning.ts';

export interface OpenGpuOptions {
  /** 'adapter': the adapter's limits. 'default': WebGPU's defaults, which every device has. */
  readonly limits?: 'adapter' | 'default';
  /** Opening fails with `limit-too-small` if the adapter has less. */
  readonly needed?: Partial<Record<LimitName, number>>;
  /** Why there is no WebGPU, and what to do. */
  readonly missing?: string;
  /** Optional features that are not requested, even if the adapter has them. */
  readonly without?: readonly GPUFeatureName[];
}

/** One device and everything made on it. Create it with `openGpu`. */
export class Gpu {
  /** To hear of its loss, use `onLost`: the promise `device.lost` keeps whoever waits for it alive as long as the device. */
  readonly device: GPUDevice;
  readonly diagnosis: GpuDiagnosis;
  readonly memory = new MemoryLedger();
  /** Freed buffers that `GpuScope.reused` takes again. */
  readonly spare: SpareBuffers;
  readonly hasTimestamps: boolean;
  /** Whether shaders write r8unorm textures. Otherwise they write to a buffer, which is copied. The bench turns it off to compare both. */
  canStoreBytes: boolean;
  /** Larger dispatches are spread over a second dimension. Tests lower it. */
  workgroupsPerDimension: number;
  beforeTimed: (() => Promise<void>) | undefined;
  /** Read when kernels are prepared: a prepared decoder keeps the values it was made with. */
  tuning: Tuning = standardTuning;
  readonly #kernels: KernelCache;
  readonly #root: GpuScope;
  readonly #lostListeners = new Set<(message: string) => void>();
  readonly #errorListeners = new Set<(message: string) => void>();
  #lost: string | undefined;
  #isEnding = false;
  #pendingSubmits = 0;
  readonly #idleQueries: StageQueries[] = [];

  constructor(device: GPUDevice, diagnosis: GpuDiagnosis) {
    this.device = device;
    this.diagnosis = diagnosis;
    this.hasTimestamps = device.features.has('timestamp-query');
    this.canStoreBytes = device.features.has('texture-formats-tier1');
    this.workgroupsPerDimension = device.limits.maxComputeWorkgroupsPerDimension;
    this.#kernels = new KernelCache(device, (problem) => this.#report(problem));
    keepDevice(device);
    const onError = ({ error }: GPUUncapturedErrorEvent) => {
      if (error instanceof GPUOutOfMemoryError) this.spare.free();
      this.#report(error.message);
    };
    device.addEventListener('uncapturederror', onError);
    this.spare = new SpareBuffers(device, this.memory);
    this.#root = new GpuScope(device, this.memory, this.spare, 'gpu');
    void device.lost.then((info) => {
      this.#lost = info.message || info.reason || 'unknown reason';
      this.spare.close();
      for (const listener of this.#lostListeners) listener(this.#lost);
      // The device is kept, so it must not refer to what can be freed. three.js sets `onuncapturederror`.
      device.removeEventListener('uncapturederror', onError);
      device.onuncapturederror = null;
      this.#lostListeners.clear();
      this.#errorListeners.clear();
    });
  }

  get isSoftware(): boolean {
    return this.diagnosis.software;
  }

  get isLost(): boolean {
    return this.#lost !== undefined;
  }

  /** `nvidia-h200`, `nvidia ampere`: the name that the adapter reports, as precise as it is. */
  get name(): string {
    const { vendor = '', architecture = '', device = '', description = '' } = this.diagnosis.adapter ?? {};
    const family = [vendor, architecture].filter((word) => word !== '').join(' ');
    return device.replace(/-+$/, '') || family || description || 'unnamed GPU';
  }

  /** The GPU still works on submitted `Commands`; new work would wait. */
  get isBusy(): boolean {
    return this.#pendingSubmits > 0;
  }

  submitting(): () => void {
    this.#pendingSubmits++;
    return () => {
      this.#pendingSubmits--;
    };
  }

  /** The largest buffer that a shader can bind whole, in bytes. */
  get maxBindingBytes(): number {
    return this.spare.maxBindingBytes;
  }

  /** Called once when the device is lost (at once if it already is), until the returned function is called. */
  onLost(listener: (message: string) => void): () => void {
    if (this.#lost !== undefined) listener(this.#lost);
    this.#lostListeners.add(listener);
    return () => this.#lostListeners.delete(listener);
  }

  /** A new scope. The caller destroys it. */
  scope(label: string): GpuScope {
    return new GpuScope(this.device, this.memory, this.spare, label, this.#root);
  }

  /** Called with each uncaught WebGPU error and each shader's compile errors, until the returned function is called. */
  onError(listener: (message: string) => void): () => void {
    this.#errorListeners.add(listener);
    return () => this.#errorListeners.delete(listener);
  }

  #report(problem: string): void {
    for (const listener of this.#errorListeners) listener(problem);
  }

  kernel(descriptor: KernelDescriptor): Kernel {
    return this.#kernels.get(descriptor);
  }

  /** Whether `kernel` has been compiled already. */
  hasKernel(descriptor: KernelDescriptor): boolean {
    return this.#kernels.has(descriptor);
  }

  /** Whether `prepareKernels` compiles anything. A software GPU compiles on the same cores, so there it does nothing. */
  get preparesKernels(): boolean {
    return !this.isSoftware && !this.#isEnding;
  }

  /** Compiles kernels that `kernel` will return, all at once and beside the CPU's work. Worth it where several are needed soon. */
  async prepareKernels(descriptors: readonly KernelDescriptor[]): Promise<void> {
    if (this.preparesKernels) await this.#kernels.prepare(descriptors);
  }

  /** No kernel is prepared from now on, also by work that is not awaited. `settle` then waits for all that are being compiled. */
  endPreparing(): void {
    this.#isEnding = true;
  }

  /** Ends when nothing is pending: no kernel is being compiled, no work is submitted, no spare memory is being mapped. Never throws. */
  async settle(): Promise<void> {
    await Promise.allSettled([this.#kernels.settle(), this.device.queue.onSubmittedWorkDone()]);
    await this.spare.settle();
  }

  takeQueries(): StageQueries {
    return this.#idleQueries.pop() ?? this.#makeQueries();
  }

  keepQueries(queries: StageQueries): void {
    this.#idleQueries.push(queries);
  }

  #makeQueries(): StageQueries {
    const usage = GPUBufferUsage.QUERY_RESOLVE | GPUBufferUsage.COPY_SRC;
    const set = this.device.createQuerySet({ type: 'timestamp', count: 2 * maxStages });
    return { set, resolved: this.device.createBuffer({ label: 'timestamps', size: 16 * maxStages, usage }) };
  }

  /** Compiles a shader for render pipelines. The caller keeps it. */
  shaderModule(label: string, shader: ShaderFile, variant?: Variant): GPUShaderModule {
    return this.#kernels.compile(label, shader, variant);
  }

  /** @param onTimes if given, stages are timed, at the cost of a small readback */
  commands(label: string, onTimes?: (times: CommandTimes) => void): Commands {
    return new Commands(this, label, onTimes);
  }

  /** Copies bytes of a buffer (usage COPY_SRC) to the CPU. `offset` is a multiple of 4. @throws StriaError `device-lost` */
  async read(buffer: GPUBuffer, offset = 0, size = buffer.size - offset): Promise<Uint8Array<ArrayBuffer>> {
    this.checkAlive();
    const scope = this.scope('read');
    try {
      const bytes = wholeWords(size);
      const staging = scope.buffer('staging', bytes, GPUBufferUsage.MAP_READ);
      const encoder = this.device.createCommandEncoder({ label: 'read' });
      encoder.copyBufferToBuffer(buffer, offset, staging, 0, Math.min(bytes, buffer.size - offset));
      this.device.queue.submit([encoder.finish()]);
      await staging.mapAsync(GPUMapMode.READ);
      const copy = new Uint8Array(staging.getMappedRange().slice(0, size));
      staging.unmap();
      return copy;
    } catch (error) {
      throw await this.causeOf(error);
    } finally {
      scope.destroy();
    }
  }

  /** As `read`, as 32-bit words. */
  async readWords(buffer: GPUBuffer, offset = 0, size = buffer.size - offset): Promise<Uint32Array> {
    return new Uint32Array((await this.read(buffer, offset, size)).buffer);
  }

  /**
   * Creates resources, and waits until the GPU says whether it has memory for them. Spare buffers are freed first.
   * @param purpose ends the message, such as 'to show the volume in 3D'
   * @param free is given what was created if that is not returned
   * @throws StriaError `out-of-memory`, `device-lost`, and what `create` throws
   */
  async allocate<T>(purpose: string, create: () => T, free?: (made: T) => void): Promise<T> {
    this.checkAlive();
    this.spare.free();
    this.device.pushErrorScope('out-of-memory');
    let outcome: { readonly made: T } | { readonly error: unknown };
    try {
      outcome = { made: create() };
    } catch (error) {
      outcome = { error };
    }
    try {
      const refusal = await this.device.popErrorScope();
      this.checkAlive();
      if (refusal) throw new StriaError('out-of-memory', `the GPU does not have enough memory ${purpose}: ${refusal.message}`);
    } catch (error) {
      if ('made' in outcome) free?.(outcome.made);
      throw error instanceof StriaError ? error : await this.causeOf(error);
    }
    if ('error' in outcome) throw outcome.error;
    return outcome.made;
  }

  /** Resolves when the GPU has done everything that was submitted. @throws StriaError `device-lost` */
  async finish(): Promise<void> {
    try {
      await this.device.queue.onSubmittedWorkDone();
    } catch (error) {
      throw await this.causeOf(error);
    }
    this.checkAlive();
  }

  /** @throws StriaError `device-lost` if the device is lost */
  checkAlive(): void {
    if (this.#lost !== undefined) throw new StriaError('device-lost', `the GPU device was lost: ${this.#lost}`);
  }

  /** Why a call failed: the device was lost, or else the given error. Waits a moment, because the loss may be reported after the failure. */
  async causeOf(error: unknown): Promise<unknown> {
    await new Promise<void>((resolve) => {
      const forget = this.onLost(() => resolve());
      setTimeout(() => {
        forget();
        resolve();
      }, 100);
    });
    try {
      this.checkAlive();
      return error;
    } catch (lost) {
      return lost;
    }
  }

  destroy(): void {
    this.#root.destroy();
    this.spare.close();
    this.device.destroy();
  }
}

/**
 * Requests an adapter and a device.
 * @param gpu `navigator.gpu`, or what the `webgpu` package's `create()` returned (keep a reference to it while the Gpu lives)
 * @throws StriaError `no-webgpu`, `no-adapter`, `limit-too-small`
 */
export async function openGpu(gpu: Pick<GPU, 'requestAdapter'> | undefined, options: OpenGpuOptions = {}): Promise<Gpu> {
  const adapter = await requestAdapter(gpu);
  const diagnosis = diagnose(gpu, adapter, options);
  if (!adapter || diagnosis.state !== 'ready') {
    throw new StriaError(diagnosis.state === 'ready' ? 'no-adapter' : diagnosis.state, diagnosis.advice);
  }
  const available = options.limits === 'default' ? defaultLimits : adapter.limits;
  const requiredLimits = Object.fromEntries(limitNames.map((name) => [name, available[name]]));
  const requiredFeatures = wantedFeatures.filter(
    (feature) => adapter.features.has(feature) && !options.without?.includes(feature),
  );
  const device = await adapter.requestDevice({ label: 'stria', requiredLimits, requiredFeatures });
  return new Gpu(device, diagnosis);
}

/** The diagnosis that `openGpu` would make, without opening a device. Never throws. */
export async function diagnoseGpu(
  gpu: Pick<GPU, 'requestAdapter'> | undefined,
  options: OpenGpuOptions = {},
): Promise<GpuDiagnosis> {
  return diagnose(gpu, await requestAdapter(gpu), options);
}

async function requestAdapter(gpu: Pick<GPU, 'requestAdapter'> | undefined): Promise<GPUAdapter | undefined> {
  try {
    return (await gpu?.requestAdapter({ powerPreference: 'high-performance' })) ?? undefined;
  } catch {
    return undefined;
  }
}

function diagnose(
  gpu: Pick<GPU, 'requestAdapter'> | undefined,
  adapter: GPUAdapter | undefined,
  options: OpenGpuOptions,
): GpuDiagnosis {
  const nothing = { software: false, adapter: undefined, limits: undefined, features: [], missingFeatures: [], tooSmall: [] };
  if (!gpu) return { ...nothing, state: 'no-webgpu', advice: options.missing ?? advice['no-webgpu'] };
  if (!adapter) return { ...nothing, state: 'no-adapter', advice: advice['no-adapter'] };
  const { vendor, architecture, device, description } = adapter.info;
  const limits = Object.fromEntries(limitNames.map((name) => [name, adapter.limits[name]])) as Record<LimitName, number>;
  const tooSmall = limitNames.flatMap((limit) => {
    const needed = options.needed?.[limit] ?? 0;
    return needed > limits[limit] ? [{ limit, needed, available: limits[limit] }] : [];
  });
  const software = isSoftware(adapter.info);
  const shortfalls = tooSmall.map(({ limit, needed, available }) => `${limit}: ${needed} needed, ${available} available`);
  return {
    state: tooSmall.length > 0 ? 'limit-too-small' : 'ready',
    software,
    adapter: { vendor, architecture, device, description },
    limits,
    features: [...adapter.features].sort(),
    missingFeatures: wantedFeatures.filter((feature) => !adapter.features.has(feature)),
    tooSmall,
    advice:
      tooSmall.length > 0 ? `${advice['limit-too-small']} ${shortfalls.join('; ')}.` : software ? advice.software : advice.ready,
  };
}
