import type { GpuDiagnosis } from '../core/gpu/diagnosis.ts';
import { diagnoseGpu, type Gpu, type OpenGpuOptions, openGpu } from '../core/gpu/gpu.ts';
import { pollSparingly } from './gpu-polls.ts';
import { probeGpu } from './probe-gpu.ts';
import { chooseDrivers, isSwiftshader, mayPrint } from './vulkan-drivers.ts';
import { noteWebGpuFault, webGpuFault } from './webgpu-fault.ts';

/**
 * Dawn rounds timestamps, and validates the SPIR-V that it has generated itself, which takes a third of the time in which it compiles
 * `rice`. The WGSL is validated in any case.
 */
const disabled = ['timestamp_quantization', 'enable_spirv_validation'];

/**
 * SwiftShader compiles a zero-initialized workgroup array as one store per word, which dominates its compile time. Without this
 * feature Dawn writes a zeroing loop into the shader, and all kernels compile in less than half of the time.
 */
const disabledOnSwiftshader = ['use_vulkan_zero_initialize_workgroup_memory_extension'];

/**
 * The `webgpu` package's entry points, without and with the software driver. Kept as long as the process uses WebGPU: Dawn
 * crashes if one is garbage-collected while its device lives.
 */
const entries = new Map<'hardware' | 'software', GPU>();

/** Stands in for WebGPU if it is known to find no adapter. */
const noAdapters: Pick<GPU, 'requestAdapter'> = { requestAdapter: async () => null };

export interface OpenNodeGpuOptions extends OpenGpuOptions {
  /** Points Vulkan at SwiftShader if it is installed and the environment names no driver. */
  readonly software?: boolean;
}

/** Milliseconds between polls of a GPU. */
const pollMs = { hardware: 0.25, software: 1 };

/**
 * An entry point of the `webgpu` package, or undefined if it cannot be loaded. If Dawn might print about unsuitable drivers,
 * another process probes them first; if none is suitable, this process does not load them.
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
    pollSparingly(isSwiftshader() ? pollMs.software : pollMs.hardware);
    const features = isSwiftshader() ? [...disabled, ...disabledOnSwiftshader] : disabled;
    const entry = create([`disable-dawn-features=${features}`]);
    entries.set(kind, entry);
    return entry;
  } catch (error) {
    noteWebGpuFault(error);
    return undefined;
  }
}

/** Lets the process end: Dawn keeps Node alive while a reference to it exists. Destroy every Gpu first. */
export function releaseNodeGpu(): void {
  entries.clear();
}

/** Opens a Gpu in Node. @throws StriaError `no-webgpu`, `no-adapter`, `limit-too-small` */
export async function openNodeGpu(options: OpenNodeGpuOptions = {}): Promise<Gpu> {
  return openGpu(await nodeWebGpu(options.software ?? false), withFault(options));
}

/** Reports what `openNodeGpu` would find. Never throws. */
export async function diagnoseNodeGpu(options: OpenNodeGpuOptions = {}): Promise<GpuDiagnosis> {
  return diagnoseGpu(await nodeWebGpu(options.software ?? false), withFault(options));
}

function withFault(options: OpenNodeGpuOptions): OpenGpuOptions {
  const fault = webGpuFault();
  if (fault === undefined) return options;
  return { ...options, missing: `There is no WebGPU: ${fault}. Without it Stria uses the CPU, with the same bytes.` };
}
