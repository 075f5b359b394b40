import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { firstDifference, fromHex, makeChunk, statisticsOf, testPatterns, testRandom } from '../../codec/chunk-testing.ts';
import type { ChunkVoxels } from '../../codec/codec.ts';
import { describeCodec } from '../../codec/codec-testing.ts';
import type { Dims3 } from '../../shared/volume.ts';
import { chooseCode, partWorth } from './choice.ts';
import { rice } from './index.ts';

describeCodec(
  rice,
  [
    {
      name: 'SPEC.md, worked example',
      shape: [5, 2, 1],
      elementBytes: 2,
      voxels: '2c 01 30 01 36 01 39 01 40 01 2d 01 33 01 37 01 39 01 41 01',
      parameters: '00',
      payload: '03 00 00 00 13 67 09 30 8b 6e 00 00 00 20 0a 71',
    },
    {
      name: 'SPEC.md, worked example with an escape',
      shape: [8, 2, 1],
      elementBytes: 1,
      voxels: '14 14 14 14 14 14 14 14  14 14 14 14 14 14 14 5a',
      parameters: '01',
      payload: '02 00 00 00 81 a1 f8 ff 03 00 32 02',
    },
    {
      name: 'two planes of 2 bytes: 1, 1.5, 2, 2.25 as f32',
      shape: [4, 1, 1],
      elementBytes: 4,
      voxels: '00 00 80 3f 00 00 c0 3f 00 00 00 40 00 00 10 40',
      parameters: '00',
      payload: '01 00 02 00 00 00 00 00 07 01 fc 49 06 00 00 80',
    },
    {
      name: 'a ramp that wraps, across two bricks',
      shape: [18, 1, 1],
      elementBytes: 1,
      voxels: 'fa fb fc fd fe ff 00 01 02 03 04 05 06 07 08 09 0a 0b',
      parameters: '00',
      payload: '03 00 01 00 21 d1 47 4d f2 ff 01 00 00 f0 f0 f0 01 58 30 00',
    },
    {
      name: 'a constant picture of two bricks, of two blocks and one',
      shape: [70, 1, 1],
      elementBytes: 1,
      voxels: '09 '.repeat(70),
      parameters: '01',
      payload: '01 00 01 00 00 49 48 02 00 49 00 00',
    },
  ],
  { canonical: false },
);

/** `rice` with `--effort max`. */
const riceAtMax = { ...rice, name: 'rice, effort max', choose: chooseAtMax };

function chooseAtMax(...[statistics, chunk, options]: Parameters<typeof rice.choose>) {
  return rice.choose(statistics, chunk, { ...options, effort: 'max' });
}

describeCodec(
  riceAtMax,
  [
    {
      name: 'an edge, which the median predicts best',
      shape: [6, 3, 1],
      elementBytes: 1,
      voxels: '14 17 15 16 16 3c  16 17 14 14 3f 3f  16 17 17 3e 3e 3f',
      parameters: '11',
      payload: '04 00 00 00 04 48 f1 7f 00 03 08 c0 03 80 c0 04 85 ad 94 90',
    },
    {
      // So the element at (1, 1), 26, is predicted as (21·25 + 15·22 − 12·23 − 10·25 − 6·22 + 2·23 + 3·23 + 2·25 + 22 + 8) / 16 = 24.
      name: 'a noisy slope, which predictor 11 predicts best',
      shape: [8, 3, 1],
      elementBytes: 1,
      voxels: '17 16 18 1a 1f 22 23 22  19 1a 1a 1b 1d 1f 22 24  1a 1c 1b 1c 21 21 25 26',
      parameters: '11',
      payload: '03 00 00 00 02 7b 31 25 d7 42 5f a1 28 50 6c a0',
    },
  ],
  { canonical: false },
);

function encoded(chunk: ChunkVoxels): Uint8Array {
  const parameters = rice.choose(statisticsOf(chunk), chunk, { axis: 'auto' });
  const payload = rice.reference.encode(chunk, parameters);
  expect(firstDifference(rice.reference.decode(payload, chunk, parameters), chunk.bytes)).toBe(undefined);
  return payload;
}

/** A slope with nearly normal noise that spreads over about `noise` values. */
const scan = (noise: number) => (x: number, y: number, z: number, random: () => number) => {
  let sum = 0;
  for (let i = 0; i < 4; i++) sum += random() % noise;
  return 3 * x + 2 * y + 5 * z + sum;
};

