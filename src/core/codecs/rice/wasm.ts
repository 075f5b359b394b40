import moduleBytes from '../../../assembly/rice/index.ts?assembly';
import { chunkBytes } from '../../codec/batch.ts';
import type { WasmCodec } from '../../codec/codec.ts';
import { lazyModule } from '../../shared/wasm-module.ts';
import { encodedBound, type Form, parseForm } from './layout.ts';

/** Bytes past the payload that the decoder may read. */
const slack = 256;

const rice = lazyModule<'encode' | 'decode'>(moduleBytes);

/** SIMD for all forms (src/assembly/rice). */
export const wasm: WasmCodec = {
  encode(chunk, parameters) {
    const { bytes, shape, elementBytes } = chunk;
    const form = parseForm(parameters);
    if (bytes.byteLength !== chunkBytes(chunk)) return undefined;
    const module = rice();
    if (!module) return undefined;
    const { memory, at } = module.room(bytes.byteLength, encodedBound(chunk, form) + 8);
    const [from, to] = at as [number, number];
    memory.set(bytes, from);
    const length = module.call('encode', from, ...shape, elementBytes, ...bitsOf(form), to);
    return memory.slice(to, to + length);
  },

  decode(payload, chunk, parameters) {
    const length = chunkBytes(chunk);
    const form = parseForm(parameters);
    if (payload.byteLength < 4) return undefined;
    const module = rice();
    if (!module) return undefined;
    const { memory, at } = module.room(payload.byteLength + slack, length);
    const [from, to] = at as [number, number];
    memory.set(payload, from);
    const geometry = [...chunk.shape, chunk.elementBytes, ...bitsOf(form)];
    const isSound = module.call('decode', from, payload.byteLength, ...geometry, to) !== 0;
    return isSound ? memory.subarray(to, to + length) : undefined;
  },
};

function bitsOf({ picture, causal }: Form): [number, number] {
  return [Number(picture), Number(causal)];
}
