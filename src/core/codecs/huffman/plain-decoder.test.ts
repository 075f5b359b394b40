import { expect, test } from 'vitest';
import { firstDifference, makeChunk } from '../../codec/chunk-testing.ts';
import { describePlainDecoder } from '../plain-decoder-testing.ts';
import { huffman } from './index.ts';
import { decodedLengthPlainly, decodePlainly } from './plain-decoder-testing.ts';

describePlainDecoder(huffman, decodePlainly);

test('sections of several tiles, as from a first-stage codec', () => {
  const sections = [40_000, 7, 1, 33_000];
  const length = sections.reduce((sum, one) => sum + one, 0);
  const chunk = makeChunk([length, 1, 1], 1, (x, _y, _z, random) => random() % (x < 40_000 ? 5 : 200));
  const payload = huffman.reference.encode({ ...chunk, sections }, new Uint8Array(0));
  expect(decodedLengthPlainly(payload)).toBe(length);
  expect(firstDifference(decodePlainly(payload, chunk, new Uint8Array(0)), chunk.bytes)).toBe(undefined);
});
