import moduleBytes from '../../../assembly/parle/index.ts?assembly';
import { chunkBytes, elementCount } from '../../codec/batch.ts';
import type { WasmCodec } from '../../codec/codec.ts';
import { parseAxis } from '../../codec/scan-order.ts';
import { lazyModule } from '../../shared/wasm-module.ts';
import { bitmapWords, sectionsOf, segmentCountOf } from './layout.ts';

const parle = lazyModule<'encode' | 'decode'>(moduleBytes);

/** src/assembly/parle. */
export const wasm: WasmCodec = {
  encode(chunk, parameters) {
    const { bytes, shape, elementBytes } = chunk;
    const axis = parseAxis('parle', parameters);
    const module = parle();
    if (!module || bytes.byteLength !== chunkBytes(chunk)) return undefined;
    const count = elementCount(chunk);
    const marksBytes = 4 * bitmapWords(count);
    const longest = sectionsOf(segmentCountOf(count), count, elementBytes).marks + marksBytes;
    const { memory, at } = module.room(bytes.byteLength, marksBytes, longest);
    const [from, marks, to] = at as [number, number, number];
    memory.set(bytes, from);
    const length = module.call('encode', from, ...shape, elementBytes, axis, marks, to);
    return memory.slice(to, to + length);
  },

  decode(payload, chunk, parameters) {
    const axis = parseAxis('parle', parameters);
    const length = chunkBytes(chunk);
    const module = parle();
    if (!module) return undefined;
    const { memory, at } = module.room(payload.byteLength, axis === 0 ? 0 : length, length);
    const [from, ordered, to] = at as [number, number, number];
    memory.set(payload, from);
    const isSound = module.call('decode', from, payload.byteLength, ...chunk.shape, chunk.elementBytes, axis, ordered, to) !== 0;
    return isSound ? memory.subarray(to, to + length) : undefined;
  },
};