describe('odd shapes', () => {
  const shapes: Dims3[] = [
    [1, 1, 1],
    [33, 7, 1],
    [5, 5, 5],
    [17, 33, 65],
    [65, 130, 2],
  ];
  for (const elementBytes of rice.elementBytes) {
    test.each(shapes.map((shape) => ({ shape, name: shape.join('×') })))(`${elementBytes}-byte elements, $name`, ({ shape }) => {
      for (const pattern of [...Object.values(testPatterns), scan(3), scan(100), scan(20000)]) {
        const chunk = makeChunk(shape, elementBytes, pattern);
        expect(encoded(chunk).byteLength).toBeLessThanOrEqual(rice.encodedBound(chunk));
      }
    });
  }
});

test('a picture of 2048×1536, and both geometries on any chunk', () => {
  encoded(makeChunk([2048, 1536, 1], 1, scan(4)));
  for (const geometry of [0, 1]) {
    const chunk = makeChunk([70, 20, 5], 2, scan(50));
    const payload = rice.reference.encode(chunk, Uint8Array.of(geometry));
    expect(firstDifference(rice.reference.decode(payload, chunk, Uint8Array.of(geometry)), chunk.bytes)).toBe(undefined);
  }
});

test('chunks of fewer than 4 slices are pictures', () => {
  const geometryOf = (shape: Dims3) => [...rice.choose({ changes: [1, 1, 1] }, { shape, elementBytes: 1 }, { axis: 'auto' })];
  expect(geometryOf([64, 64, 3])).toEqual([1]);
  expect(geometryOf([64, 64, 4])).toEqual([0]);
});

test('effort max adds a bit to the parameters, and makes noise smaller', () => {
  const smooth = (x: number, y: number, z: number) => 100 + 40 * Math.sin(x / 9) * Math.cos(y / 11) + 2 * z;
  const noisy: Parameters<typeof makeChunk>[2] = (x, y, z, random) =>
    Math.round(smooth(x, y, z)) + (random() % 10) + (random() % 10);
  for (const shape of [
    [32, 32, 32],
    [64, 64, 1],
  ] as const) {
    const chunk = makeChunk(shape, 1, noisy);
    const sizes = (['normal', 'max'] as const).map((effort) => {
      const parameters = rice.choose(statisticsOf(chunk), chunk, { axis: 'auto', effort });
      expect([...parameters]).toEqual([(effort === 'max' ? 16 : 0) + (shape[2] === 1 ? 1 : 0)]);
      return rice.reference.encode(chunk, parameters).byteLength;
    });
    expect((sizes[1] as number) / (sizes[0] as number)).toBeLessThan(0.98);
  }
});

test('counts of bits find a k within 0.2 % of the best, even with outliers', () => {
  const random = testRandom(5);
  let chosen = 0;
  let best = 0;
  for (let group = 0; group < 4000; group++) {
    const spread = 2 ** (group % 8);
    const outliers = group % 5;
    const symbols = Array.from({ length: 64 }, (_, i) =>
      i < outliers ? random() % 256 : Math.min(255, Math.floor(-Math.log((random() + 1) / 2 ** 32) * spread)),
    );
    const costs = Array.from({ length: 9 }, (_, code) => costOf(symbols, code));
    chosen += costs[chooseCode(symbols, 8)] as number;
    best += Math.min(...costs);
  }
  expect(chosen).toBeLessThan(1.002 * best);
});

/** Cost by SPEC.md's table of codes; infinite for a zero group that has nonzero symbols. */
function costOf(symbols: readonly number[], code: number, bits: 8 | 16 = 8): number {
  if (code === 0) return symbols.some((symbol) => symbol > 0) ? Number.POSITIVE_INFINITY : 0;
  if (code === (bits === 8 ? 8 : 15)) return bits * symbols.length;
  const k = code - 1;
  return symbols.reduce((sum, symbol) => sum + (symbol >> k < 15 ? (symbol >> k) + 1 + k : 16 + bits), 0);
}

