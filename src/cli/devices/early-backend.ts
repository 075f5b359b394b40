import { availableParallelism } from 'node:os';
import { createCpuBackend } from '../../core/cpu/cpu-backend.ts';
import { createHandoverBackend } from '../../core/cpu/handover-backend.ts';
import { mayHaveHardware } from '../../node/vulkan-drivers.ts';
import type { DeviceOptions } from '../arguments/parsed-command.ts';
import { leavesGpu } from '../terminal/process-end.ts';
import { openBackend } from './device.ts';
import type { OpenedBackend } from './opened-backend.ts';

/** With fewer threads the GPU is sooner. */
const leastThreads = 4;
/** More threads are no faster where these work, because memory bounds them, and each takes about 13 MiB. */
const mostThreads = 8;
/** Opening a GPU keeps this thread busy for a quarter of a second, in which no thread gets new tasks. */
const tasksAhead = 24;

/** Threads seldom begin with containers of this size (`isSoonDecoded`). */
const largeContainerBytes = 2 ** 26;

/**
 * As `openBackend`, for one volume. If there may be a hardware GPU, threads begin the work while it is opened.
 * @param boxesAtOnce how many boxes threads are given at once
 * @param containerBytes of a container to decode: a GPU's code is loaded at once if it is probably needed
 */
export async function openEarlyBackend(options: DeviceOptions, boxesAtOnce: number, containerBytes = 0): Promise<OpenedBackend> {
  const threads = Math.min(mostThreads, (options.threads ?? availableParallelism()) - 1);
  // Settings of a GPU are a wish for one, and a faulty file of them must be told.
  const isForGpu = options.gpuLimits !== 'adapter' || options.tuning !== undefined;
  if (options.device !== 'auto' || isForGpu || threads < leastThreads - 1 || !mayHaveHardware()) {
    return openBackend(options);
  }
  // Whoever opens the GPU learns of a fault.
  if (containerBytes >= largeContainerBytes) loadGpuCode().catch(() => {});
  const { createNodeTaskPool } = await import('../../node/node-task-pool.ts');
  let opening: Promise<OpenedBackend> | undefined;
  let opened: OpenedBackend | undefined;
  const open = async () => {
    opening = openBackend(options);
    opened = await opening;
    return opened.backend;
  };
  const backend = createHandoverBackend({
    threads: createCpuBackend(createNodeTaskPool(threads, tasksAhead)),
    open,
    boxesAtOnce,
  });
  return {
    backend,
    get fault() {
      return opened?.fault;
    },
    closeGpu() {
      // A GPU that has done nothing yet may still be compiling kernels or decoding samples, which `destroy` ends first.
      if (backend.device.kind === 'gpu') opened?.closeGpu?.();
    },
    async close() {
      await backend.destroy();
      // Nothing needs the GPU any more, so the end of the process does not wait for it.
      if (!opening || (!opened && leavesGpu())) return;
      await (await opening.catch(() => undefined))?.close();
    },
  };
}

async function loadGpuCode(): Promise<void> {
  await import('./gpu-device.ts');
}
