import moduleBytes from '../../../assembly/labels/index.ts?assembly';
import { chunkBytes } from '../../codec/batch.ts';
import type { WasmCodec } from '../../codec/codec.ts';
import { lazyModule } from '../../shared/wasm-module.ts';
import { brickCount, payloadBound } from './layout.ts';
import { tableWords } from './tables.ts';

/** Bytes past the payload that the decoder may read. */
const slack = 16;
/** Bytes past the longest payload that the encoder may write before it abandons a brick. */
const overrun = 2048;

const tables = new Uint8Array(tableWords().buffer);

const labels = lazyModule<'encode' | 'decode'>(moduleBytes);

/** src/assembly/labels. */
export const wasm: WasmCodec = {
  encode(chunk, parameters) {
    const { bytes, shape, elementBytes } = chunk;
    if (parameters.byteLength > 0 || bytes.byteLength !== chunkBytes(chunk)) return undefined;
    const module = labels();
    if (!module) return undefined;
    const lengthsBytes = 2 * brickCount(chunk);
    const { memory, at } = module.room(
      bytes.byteLength,
      tables.byteLength,
      lengthsBytes,
      payloadBound(chunk) + lengthsBytes + overrun,
    );
    const [from, tablesAt, lengths, to] = at as [number, number, number, number];
    memory.set(bytes, from);
    memory.set(tables, tablesAt);
    const length = module.call('encode', from, ...shape, elementBytes, tablesAt, lengths, to);
    return memory.slice(to, to + length);
  },

  decode(payload, chunk, parameters) {
    const length = chunkBytes(chunk);
    if (parameters.byteLength > 0) return undefined;
    const module = labels();
    if (!module) return undefined;
    const { memory, at } = module.room(payload.byteLength + slack, tables.byteLength, length);
    const [from, tablesAt, to] = at as [number, number, number];
    memory.set(payload, from);
    memory.set(tables, tablesAt);
    const isSound = module.call('decode', from, payload.byteLength, ...chunk.shape, chunk.elementBytes, tablesAt, to) !== 0;
    return isSound ? memory.subarray(to, to + length) : undefined;
  },
};
