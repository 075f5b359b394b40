import type { CodecDefinition } from '../codec/codec.ts';
import { codecById } from '../codecs/registry.ts';

/** The codec of a chunk that its chosen codec does not make smaller. */
export const rawCodec: CodecDefinition = codecById(1);
