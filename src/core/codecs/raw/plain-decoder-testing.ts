/** A decoder written from SPEC.md, sentence by sentence. Shares no code with the reference or the kernels. Only tests import this. */
import { StriaError } from '../../shared/errors.ts';
import type { PlainDecoder } from '../plain-decoder-testing.ts';

export const decodePlainly: PlainDecoder = (payload, { shape: [X, Y, Z], elementBytes: E }, parameters) => {
  // 'A decoder refuses a payload of any other length, and parameters that are not empty.'
  if (payload.length !== X * Y * Z * E) throw new StriaError('corrupt', 'the raw payload has a wrong length');
  if (parameters.length !== 0) throw new StriaError('corrupt', 'the raw parameters are not empty');
  // 'the chunk's voxel bytes as they are'
  return Uint8Array.from(payload);
};
