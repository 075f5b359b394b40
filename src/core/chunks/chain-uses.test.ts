import { expect, test } from 'vitest';
import { chainByName } from '../codecs/registry.ts';
import type { EncodedChunk } from '../format/chunk.ts';
import { ChainUses } from './chain-uses.ts';

const checksum = { sum: 1, cross: 2 };
const constant: EncodedChunk = { kind: 'constant', element: new Uint8Array(1), decodedChecksum: checksum };

function coded(chain: string): EncodedChunk {
  const stages = chainByName(chain).map(({ id }) => ({ codecId: id, parameters: new Uint8Array(0) }));
  return { kind: 'coded', stages, payload: new Uint8Array(3), encodedChecksum: checksum, decodedChecksum: checksum };
}

const chunks = [constant, coded('rle'), coded('rle+huffman'), coded('rle'), constant, coded('rice')];

test('lists the codecs of the chunks before one, however many chunks are added together', () => {
  for (const together of [1, 2, 4, 6]) {
    const uses = new ChainUses();
    for (let at = 0; at < chunks.length; at += together) uses.add(at, chunks.slice(at, at + together));
    const lists = [...chunks.keys(), chunks.length].map((end) => uses.before(end));
    const [rle, both] = [['rle'], ['rle', 'rle+huffman']];
    expect(lists, `${together} together`).toEqual([undefined, undefined, rle, both, both, both, [...both, 'rice']]);
  }
});
