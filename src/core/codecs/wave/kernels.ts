import type { CodecKernels } from '../../codec/codec.ts';
import type { Gpu } from '../../gpu/gpu.ts';
import { prepareDecode, prepareDecoders } from './decode-kernels.ts';
import { createEncoder } from './encode-kernels.ts';

export function createKernels(gpu: Gpu): CodecKernels {
  return {
    ...createEncoder(gpu),
    prepareDecoders: (...preparing) => prepareDecoders(gpu, ...preparing),
    prepareDecode: (payloads, chunks, target, scope, faults) => prepareDecode(gpu, payloads, chunks, target, scope, faults),
  };
}
