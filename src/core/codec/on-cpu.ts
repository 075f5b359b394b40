import type { ChunkGeometry, ChunkVoxels, CodecDefinition, CodecParameters } from './codec.ts';

/** `reference.encode`, by WebAssembly where the codec has it. */
export function encodeOnCpu(codec: CodecDefinition, chunk: ChunkVoxels, parameters: CodecParameters): Uint8Array<ArrayBuffer> {
  return codec.wasm?.encode(chunk, parameters) ?? codec.reference.encode(chunk, parameters);
}

/** `reference.decode`, by WebAssembly where the codec has it. @throws StriaError `corrupt` */
export function decodeOnCpu(
  codec: CodecDefinition,
  payload: Uint8Array,
  chunk: ChunkGeometry,
  parameters: CodecParameters,
): Uint8Array<ArrayBuffer> {
  return codec.wasm?.decode(payload, chunk, parameters) ?? codec.reference.decode(payload, chunk, parameters);
}
