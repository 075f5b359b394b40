import { chunkBytes } from '../../codec/batch.ts';
import type { CodecDefinition } from '../../codec/codec.ts';
import { maxSections, parseHeader } from './layout.ts';
import { reference } from './reference.ts';

/** Canonical Huffman codes of at most 12 bits, a table for each section: SPEC.md. */
export const huffman: CodecDefinition = {
  id: 5,
  name: 'huffman',
  summary: 'Huffman codes for bytes, best as a second stage behind rle.',
  options: [],
  reason: 'few distinct bytes',
  reasonBehind: 'few distinct bytes',
  elementBytes: [1, 2, 4],
  gigabytesPerSecond: 150,

  choose: () => new Uint8Array(0),

  /** What neighbours tell of a histogram is little: a bit for each byte, and all of it where elements change. */
  estimate({ changes }, { shape, elementBytes }) {
    const count = shape[0] * shape[1] * shape[2];
    const changing = Math.min(1, Math.max(...changes) / count);
    return Math.ceil(32 + (count * elementBytes * (1 + 7 * changing)) / 8);
  },

  /** Every section plain, and the longest header. */
  encodedBound: (chunk) => chunkBytes(chunk) + 1 + 5 * maxSections,

  decodedLength: (payload) => parseHeader(payload).sections.reduce((sum, { length }) => sum + length, 0),

  reference,
};
