import type { CodecKernels } from '../../codec/codec.ts';
import type { Gpu } from '../../gpu/gpu.ts';
import { prepareDecode } from './decode-kernels.ts';
import { encode, encoders } from './encode-kernels.ts';

export function createKernels(gpu: Gpu): CodecKernels {
  return {
    encode: (voxels, chunks, call) => encode(gpu, voxels, chunks, call),
    prepareEncode: (elementBytes) => gpu.prepareKernels(Object.values(encoders(gpu, elementBytes))),
    prepareDecode: (...decoding) => prepareDecode(gpu, ...decoding),
  };
}
