import moduleBytes from '../../../assembly/huffman/index.ts?assembly';
import { elementCount } from '../../codec/batch.ts';
import type { WasmCodec } from '../../codec/codec.ts';
import { lazyModule } from '../../shared/wasm-module.ts';
import { huffmanChunkBytes, maxSections, sectionsOf } from './layout.ts';

/** Bytes past the payload that the module may read or write. */
const slack = 1024;

const huffman = lazyModule<'encode' | 'decode'>(moduleBytes);

/** WebAssembly for all chunks (src/assembly/huffman). */
export const wasm: WasmCodec = {
  encode(chunk, parameters) {
    const { bytes, elementBytes } = chunk;
    const length = huffmanChunkBytes(chunk);
    const module = huffman();
    if (!module || parameters.byteLength !== 0 || bytes.byteLength !== length) return undefined;
    const sections = sectionsOf(chunk, chunk.sections);
    const elements = elementCount(chunk);
    // The coded form of a section that becomes plain may be slightly longer.
    const { memory, at } = module.room(length, 4 * maxSections, elements, length + (length >> 2) + slack);
    const [from, lengthsAt, scratch, to] = at as [number, number, number, number];
    memory.set(bytes, from);
    new Uint32Array(memory.buffer, lengthsAt, sections.length).set(sections.map((section) => section.length));
    const end = to + module.call('encode', from, elements, elementBytes, lengthsAt, sections.length, scratch, to);
    return memory.slice(to, end);
  },

  decode(payload, chunk, parameters) {
    const length = huffmanChunkBytes(chunk);
    const module = huffman();
    if (!module || parameters.byteLength !== 0) return undefined;
    const elements = elementCount(chunk);
    const { memory, at } = module.room(payload.byteLength + slack, elements, length);
    const [from, scratch, to] = at as [number, number, number];
    memory.set(payload, from);
    const isSound = module.call('decode', from, payload.byteLength, elements, chunk.elementBytes, scratch, to) !== 0;
    return isSound ? memory.subarray(to, to + length) : undefined;
  },
};
