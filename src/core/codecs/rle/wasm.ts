import moduleBytes from '../../../assembly/rle/index.ts?assembly';
import { chunkBytes, elementCount } from '../../codec/batch.ts';
import type { WasmCodec } from '../../codec/codec.ts';
import { parseAxis } from '../../codec/scan-order.ts';
import { lazyModule } from '../../shared/wasm-module.ts';
import { levelLengths } from './reference.ts';

/** Bytes that the decoder may read past the payload, write past the voxels, and read past each level. */
const slack = { payload: 16, voxels: 512, level: 64 };

const rle = lazyModule<'decode'>(moduleBytes);

/** src/assembly/rle. It encodes only chunks that were analyzed in memory: in-memory.ts. */
export const wasm: WasmCodec = {
  encode: () => undefined,

  decode(payload, chunk, parameters) {
    const axis = parseAxis('rle', parameters);
    const length = chunkBytes(chunk);
    const module = rle();
    if (!module) return undefined;
    const [level0, level1, level2] = levelLengths(elementCount(chunk));
    const { memory, at } = module.room(
      payload.byteLength + slack.payload,
      level0 + level1 + level2 + 3 * slack.level,
      length + slack.voxels,
    );
    const [from, scratch, to] = at as [number, number, number];
    memory.set(payload, from);
    const isSound = module.call('decode', from, payload.byteLength, ...chunk.shape, chunk.elementBytes, axis, to, scratch) !== 0;
    return isSound ? memory.subarray(to, to + length) : undefined;
  },
};
