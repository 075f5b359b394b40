import { chunkBytes } from '../../codec/batch.ts';
import type { CodecParameters, ReferenceCodec } from '../../codec/codec.ts';
import { StriaError } from '../../shared/errors.ts';

/** SPEC.md: 'Parameters: none (0 bytes).' */
export function checkParameters(parameters: CodecParameters): void {
  if (parameters.byteLength !== 0) {
    throw new StriaError('corrupt', `raw takes no parameters, but found ${parameters.byteLength} bytes of them`);
  }
}

export const reference: ReferenceCodec = {
  encode(chunk, parameters) {
    checkParameters(parameters);
    const length = chunkBytes(chunk);
    if (chunk.bytes.byteLength !== length) {
      throw new StriaError('internal', `a chunk of ${length} bytes was given ${chunk.bytes.byteLength}`);
    }
    return chunk.bytes.slice() as Uint8Array<ArrayBuffer>;
  },

  /** SPEC.md: 'The payload is exactly X × Y × Z × E bytes long.' */
  decode(payload, chunk, parameters) {
    checkParameters(parameters);
    const length = chunkBytes(chunk);
    if (payload.byteLength !== length) {
      throw new StriaError('corrupt', `the raw payload has ${payload.byteLength} bytes; its chunk has ${length}`);
    }
    return payload.slice() as Uint8Array<ArrayBuffer>;
  },
};
