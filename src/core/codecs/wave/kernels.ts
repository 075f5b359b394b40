import type { CodecKernels } from '../../codec/codec.ts';
import type { Gpu } from '../../gpu/gpu.ts';
import { prepareDecode } from './decode-kernels.ts';
import { encode } from './encode-kernels.ts';

export function createKernels(gpu: Gpu): CodecKernels {
  return {
    encode: (voxels, chunks, call) => encode(gpu, voxels, chunks, call),
    prepareDecode: (...decoding) => prepareDecode(gpu, ...decoding),
  };
}
