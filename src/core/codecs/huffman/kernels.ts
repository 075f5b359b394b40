import type { CodecKernels } from '../../codec/codec.ts';
import { faultVariant } from '../../codec/faults.ts';
import { recordedEncoder } from '../../codec/recorded.ts';
import type { Gpu } from '../../gpu/gpu.ts';
import { decoders, prepareDecode } from './decode-kernels.ts';
import { encoders, recordEncode, recordSecond } from './encode-kernels.ts';

export function createKernels(gpu: Gpu): CodecKernels {
  const prepareEncode: CodecKernels['prepareEncode'] = (elementBytes, _chunks, isSecond = false) =>
    gpu.prepareKernels(Object.values(encoders(gpu, elementBytes, isSecond)));
  return {
    ...recordedEncoder(gpu, 'huffman.encode', prepareEncode, recordEncode),
    recordSecond: (...recording) => recordSecond(gpu, ...recording),
    prepareDecoders: (elementBytes, _chunks, checked) =>
      gpu.prepareKernels(Object.values(decoders(elementBytes, faultVariant(checked)))),
    prepareDecode: (...decoding) => prepareDecode(gpu, ...decoding),
  };
}