describe('no group is longer than a raw group', () => {
  test.each([
    // Each bit alone is rare enough for k = 0, but not all of them together.
    ['escapes in four different bits', 8, [16, 32, 64, 128].flatMap((symbol) => Array<number>(15).fill(symbol))],
    // With k = 3 the quotients of 120 are exactly 15, and those of 512 and 8192 have a bit above each.
    [
      'quotients of exactly 15 beside escapes',
      16,
      [
        ...Array<number>(34).fill(0),
        ...Array<number>(12).fill(512),
        ...Array<number>(12).fill(8192),
        ...Array<number>(6).fill(120),
      ],
    ],
  ] as const)('%s', (_, bits, symbols) => {
    expect(costOf(symbols, chooseCode(symbols, bits), bits)).toBeLessThanOrEqual(bits * symbols.length);
  });

  test('groups of a few symbols, many of them escapes in different bits (property)', () => {
    const groups = fc.constantFrom<8 | 16>(8, 16).chain((bits) => {
      const symbol = fc.oneof(
        fc.constant(0),
        fc.nat(bits - 1).map((bit) => 1 << bit),
        fc.nat(bits - 4).map((bit) => 15 << bit),
        fc.nat(2 ** bits - 1),
      );
      // Each kind occurs as often as its share says.
      const kinds = fc.array(fc.record({ symbol, count: fc.nat(20) }), { minLength: 1, maxLength: 5 });
      return kinds.map((all) => ({
        bits,
        symbols: all.flatMap(({ symbol: one, count }) => Array<number>(count).fill(one)).slice(0, 64),
      }));
    });
    fc.assert(
      fc.property(groups, ({ bits, symbols }) => {
        expect(costOf(symbols, chooseCode(symbols, bits), bits)).toBeLessThanOrEqual(bits * symbols.length);
      }),
      { numRuns: 5000, seed: 1 },
    );
  });
});

test("a part's worth is its number of elements times a logarithm that is linear between powers of 2", () => {
  expect(partWorth(0, 5)).toBe(0);
  // L(2), L(3), L(4) and L(12) are 1, 1.5, 2 and 3.5 times 256.
  expect(partWorth(1, 1)).toBe(256);
  expect(partWorth(2, 1)).toBe(384);
  expect(partWorth(8, 4)).toBe(4 * 256 * (3.5 - 2));
  // L(1000) = L(1001) = 256 × 8 + 500, because 500.5 is rounded down. L(1003) = 256 × 8 + 501. L(7) = 256 × 1 + 448.
  expect([993, 994, 996].map((sum) => partWorth(sum, 7))).toEqual([7 * (2548 - 704), 7 * (2548 - 704), 7 * (2549 - 704)]);
  // The largest: powers of 2.
  expect(partWorth(32 * 255, 32)).toBe(32 * 256 * 8);
  expect(partWorth(16 * 0xffff, 16)).toBe(16 * 256 * 16);
});

describe("the order of a whole group's elements: SPEC.md, 'Bricks, blocks and groups' and 'Suffixes'", () => {
  const groups = [
    { name: 'volume', form: 0, bits: 8, shape: [4, 4, 4] },
    { name: 'volume', form: 0, bits: 16, shape: [4, 4, 2] },
    { name: 'picture', form: 1, bits: 8, shape: [8, 8, 1] },
    { name: 'picture', form: 1, bits: 16, shape: [8, 4, 1] },
  ] as const;

  describe.each(groups)('$name of $bits bits', ({ form, bits, shape }) => {
    const places = tiledPlaces(shape, bits);
    const raw = bits === 8 ? 8 : 15;
    const decode = (words: number, ones: readonly number[]) =>
      rice.reference.decode(brickOf(words, ones), { shape, elementBytes: bits === 8 ? 1 : 2 }, Uint8Array.of(form));
    // Only one element is nonzero: its symbol is 2^bit.
    const only = (index: number, bit: number) => {
      const elements = bits === 8 ? new Uint8Array(places.length) : new Uint16Array(places.length);
      elements[index] = bit === 0 ? -1 : 2 ** (bit - 1);
      return new Uint8Array(elements.buffer);
    };

    test('planes', () => {
      for (const [place, index] of places.entries()) {
        const e = place % 32;
        const n =
          bits === 8
            ? 8 * (e % 4) + Math.floor(e / 4)
            : 16 * (e % 2) + 8 * (Math.floor(e / 8) % 2) + 4 * Math.floor(e / 16) + (Math.floor(e / 2) % 4);
        const set = Math.floor(place / 32);
        for (let bit = 0; bit < bits; bit++) {
          // The first word holds predictor level, base 0 and the codes; 16 words of suffixes follow.
          const decoded = decode(17, [...onesOf(raw), 32 * (1 + set * bits + bit) + n]);
          expect(firstDifference(decoded, only(index, bit)), `place ${place}, bit ${bit}`).toBe(undefined);
        }
      }
    });

    test('prefixes', () => {
      const start = 8 + 3 + bits;
      for (const [place, index] of places.entries()) {
        // Code 1, k = 0: this quotient is 1, all others are 0.
        const prefixes = places.map((_, i) => start + i + (i < place ? 0 : 1));
        const decoded = decode(Math.ceil((start + places.length + 1) / 32), [...onesOf(1), ...prefixes]);
        expect(firstDifference(decoded, only(index, 0)), `place ${place}`).toBe(undefined);
      }
    });
  });
});

