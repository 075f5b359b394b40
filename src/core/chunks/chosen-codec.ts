import type { CodecDefinition, CodecParameters } from '../codec/codec.ts';

/** A chunk's codec and its parameters. */
export interface ChosenCodec {
  readonly codec: CodecDefinition;
  readonly parameters: CodecParameters;
}

/** What a chunk is to be encoded by. */
export interface ChosenChain extends ChosenCodec {
  /** What is to encode the payload. */
  readonly second?: CodecDefinition | undefined;
}

/** What a chunk was encoded by. */
export interface DecodedBy extends ChosenCodec {
  /** What encoded the payload, which has `decodedLength` bytes before that. */
  readonly second?: (ChosenCodec & { readonly decodedLength: number }) | undefined;
}
