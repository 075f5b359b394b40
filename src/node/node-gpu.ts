import type { GpuDiagnosis } from '../core/gpu/diagnosis.ts';
import { diagnoseGpu, type Gpu, type OpenGpuOptions, openGpu } from '../core/gpu/gpu.ts';
import { probeGpu } from './probe-gpu.ts';
import { chooseDrivers, isSwiftshader, mayPrint } from './vulkan-drivers.ts';

/**
 * SwiftShader compiles a zeroed array of workgroup memory as one store for each of its words, which is most of what it compiles.
 * Without this feature Dawn writes a loop into the shader: the same zeroes, in less than half of the time for all kernels.
 */
const swiftshaderSwitches = ['disable-dawn-features=use_vulkan_zero_initialize_workgroup_memory_extension'];

/**
 * The `webgpu` package's entry points, without and with the software driver. Held as long as the process uses WebGPU:
 * Dawn crashes when one is collected while its device lives.
 */
const entries = new Map<'hardware' | 'software', GPU>();

/** Stands for WebGPU where it is known to find no adapter. */
const noAdapters: Pick<GPU, 'requestAdapter'> = { requestAdapter: async () => null };

export interface OpenNodeGpuOptions extends OpenGpuOptions {
  /** Points Vulkan at SwiftShader where it is installed, unless the environment names a driver already. */
  readonly software?: boolean;
}

/**
 * While a GPU computes, Dawn has Node ask it in every turn of its loop whether it is done, by the global `setImmediate`: that
 * keeps a core busy, which a GPU in software could compute with. Asked once in a millisecond it is as soon done.
 */
function restBetweenTurns(): void {
  const rest = (task: (...values: unknown[]) => void, ...values: unknown[]) => setTimeout(task, 1, ...values);
  globalThis.setImmediate = rest as unknown as typeof setImmediate;
}

/**
 * An entry point of the `webgpu` package, or undefined where it cannot be loaded. Where Dawn may print about drivers that do not suit,
 * another process asks them first, and where none suits, they are not asked here.
 */
async function nodeWebGpu(software: boolean): Promise<Pick<GPU, 'requestAdapter'> | undefined> {
  const kind = software ? 'software' : 'hardware';
  const known = entries.get(kind);
  if (known) return known;
  chooseDrivers(kind);
  if (mayPrint() && !(await probeGpu()).found) return noAdapters;
  try {
    const { create, globals } = await import('webgpu');
    Object.assign(globalThis, globals);
    if (isSwiftshader()) restBetweenTurns();
    const ownSwitches = isSwiftshader() ? swiftshaderSwitches : [];
    const entry = create(['disable-dawn-features=timestamp_quantization', ...ownSwitches]);
    entries.set(kind, entry);
    return entry;
  } catch {
    return undefined;
  }
}

/** Lets the process end: Dawn keeps Node alive while it is held. Destroy every Gpu first. */
export function releaseNodeGpu(): void {
  entries.clear();
}

/** A Gpu in Node. @throws StriaError `no-webgpu`, `no-adapter`, `limit-too-small` */
export async function openNodeGpu(options: OpenNodeGpuOptions = {}): Promise<Gpu> {
  return openGpu(await nodeWebGpu(options.software ?? false), options);
}

/** What `openNodeGpu` would say. Never throws. */
export async function diagnoseNodeGpu(options: OpenNodeGpuOptions = {}): Promise<GpuDiagnosis> {
  return diagnoseGpu(await nodeWebGpu(options.software ?? false), options);
}
