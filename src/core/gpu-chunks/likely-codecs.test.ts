import { expect, test } from 'vitest';
import { codecByName } from '../codecs/registry.ts';
import { likelyCodecs } from './likely-codecs.ts';

const names = (...given: Parameters<typeof likelyCodecs>) => likelyCodecs(...given).map(({ codec }) => codec.name);
const options = { axis: 'auto' } as const;

test('the codec of most chunks with noise is compiled first, that of runs last, slow ones not at all', () => {
  expect(names([[64, 64, 64]], 1, { codec: 'auto', options })).toEqual(['rice', 'huffman', 'predict', 'parle', 'rle']);
});

test('a chosen chain is compiled in its order, the second codec for bytes', () => {
  const chain = [codecByName('rle'), codecByName('huffman')] as const;
  const likely = likelyCodecs([[64, 64, 64]], 2, { codec: chain, options });
  expect(likely.map(({ codec, width, isSecond }) => [codec.name, width, isSecond])).toEqual([
    ['rle', 2, false],
    ['huffman', 1, true],
  ]);
});
