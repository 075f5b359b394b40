import { describe, expect, test } from 'vitest';
import { metalRiceSizes } from '../../../../bench/baselines/metal-rice.ts';
import { createRandom } from '../../samples/random.ts';
import { entropyBytes, entropyOf } from './entropy-bytes.ts';
import { decodeMetalRice, encodeMetalRice } from './metal-rice-layout.ts';
import { encodeRuns } from './parle.ts';
import { codedBits, countBytes, decodeCodes, encodeCodes, huffmanCodes } from './prefix-codes.ts';
import { encodePairs } from './rutter-pairs.ts';

describe('Rutter’s pairs', () => {
  const output = new Uint8Array(2 * 8 ** 3);

  test('rows: (count, value) pairs, starting again in each row', () => {
    const voxels = new Uint8Array(4 * 4).fill(7);
    voxels.set([1, 1, 2, 3], 4);
    expect(encodePairs(voxels, 4, 'rows', output)).toBe(12);
    expect([...output.subarray(0, 12)]).toEqual([4, 7, 2, 1, 1, 2, 1, 3, 4, 7, 4, 7]);
  });

  test('columns run along y', () => {
    const voxels = Uint8Array.from({ length: 4 * 4 }, (_, index) => index % 4);
    expect(encodePairs(voxels, 4, 'columns', output)).toBe(8);
    expect([...output.subarray(0, 8)]).toEqual([4, 0, 4, 1, 4, 2, 4, 3]);
  });

  test('a count is at most 255', () => {
    const voxels = new Uint8Array(512);
    expect(encodePairs(voxels, 512, 'rows', output)).toBe(6);
    expect([...output.subarray(0, 6)]).toEqual([255, 0, 255, 0, 2, 0]);
  });
});

test('PARLE: the example from the post', () => {
  const [symbols, counts] = [new Uint32Array(8), new Uint32Array(8)];
  const runs = encodeRuns(Uint32Array.of(1, 2, 3, 6, 6, 6, 5, 5), symbols, counts);
  expect([...symbols.subarray(0, runs)]).toEqual([1, 2, 3, 6, 5]);
  expect([...counts.subarray(0, runs)]).toEqual([1, 1, 1, 3, 2]);
});

describe('variable-length codes', () => {
  test.each([0, 1, 2.5, 4, 7, 8])('bytes of %d bits have that entropy, and their codes decode', (entropy) => {
    const bytes = entropyBytes(entropy, 1 << 16);
    const counts = countBytes(bytes);
    expect(entropyOf(counts)).toBeCloseTo(entropy, 1);
    const table = huffmanCodes(counts);
    const bits = codedBits(counts, table);
    // The mean length of Huffman codes is at least one bit, and exceeds the entropy by less than one bit.
    expect(bits / bytes.length).toBeGreaterThanOrEqual(Math.max(1, entropyOf(counts)));
    expect(bits / bytes.length).toBeLessThan(entropyOf(counts) + 1.001);
    const words = new Uint32Array(bytes.buffer);
    const output = new Uint32Array(Math.ceil(bits / 32) + 1);
    encodeCodes(words, table, output);
    expect(decodeCodes(output, table, words.length)).toEqual(words);
  });

  test('with steeply falling counts, the rarest symbols have the longest codes', () => {
    const counts = Array.from({ length: 256 }, (_, symbol) => (symbol < 5 ? 2 ** symbol : 0));
    expect([...huffmanCodes(counts).subarray(256, 261)]).toEqual([4, 4, 3, 2, 1]);
  });
});

describe('MetalRice’s layout', () => {
  const random = createRandom(5);
  const noisy = Uint8Array.from({ length: 64 * 96 }, (_, index) => (index % 64 < 32 ? 100 + 9 * random() : 256 * random()));

  test('decodes to its picture', () => {
    const picture = encodeMetalRice(noisy, 64, 96);
    const pixels = new Uint8Array(noisy.length);
    decodeMetalRice(picture, pixels);
    expect(pixels).toEqual(noisy);
  });

  test('has the counted number of bits', () => {
    expect(encodeMetalRice(noisy, 64, 96).streamBytes).toBe(metalRiceSizes(noisy, 64, 96).stream);
  });
});
