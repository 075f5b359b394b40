import { elementCount } from '../../codec/batch.ts';
import { type ChunkInMemory, chunkParameters, slackBytes } from '../../codec/chunk-in-memory.ts';
import type { CodecParameters } from '../../codec/codec.ts';
import { parseAxis } from '../../codec/scan-order.ts';
import { levelLengths } from './reference.ts';

/** `reference.encode` for an analyzed chunk in memory: src/assembly/rle. */
export function encodeInMemory(chunk: ChunkInMemory, parameters: CodecParameters): Uint8Array<ArrayBuffer> {
  const axis = parseAxis('rle', parameters);
  const { module, elementBytes, freeAt } = chunk;
  const count = elementCount(chunk);
  const [level0, level1, level2, level3] = levelLengths(count);
  const tree = level0 + level1 + level2;
  const scratch = freeAt + level3 + tree + count * elementBytes + slackBytes;
  // Three levels, and the bytes of each that are not 0.
  const memory = module.memoryTo(scratch + 2 * tree + 4 * slackBytes);
  const length = module.call('encodeRle', ...chunkParameters(chunk), axis, freeAt, scratch);
  return memory.slice(freeAt, freeAt + length);
}
