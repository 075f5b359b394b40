import type { Gpu } from '../../core/gpu/gpu.ts';
import { createGpuBackend } from '../../core/gpu-chunks/gpu-backend.ts';
import { StriaError } from '../../core/shared/errors.ts';
import { openNodeGpu, releaseNodeGpu } from '../../node/node-gpu.ts';
import { mayHaveHardware } from '../../node/vulkan-drivers.ts';
import type { DeviceOptions } from '../arguments/parsed-command.ts';
import type { OpenedBackend } from './opened-backend.ts';
import { readTuning } from './tuning-file.ts';

/** The GPU that the options ask for, with the tuning from a file if one is given. @throws StriaError */
export async function findGpu({ device, gpuLimits, tuning }: DeviceOptions): Promise<Gpu | undefined> {
  if (device === 'cpu') return undefined;
  const known = tuning === undefined ? undefined : await readTuning(tuning);
  const gpu = await openGpu(device, gpuLimits);
  if (gpu && known) gpu.tuning = known;
  return gpu;
}

async function openGpu(device: 'gpu' | 'auto', limits: 'adapter' | 'default'): Promise<Gpu | undefined> {
  if (device === 'auto' && !mayHaveHardware()) return undefined;
  try {
    const gpu = await openNodeGpu({ limits });
    if (device === 'gpu' || !gpu.isSoftware) return gpu;
    gpu.destroy();
  } catch (error) {
    if (!(error instanceof StriaError)) throw error;
    if (device === 'gpu' && error.tag === 'no-adapter') return openNodeGpu({ limits, software: true });
    if (device === 'gpu') throw error;
  }
  releaseNodeGpu();
  return undefined;
}

export function gpuBackend(gpu: Gpu): OpenedBackend {
  const backend = createGpuBackend(gpu);
  return {
    backend,
    close: async () => {
      await backend.destroy();
      gpu.destroy();
      releaseNodeGpu();
    },
  };
}
