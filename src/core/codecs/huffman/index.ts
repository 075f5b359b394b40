import { chunkBytes } from '../../codec/batch.ts';
import { type CodecDefinition, noParameters } from '../../codec/codec.ts';
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

  choose: () => noParameters,

  /** Neighbours reveal little about a histogram. Assumes one bit for each byte, and the whole byte if elements change. */
  estimate({ changes }, { shape, elementBytes }) {
    const count = shape[0] * shape[1] * shape[2];
    const changing = Math.min(1, Math.max(...changes) / count);
    return Math.ceil(32 + (count * elementBytes * (1 + 7 * changing)) / 8);
  },

  /** The worst case: every section is plain, and the header has its maximum length. */
  encodedBound: (chunk) => chunkBytes(chunk) + 1 + 5 * maxSections,

  decodedLength: (payload) => parseHeader(payload).sections.reduce((sum, { length }) => sum + length, 0),

  reference,
};
