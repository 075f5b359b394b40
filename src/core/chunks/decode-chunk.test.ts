import { expect, test } from 'vitest';
import { huffman } from '../codecs/huffman/index.ts';
import { checksum } from '../format/checksum.ts';
import { decodeChunk } from './decode-chunk.ts';

test('a chunk that the same codec encoded twice is decoded', () => {
  const shape = [256, 256, 64] as const;
  const bytes = Uint8Array.from({ length: 256 * 256 * 64 }, (_, at) => ((at & 255) >> 6) % 3);
  const parameters = new Uint8Array();
  const once = huffman.reference.encode({ bytes, shape, elementBytes: 1 }, parameters);
  const payload = huffman.reference.encode({ bytes: once, shape: [once.length, 1, 1], elementBytes: 1 }, parameters);
  const stage = { codecId: huffman.id, parameters };
  const sums = { encodedChecksum: checksum(payload), decodedChecksum: checksum(bytes, 256) };
  const chunk = { kind: 'coded', stages: [stage, stage], payload, ...sums } as const;
  expect(Buffer.from(decodeChunk(chunk, { shape, elementBytes: 1 })).equals(bytes)).toBe(true);
});
