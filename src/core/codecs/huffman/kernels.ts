import type { CodecKernels } from '../../codec/codec.ts';
import { faultVariant } from '../../codec/faults.ts';
import type { Gpu } from '../../gpu/gpu.ts';
import { decoders, prepareDecode } from './decode-kernels.ts';
import { encode, encoders } from './encode-kernels.ts';

export function createKernels(gpu: Gpu): CodecKernels {
  return {
    encode: (voxels, chunks, call) => encode(gpu, voxels, chunks, call),
    prepareEncode: (elementBytes) => gpu.prepareKernels(Object.values(encoders(gpu, elementBytes))),
    prepareDecoders: (elementBytes, _chunks, checked) =>
      gpu.prepareKernels(Object.values(decoders(elementBytes, faultVariant(checked)))),
    prepareDecode: (...decoding) => prepareDecode(gpu, ...decoding),
  };
}
