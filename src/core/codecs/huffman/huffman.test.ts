import { describe, expect, test } from 'vitest';
import { firstDifference, fromHex, testRandom } from '../../codec/chunk-testing.ts';
import { describeCodec } from '../../codec/codec-testing.ts';
import { codeLengths, maxTableBytes, packLengths, unpackLengths } from './code.ts';
import { huffman } from './index.ts';
import { maxSections } from './layout.ts';

describeCodec(
  huffman,
  [
    {
      name: 'SPEC.md, worked example',
      shape: [24, 1, 1],
      elementBytes: 1,
      voxels: '00 00 00 05 00 07 00 00 05 00 00 00 07 05 00 00 00 00 05 00 00 00 00 00',
      parameters: '',
      payload: '01 62 03 d1 22 20 04 00 c8 84 83 00',
    },
    {
      name: 'SPEC.md, worked example with segments',
      shape: [600, 1, 1],
      elementBytes: 1,
      voxels: '01 00 00 '.repeat(200),
      parameters: '',
      payload: `01 e2 12 01 11 4d 00 c8 00 ${'99 '.repeat(25)}${'44 '.repeat(25)}${'22 '.repeat(25)}`,
    },
    {
      name: 'SPEC.md, worked example with planes',
      shape: [3, 1, 1],
      elementBytes: 2,
      voxels: '05 01 05 02 05 03',
      parameters: '',
      payload: '02 0d 0c 05 01 02 03',
    },
    {
      name: 'four planes, three of them single: 0, 1, 0, 1 …',
      shape: [40, 1, 1],
      elementBytes: 4,
      voxels: '00 07 08 09 01 07 08 09 '.repeat(20),
      parameters: '',
      payload: '04 a2 01 a1 01 a1 01 a1 01 01 11 05 00 aa aa aa aa aa 07 08 09',
    },
  ],
  { canonical: false },
);

const none = new Uint8Array(0);

/** The payload, after checking that it decodes to the same bytes. */
function encoded(bytes: Uint8Array, sections?: readonly number[]): Uint8Array {
  const chunk = { bytes, shape: [bytes.length, 1, 1] as const, elementBytes: 1 as const, sections };
  const payload = huffman.reference.encode(chunk, none);
  expect(firstDifference(huffman.reference.decode(payload, chunk, none), bytes)).toBe(undefined);
  expect(huffman.decodedLength?.(payload)).toBe(bytes.length);
  return payload;
}

/** `length` bytes with about `bits` bits of entropy each: run lengths of heads, from a suitably biased coin. */
function bytesOfEntropy(bits: number, length: number): Uint8Array {
  const random = testRandom(9);
  if (bits === 8) return Uint8Array.from({ length }, () => random());
  const spread = 2 ** bits / Math.E;
  return Uint8Array.from({ length }, () => Math.min(255, Math.floor(-Math.log((random() + 1) / 2 ** 32) * spread)));
}

/** The optimal length without a limit on codes, in bits: the sum of the weights of all inner nodes. */
function huffmanBits(counts: Uint32Array): number {
  const weights = [...counts].filter((count) => count > 0);
  let bits = 0;
  while (weights.length > 1) {
    weights.sort((a, b) => b - a);
    const sum = (weights.pop() as number) + (weights.pop() as number);
    bits += sum;
    weights.push(sum);
  }
  return bits;
}

function countsOf(bytes: Uint8Array): Uint32Array {
  const counts = new Uint32Array(256);
  for (const byte of bytes) counts[byte] = (counts[byte] as number) + 1;
  return counts;
}

describe('against the optimum', () => {
  test.each([0.02, 0.5, 1, 2, 3, 4, 5, 6, 7, 7.6])('%d bits: the payload is within 1 %% of it, plus the side cost', (bits) => {
    const bytes = bytesOfEntropy(bits, 2 ** 18);
    const payload = encoded(bytes);
    const optimum = huffmanBits(countsOf(bytes)) / 8;
    // SPEC.md, 'Side cost': the section's, and for each of 8 tiles 4 bytes and at most 8 bits per segment.
    const side = 134 + 8 * (4 + 127);
    expect(payload.length).toBeLessThan(1.01 * optimum + side);
    expect(payload.length).toBeGreaterThanOrEqual(optimum);
  });

  test('bytes of 8 bits stay plain', () => {
    expect(encoded(bytesOfEntropy(8, 5000)).length).toBe(5000 + 1 + 3);
  });

  test.each([
    ['Fibonacci numbers, which give the deepest possible tree', Array.from({ length: 40 }, (_, i) => Math.round(1.618 ** i))],
    ['one in a million', [1e6, 1, 1]],
    ['equal counts', new Array<number>(256).fill(3)],
    ['two', [1, 1]],
    ['powers of two', Array.from({ length: 30 }, (_, i) => 2 ** i)],
    ['eight frequent and 248 rare symbols', Array.from({ length: 256 }, (_, i) => (i < 8 ? 1e5 : 1))],
  ])('codes of %s: complete, 12 bits at most, near the optimum', (_, numbers) => {
    const counts = new Uint32Array(256);
    counts.set(numbers);
    const lengths = codeLengths(counts);
    expect(Math.max(...lengths)).toBeLessThanOrEqual(12);
    expect(lengths.reduce((sum, length) => sum + (length > 0 ? 2 ** -length : 0), 0)).toBe(1);
    const bits = lengths.reduce((sum, length, symbol) => sum + length * (counts[symbol] as number), 0);
    expect(bits).toBeLessThanOrEqual(1.01 * huffmanBits(counts));
  });
});

