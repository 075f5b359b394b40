import type { Gpu } from '../gpu/gpu.ts';
import { throwIfAborted } from '../shared/job.ts';
import type { CodecKernels, GpuChunk, GpuPayloads, GpuVoxels, KernelCall } from './codec.ts';

/**
 * Decodes chunks into `target` once: prepares, runs, and frees the resources.
 * @param label of the submitted commands, such as `rle.decode`
 * @throws StriaError `corrupt`, `aborted`, `device-lost`
 */
export async function decodeChunks(
  gpu: Gpu,
  label: string,
  kernels: CodecKernels,
  payloads: GpuPayloads,
  chunks: readonly GpuChunk[],
  target: GpuVoxels,
  { scope, signal, onTimes }: KernelCall,
): Promise<void> {
  throwIfAborted(signal);
  using work = scope.scope(label);
  const plan = kernels.prepareDecode(payloads, chunks, target, work);
  if (chunks.length === 0) return;
  const commands = gpu.commands(label, onTimes);
  plan(commands);
  await commands.submit();
}