/** Indices of a whole group's elements, by tiles of one word × 4 rows. In both, x is fastest, then y, then z. */
function tiledPlaces([width, height, depth]: Dims3, bits: 8 | 16): number[] {
  const lanes = 32 / bits;
  const indices: number[] = [];
  for (let z = 0; z < depth; z++) {
    for (let tileY = 0; tileY < height; tileY += 4) {
      for (let tileX = 0; tileX < width; tileX += lanes) {
        for (let y = tileY; y < tileY + 4; y++) {
          for (let x = tileX; x < tileX + lanes; x++) indices.push((z * height + y) * width + x);
        }
      }
    }
  }
  return indices;
}

/** The numbers of the bits that are 1. */
function onesOf(value: number): number[] {
  return [0, 1, 2, 3].filter((bit) => (value >> bit) % 2 === 1);
}

/** A payload of one brick of `words` words, given the numbers of its bits that are 1. */
function brickOf(words: number, ones: readonly number[]): Uint8Array {
  const payload = new Uint8Array(4 + 4 * words);
  payload[0] = words;
  for (const bit of ones) {
    const at = 4 + (bit >> 3);
    payload[at] = (payload[at] as number) | (1 << (bit & 7));
  }
  return payload;
}

describe('sizes', () => {
  test('noise costs less than 1 % more than its voxels', () => {
    for (const elementBytes of rice.elementBytes) {
      const chunk = makeChunk([64, 64, 64], elementBytes, (_x, _y, _z, random) => random());
      expect(encoded(chunk).byteLength).toBeLessThan(1.01 * chunk.bytes.length);
    }
  });

  test('a constant chunk of 1-byte elements costs 6 bytes per brick', () => {
    expect(encoded(makeChunk([64, 64, 64], 1, () => 77)).byteLength).toBe(64 * 6);
  });

  test('slopes cost only the edges of their blocks', () => {
    const slope = makeChunk([64, 64, 64], 2, (x, y, z) => 700 * x + 300 * y + 5000 * z);
    expect(encoded(slope).byteLength * 8).toBeLessThan(1.6 * 64 ** 3);
  });

  test('noise around a slope costs about as much as its entropy', () => {
    // Differences of neighbours have a standard deviation of 5.7 × √2, so log2(σ √(2πe)) is 5.1 bits.
    const bits = (encoded(makeChunk([64, 64, 64], 1, scan(10))).byteLength * 8) / 64 ** 3;
    expect(bits).toBeGreaterThan(4.5);
    expect(bits).toBeLessThan(5.4);
  });

  test('isolated bright voxels are escapes and do not make others longer', () => {
    const chunk = makeChunk([64, 64, 64], 1, (x, y, z) => Number(x % 4 === 2 && y % 4 === 2 && z % 4 === 2) * 200);
    const bitsPerGroup = (encoded(chunk).byteLength * 8) / 16 ** 3;
    // 63 prefixes of 1 bit, an escape of 16 + 8 bits, and the brick's own bytes.
    expect(bitsPerGroup).toBeLessThan(63 + 24 + 1);
  });

  test('the low halves of floating-point noise cost no more than themselves', () => {
    const floats = new Float32Array(64 ** 3);
    const noise = makeChunk([64, 64, 64], 4, (_x, _y, _z, random) => random()).bytes;
    const words = new Uint32Array(noise.buffer);
    for (let i = 0; i < floats.length; i++) floats[i] = 1000 + (words[i] as number) / 2 ** 32;
    const chunk = { bytes: new Uint8Array(floats.buffer), shape: [64, 64, 64] as const, elementBytes: 4 as const };
    expect(encoded(chunk).byteLength).toBeLessThan(1.01 * chunk.bytes.length);
  });

  test('the estimate follows the size of scans, scattered voxels and noise within a factor of 3', () => {
    for (const pattern of [scan(4), scan(40), testPatterns.random, testPatterns.sparse] as const) {
      const chunk = makeChunk([64, 64, 64], 1, pattern as (typeof testPatterns)[string]);
      const statistics = statisticsOf(chunk);
      const estimate = rice.estimate(statistics, chunk, rice.choose(statistics, chunk, { axis: 'auto' }));
      const { byteLength } = encoded(chunk);
      expect(estimate / byteLength).toBeGreaterThan(1 / 3);
      expect(estimate / byteLength).toBeLessThan(3);
    }
  });
});