test('the table of any code survives a round trip, and has at most 128 bytes', () => {
  const random = testRandom(3);
  for (let round = 0; round < 500; round++) {
    const density = 1 + (random() % 40);
    const counts = Uint32Array.from({ length: 256 }, () => (random() % density === 0 ? random() >>> (random() % 32) : 0));
    counts[random() % 255] = 1;
    counts[255 - (round % 2)] = 5;
    if (counts.filter((count) => count > 0).length < 2) continue;
    const lengths = codeLengths(counts.map((count) => count >>> 9));
    if (lengths.filter((length) => length > 0).length < 2) continue;
    const packed = packLengths(lengths);
    expect(packed.length).toBeLessThanOrEqual(maxTableBytes);
    expect([...unpackLengths(packed)]).toEqual([...lengths]);
  }
});

describe('sections', () => {
  test('each has its own code', () => {
    const low = bytesOfEntropy(3, 4000);
    const high = low.map((byte) => 255 - byte);
    const both = Uint8Array.of(...low, ...high);
    expect(encoded(both, [4000, 4000]).length).toBeLessThan(0.8 * encoded(both).length);
  });

  test('a constant one costs only its symbol', () => {
    const bytes = Uint8Array.of(...new Uint8Array(500).fill(3), ...new Uint8Array(700).fill(4));
    expect([...encoded(bytes, [500, 700])]).toEqual([2, 0xd1, 0x0f, 0xf1, 0x15, 3, 4]);
  });

  test('empty ones are omitted, and those after the sixteenth are joined to it', () => {
    const bytes = bytesOfEntropy(3, 1000);
    const payload = encoded(bytes, [0, 1, 2, 3, 0, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 800, 64]);
    expect(payload[0]).toBe(maxSections);
    expect(payload.slice(1, 16).map((head) => head >> 2)).toEqual(Uint8Array.from({ length: 15 }, (_, i) => i + 1));
  });

  test('lengths that do not add up to the chunk are refused', () => {
    expect(() => encoded(new Uint8Array(9), [4, 4])).toThrow(/do not add up/);
  });
});

test('several tiles, the last of them short', () => {
  for (const length of [32767, 32768, 32769, 33025, 100_001]) encoded(bytesOfEntropy(2, length));
});

test.each([
  ['no header', '', /0 sections/],
  ['seventeen sections', '11 04', /17 sections/],
  ['a length cut off', '01 e2', /no valid length for section 0/],
  ['a length of six bytes', '01 e2 80 80 80 80 00', /no valid length for section 0/],
  ['a length that ends with a zero byte', '01 e2 00', /ends with a zero byte/],
  ['kind 3', '01 63 00', /kind 3/],
  ['an empty section', '02 62 02', /0 symbols/],
  ['another chunk', '01 66 03 d1 22 20 04 00 c8 84 83 00', /do not add up/],
  ['no table', '01 62', /1 bytes too early/],
  ['a table cut off', '01 62 03 d1 22', /too early/],
  ['a code that is not complete', '01 62 03 d1 32 20 04 00 c8 84 83 00', /3584 of 4096/],
  ['a code of one symbol', '01 62 01 01 04 00 c8 84 83 00', /2048 of 4096/],
  ['too many symbols', '01 62 03 fe 1f 11 04 00 c8 84 83 00', /more than 256 symbols/],
  ['a tile too long for the payload', '01 62 03 d1 22 20 05 00 c8 84 83 00', /1 bytes too early/],
  ['a tile too short for its symbols', '01 62 03 d1 22 20 03 00 c8 84 83', /too early/],
  ['a tile longer than its symbols', '01 62 03 d1 22 20 05 00 c8 84 83 00 00', /ends at bit/],
  ['nonzero padding', '01 62 03 d1 22 20 04 00 c8 84 83 80', /ends at bit/],
  ['bytes after the sections', '01 62 03 d1 22 20 04 00 c8 84 83 00 00', /sections end at 12/],
])('%s is refused with its reason', (_, payload, reason) => {
  const bytes = payload === '' ? none : fromHex(payload);
  expect(() => huffman.reference.decode(bytes, { shape: [24, 1, 1], elementBytes: 1 }, none)).toThrow(reason);
});

test('a segment longer than its tile says is refused', () => {
  const bytes = Uint8Array.from({ length: 600 }, (_, i) => Number(i % 3 === 0));
  const payload = encoded(bytes);
  expect(payload[7]).toBe(200);
  expect(() => huffman.reference.decode(payload.with(7, 199), { shape: [600, 1, 1], elementBytes: 1 }, none)).toThrow(
    /segment 0 has 200 bits instead of the stated 199/,
  );
});
