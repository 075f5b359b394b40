import { chunkBytes } from '../codec/batch.ts';
import type { ChunkGeometry, ChunkVoxels, CodecDefinition, CodecParameters, WasmCodec } from '../codec/codec.ts';
import { huffman } from './huffman/index.ts';
import { wasm as huffmanInWasm } from './huffman/wasm.ts';
import { labels } from './labels/index.ts';
import { wasm as labelsInWasm } from './labels/wasm.ts';
import { parle } from './parle/index.ts';
import { wasm as parleInWasm } from './parle/wasm.ts';
import { predict } from './predict/index.ts';
import { wasm as predictInWasm } from './predict/wasm.ts';
import { rice } from './rice/index.ts';
import { wasm as riceInWasm } from './rice/wasm.ts';
import { rle } from './rle/index.ts';
import { wasm as rleInWasm } from './rle/wasm.ts';
import { wave } from './wave/index.ts';
import { wasm as waveInWasm } from './wave/wasm.ts';

/** Codecs that have a WebAssembly version. Separate from the registry, so that only code that runs them loads the modules. */
const inWasm: ReadonlyMap<CodecDefinition, WasmCodec> = new Map([
  [rice, riceInWasm],
  [predict, predictInWasm],
  [huffman, huffmanInWasm],
  [labels, labelsInWasm],
  [rle, rleInWasm],
  [parle, parleInWasm],
  [wave, waveInWasm],
]);

/** Larger chunks are left to the references: a thread would keep their memory to its end. */
const mostBytes = 2 ** 26;

function wasmFor(codec: CodecDefinition, chunk: ChunkGeometry): WasmCodec | undefined {
  return chunkBytes(chunk) > mostBytes ? undefined : inWasm.get(codec);
}

/** `reference.encode`, in WebAssembly if the codec has a version of it. */
export function encodeOnCpu(codec: CodecDefinition, chunk: ChunkVoxels, parameters: CodecParameters): Uint8Array<ArrayBuffer> {
  return wasmFor(codec, chunk)?.encode(chunk, parameters) ?? codec.reference.encode(chunk, parameters);
}

/**
 * `reference.decode`, in WebAssembly if the codec has a version of it.
 * @returns voxels that are valid until the codec's next call on this thread, because they may be in its module's memory
 * @throws StriaError `corrupt`
 */
export function decodeOnCpu(
  codec: CodecDefinition,
  payload: Uint8Array,
  chunk: ChunkGeometry,
  parameters: CodecParameters,
): Uint8Array<ArrayBuffer> {
  return wasmFor(codec, chunk)?.decode(payload, chunk, parameters) ?? codec.reference.decode(payload, chunk, parameters);
}

/** `reference.sections`, in WebAssembly if the codec has a version of it. */
export function sectionsOnCpu(
  codec: CodecDefinition,
  payload: Uint8Array,
  chunk: ChunkGeometry,
  parameters: CodecParameters,
): readonly number[] | undefined {
  return wasmFor(codec, chunk)?.sections?.(payload, chunk, parameters) ?? codec.reference.sections?.(payload, chunk, parameters);
}
