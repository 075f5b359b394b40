import moduleBytes from '../../../assembly/predict/index.ts?assembly';
import { chunkBytes } from '../../codec/batch.ts';
import type { ChunkGeometry, CodecParameters, WasmCodec } from '../../codec/codec.ts';
import { lazyModule } from '../../shared/wasm-module.ts';
import { pictureGeometry } from './bricks.ts';
import { parseMode, payloadBound, symbolBytes } from './layout.ts';

/** Bytes past the payload that the module may read. */
const slack = 256;
const vectorBytes = 16;
const maxSections = 16;

const predict = lazyModule<'encode' | 'decode' | 'sections'>(moduleBytes);

/** SIMD for all forms (src/assembly/predict). */
export const wasm: WasmCodec = {
  encode(chunk, parameters) {
    const { bytes, shape, elementBytes } = chunk;
    const { geometry, tryMedian } = parseMode(parameters);
    const module = predict();
    if (!module || bytes.byteLength !== chunkBytes(chunk)) return undefined;
    const symbols = symbolBytes(chunk, geometry, vectorBytes);
    const { memory, at } = module.room(bytes.byteLength, symbols + slack, payloadBound(chunk, geometry) + slack);
    const [from, symbolsAt, to] = at as [number, number, number];
    memory.set(bytes, from);
    const mode = [Number(geometry === pictureGeometry), Number(tryMedian)];
    const length = module.call('encode', from, ...shape, elementBytes, ...mode, symbolsAt, to);
    return memory.slice(to, to + length);
  },

  decode(payload, chunk, parameters) {
    const length = chunkBytes(chunk);
    const called = call('decode', payload, chunk, parameters, length);
    return called && called.result !== 0 ? called.memory.subarray(called.to, called.to + length) : undefined;
  },

  sections(payload, chunk, parameters) {
    const called = call('sections', payload, chunk, parameters, 4 * maxSections);
    if (!called || called.result === 0) return undefined;
    return [...new Uint32Array(called.memory.buffer, called.to, called.result)].filter((length) => length > 0);
  },
};

/** Calls a function that reads a payload and writes at most `outputBytes` bytes. */
function call(
  name: 'decode' | 'sections',
  payload: Uint8Array,
  { shape, elementBytes }: ChunkGeometry,
  parameters: CodecParameters,
  outputBytes: number,
) {
  const { geometry, tryMedian } = parseMode(parameters);
  const module = predict();
  if (!module) return undefined;
  const { memory, at } = module.room(payload.byteLength + slack, outputBytes);
  const [from, to] = at as [number, number];
  memory.set(payload, from);
  const mode = [Number(geometry === pictureGeometry), Number(tryMedian)];
  const result = module.call(name, from, payload.byteLength, ...shape, elementBytes, ...mode, to);
  return { memory, to, result };
}
