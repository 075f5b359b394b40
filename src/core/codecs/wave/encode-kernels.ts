import type { GpuChunk, GpuPayloads, GpuVoxels, KernelCall } from '../../codec/codec.ts';
import type { Gpu } from '../../gpu/gpu.ts';

export async function encode(_gpu: Gpu, _voxels: GpuVoxels, _chunks: readonly GpuChunk[], _call: KernelCall): Promise<GpuPayloads> {
  throw new TypeError('not yet');
}
