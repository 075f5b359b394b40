import { availableParallelism } from 'node:os';
import type { DeviceReport } from '../../core/chunks/backend.ts';
import { createCpuBackend } from '../../core/cpu/cpu-backend.ts';
import { inlinePool } from '../../core/cpu/inline-pool.ts';
import { readSharedFile } from '../../node/shared-file.ts';
import { webGpuFault } from '../../node/webgpu-fault.ts';
import type { DeviceOptions } from '../arguments/parsed-command.ts';
import type { OpenedBackend } from './opened-backend.ts';

/**
 * The backend that the user asked for. `auto` takes a hardware GPU, or else the CPU, because a software GPU is slower than
 * either. `gpu` takes a hardware GPU, or else a software one.
 * @throws StriaError `no-webgpu`, `no-adapter` or `limit-too-small`, only if the user asked for a GPU
 */
export async function openBackend(options: DeviceOptions): Promise<OpenedBackend> {
  if (options.device === 'cpu') return cpuBackend(options.threads);
  // Loaded only when needed: shaders are most of the program.
  const { findGpu, gpuBackend } = await import('./gpu-device.ts');
  const gpu = await findGpu(options);
  return gpu ? gpuBackend(gpu) : { ...(await cpuBackend(options.threads)), fault: webGpuFault() };
}

async function cpuBackend(threads = availableParallelism()): Promise<OpenedBackend> {
  const own = inlinePool(readSharedFile);
  // On a single core a second thread would only take turns with this one.
  const others = threads > 1 ? (await import('../../node/node-task-pool.ts')).createNodeTaskPool(threads - 1) : undefined;
  const backend = others ? createCpuBackend(others, own) : createCpuBackend(own);
  return {
    backend,
    close: () => backend.destroy(),
  };
}

/** `on GPU: NVIDIA H200`, for stderr. */
export function deviceNote({ kind, name, software }: DeviceReport, fault?: string): string {
  const reason = fault ? `; not on a GPU: ${fault}` : '';
  return `on ${kind === 'gpu' ? 'GPU: ' : ''}${name}${software && kind === 'gpu' ? ' (software: correct but slow)' : ''}${reason}`;
}
