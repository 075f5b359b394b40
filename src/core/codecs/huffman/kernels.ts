import type { CodecKernels } from '../../codec/codec.ts';
import { faultVariant } from '../../codec/faults.ts';
import { encodeRecorded } from '../../codec/recorded.ts';
import type { Gpu } from '../../gpu/gpu.ts';
import { decoders, prepareDecode } from './decode-kernels.ts';
import { encoders, recordEncode, recordSecond } from './encode-kernels.ts';

export function createKernels(gpu: Gpu): CodecKernels {
  const encoder: Required<Pick<CodecKernels, 'prepareEncode' | 'recordEncode'>> = {
    prepareEncode: (elementBytes, _chunks, isSecond = false) =>
      gpu.prepareKernels(Object.values(encoders(gpu, elementBytes, isSecond))),
    recordEncode: (...recording) => recordEncode(gpu, ...recording),
  };
  return {
    ...encoder,
    recordSecond: (...recording) => recordSecond(gpu, ...recording),
    encode: (...encoding) => encodeRecorded(gpu, 'huffman.encode', encoder, ...encoding),
    prepareDecoders: (elementBytes, _chunks, checked) =>
      gpu.prepareKernels(Object.values(decoders(elementBytes, faultVariant(checked)))),
    prepareDecode: (...decoding) => prepareDecode(gpu, ...decoding),
  };
}
