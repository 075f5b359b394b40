import { existsSync } from 'node:fs';
import type { GpuDiagnosis } from '../core/gpu/diagnosis.ts';
import { diagnoseGpu, type Gpu, type OpenGpuOptions, openGpu } from '../core/gpu/gpu.ts';

/** SwiftShader as Debian's chromium package ships it: the software Vulkan that tests run on. */
const swiftshaderIcd = '/usr/lib/chromium/vk_swiftshader_icd.json';

/** Held as long as the process uses WebGPU: Dawn crashes when it is collected while a device lives. */
let entry: GPU | undefined;

/**
 * The `webgpu` package's entry point, or undefined where it cannot be loaded.
 * @param software points Vulkan at SwiftShader where it is installed (unless the environment names a driver already)
 */
async function nodeWebGpu(software: boolean): Promise<GPU | undefined> {
  if (entry) return entry;
  if (software && !process.env.VK_ICD_FILENAMES && !process.env.VK_DRIVER_FILES && existsSync(swiftshaderIcd)) {
    process.env.VK_ICD_FILENAMES = swiftshaderIcd;
  }
  try {
    const { create, globals } = await import('webgpu');
    Object.assign(globalThis, globals);
    entry = create(['disable-dawn-features=timestamp_quantization']);
  } catch {
    return undefined;
  }
  return entry;
}

/** Lets the process end: Dawn keeps Node alive while it is held. Destroy every Gpu first. */
export function releaseNodeGpu(): void {
  entry = undefined;
}

/** A Gpu in Node. @throws StriaError `no-webgpu`, `no-adapter`, `limit-too-small` */
export async function openNodeGpu(options: OpenGpuOptions & { readonly software?: boolean } = {}): Promise<Gpu> {
  return openGpu(await nodeWebGpu(options.software ?? false), options);
}

export async function diagnoseNodeGpu(options: OpenGpuOptions & { readonly software?: boolean } = {}): Promise<GpuDiagnosis> {
  return diagnoseGpu(await nodeWebGpu(options.software ?? false), options);
}
