import { createGpuBackend } from '../core/engine/gpu-backend.ts';
import type { Gpu } from '../core/gpu/gpu.ts';
import { StriaError } from '../core/shared/errors.ts';
import type { OpenedBackend } from './device.ts';
import { openNodeGpu, releaseNodeGpu } from './node-gpu.ts';

export async function findGpu(device: 'gpu' | 'auto', limits: 'adapter' | 'default'): Promise<Gpu | undefined> {
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