const picture = { shape: [8, 2, 1] as const, elementBytes: 1 as const };
test.each([
  ['no directory', '02 00 00', /in its directory of 4 bytes/],
  ['a directory with nonzero padding', '02 00 01 00 81 a1 f8 ff 03 00 32 02', /directory ends in nonzero bytes/],
  ['a brick too long for the payload', '03 00 00 00 81 a1 f8 ff 03 00 32 02', /brick 0 ends at 16/],
  ['bytes after the bricks', '02 00 00 00 81 a1 f8 ff 03 00 32 02 00', /has 13 bytes; its bricks end at 12/],
  ['a brick that is too short', '01 00 00 00 81 a1 f8 ff', /too early/],
  [
    'a brick that is too long',
    '03 00 00 00 81 a1 f8 ff 03 00 32 02 00 00 00 00',
    /suffixes start at bit 96; its escapes end at 58/,
  ],
  [
    'a superfluous word of zeros',
    '03 00 00 00 01 a1 f8 ff 00 40 00 a0 00 00 00 00',
    /suffixes start at bit 96; its escapes end at 64/,
  ],
  [
    'a brick too short for its suffixes',
    '04 00 00 00 08 a1 00 00 00 00 00 00 00 00 00 00 00 00 00 00',
    /16 bytes, too few for its suffixes/,
  ],
  [
    'prefixes that reach into the suffixes',
    '02 00 00 00 02 a1 f8 24 49 92 24 01',
    /suffixes start at bit 48; its escapes end at 57/,
  ],
  ['codes too wide', '02 00 00 00 d1 a1 f8 ff 03 00 32 02', /codes of 5 bits/],
  ['a code too high', '02 00 00 00 89 a1 f8 ff 03 00 32 02', /code 9; the highest is 8/],
  ['a prefix of 16 zeros', '02 00 00 00 81 a1 f8 ff 03 00 30 02', /more than 15 zero bits/],
  ['a wrong escape bit', '02 00 00 00 01 a1 f8 ff 03 00 32 02', /1 escapes, contrary to its escape bit/],
  ['an escape below 15', '02 00 00 00 81 a1 f8 ff 03 00 02 00', /escapes a quotient of 0/],
  [
    'a symbol of 256',
    '05 00 00 00 07 a1 f8 f0 7f 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00',
    /symbol 256 in elements of 8 bits/,
  ],
  ['nonzero padding', '02 00 00 00 81 a1 f8 ff 03 00 32 06', /nonzero bits before its suffixes/],
  ['nonzero padding before suffixes', '02 00 00 00 02 a1 f8 ff 0f 00 00 00', /nonzero bits before its suffixes/],
  ['a residual of its first element', '02 00 00 00 01 a1 f0 ff 0f 00 00 00', /first element/],
])('%s is refused with its reason', (_, payload, reason) => {
  expect(() => rice.reference.decode(fromHex(payload), picture, Uint8Array.of(1))).toThrow(reason);
});

test.each([
  ['none', '02 00 00 00 01 a1 f8 ff 00 40 00 a0', '14 14 14 14 14 14 14 14 14 14 14 14 14 1b 22 21'],
  ['31', '03 00 00 00 01 a1 f8 7f 00 20 00 50 01 00 00 00', '14 14 14 14 14 14 14 14 14 14 14 14 1b 22 21 20'],
])('padding may be 0 to 31 bits: %s', (_, payload, elements) => {
  expect([...rice.reference.decode(fromHex(payload), picture, Uint8Array.of(1))]).toEqual([...fromHex(elements)]);
});
