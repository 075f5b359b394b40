import type { Gpu } from '../../core/gpu/gpu.ts';
import { createGpuBackend } from '../../core/gpu-chunks/gpu-backend.ts';
import { StriaError } from '../../core/shared/errors.ts';
import { openNodeGpu, releaseNodeGpu } from '../../node/node-gpu.ts';
import { mayHaveHardware } from '../../node/vulkan-drivers.ts';
import type { DeviceOptions } from '../arguments/parsed-command.ts';
import { leavesGpu } from '../terminal/process-end.ts';
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

/**
 * The GPU that draws pictures: a hardware one, or else a software one; for `cpu` always a software one.
 * @throws StriaError `no-webgpu`, `no-adapter`, `limit-too-small`
 */
export async function drawingGpu(options: DeviceOptions): Promise<Gpu> {
  const isSoftware = options.device === 'cpu' || (options.device === 'auto' && !mayHaveHardware());
  const found = isSoftware ? undefined : await findGpu({ ...options, device: 'gpu' });
  if (found) return found;
  const gpu = await openNodeGpu({ limits: options.gpuLimits, software: true });
  if (options.tuning !== undefined) gpu.tuning = await readTuning(options.tuning);
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
  // Collecting Dawn while other work runs has been seen to crash, and the end of the process does not need it.
  if (!leavesGpu()) releaseNodeGpu();
  return undefined;
}

/**
 * Frees a GPU that no backend owns, so that the process can end. If the process ends after this command, the GPU is left to the
 * driver, because destroying the device takes 40 to 70 ms. Pending work is awaited in any case, such as kernels that are still being
 * compiled: a process that ended while the driver's threads were compiling has been seen to crash.
 * @param isIdleTime whether nothing else is to be done, so that the end of the process gets shorter at no cost
 * @param isLeft whether the process ends after this command
 */
export async function closeGpu(gpu: Gpu, isIdleTime = false, isLeft = leavesGpu()): Promise<void> {
  // A command that fails or is cancelled may still be guessing which kernels it needs.
  gpu.endPreparing();
  await gpu.settle();
  if (!isLeft || isIdleTime) gpu.destroy();
  if (!isLeft) releaseNodeGpu();
}

export function gpuBackend(gpu: Gpu): OpenedBackend & { readonly gpu: Gpu } {
  const backend = createGpuBackend(gpu);
  let closing: Promise<void> | undefined;
  return {
    backend,
    gpu,
    // Spare buffers are freed with the GPU.
    close: () => closing ?? closeGpu(gpu),
    closeGpu() {
      closing ??= closeGpu(gpu, true);
    },
  };
}
