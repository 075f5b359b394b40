import type { CodecDefinition, CodecParameters } from '../codec/codec.ts';

/** A chunk's codec and its parameters. */
export interface ChosenCodec {
  readonly codec: CodecDefinition;
  readonly parameters: CodecParameters;
}

/** How to encode a chunk. */
export interface ChosenChain extends ChosenCodec {
  /** The codec that encodes the payload, if there is a second stage. */
  readonly second?: CodecDefinition | undefined;
}

/** How a chunk was encoded. */
export interface DecodedBy extends ChosenCodec {
  /** The codec that encoded the payload, which had `decodedLength` bytes before that. */
  readonly second?: (ChosenCodec & { readonly decodedLength: number }) | undefined;
}
