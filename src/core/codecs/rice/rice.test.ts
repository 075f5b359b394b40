import { describe, expect, test } from 'vitest';
import type { Dims3 } from '../../shared/volume.ts';
import type { ChunkVoxels } from '../codec.ts';
import { describeCodec } from '../describe-codec.ts';
import { firstDifference, fromHex, makeChunk, statisticsOf, testPatterns, testRandom } from '../test-chunks.ts';
import { chooseCode } from './choice.ts';
import { rice } from './index.ts';
import { accumulate, difference, fromSymbol, predictors, toSymbol } from './predictors.ts';

describeCodec(
  rice,
  [
    {
      name: 'SPEC.md, worked example',
      shape: [5, 2, 1],
      elementBytes: 2,
      voxels: '2c 01 30 01 36 01 39 01 40 01 2d 01 33 01 37 01 39 01 41 01',
      parameters: '00',
      payload: '09 00 13 62 09 10 50 c5 4a b4 1b',
    },
    {
      name: 'SPEC.md, worked example with an escape',
      shape: [6, 2, 1],
      elementBytes: 1,
      voxels: '14 14 15 15 16 16  14 14 15 15 16 5a',
      parameters: '01',
      payload: '08 00 81 a2 98 f9 03 00 22 02',
    },
    {
      name: 'two planes of 2 bytes: 1, 1.5, 2, 2.25 as f32',
      shape: [4, 1, 1],
      elementBytes: 4,
      voxels: '00 00 80 3f 00 00 c0 3f 00 00 00 40 00 00 10 40',
      parameters: '00',
      payload: '04 00 08 00 00 00 00 00 07 01 fc 01 00 00 4c 06',
    },
    {
      name: 'a ramp that wraps, across two bricks',
      shape: [18, 1, 1],
      elementBytes: 1,
      voxels: 'fa fb fc fd fe ff 00 01 02 03 04 05 06 07 08 09 0a 0b',
      parameters: '00',
      payload: '09 00 03 00 11 d1 77 00 48 52 55 55 15 01 51 48',
    },
    {
      name: 'a constant picture of two bricks, of two blocks and one',
      shape: [70, 1, 1],
      elementBytes: 1,
      voxels: '09 '.repeat(70),
      parameters: '01',
      payload: '04 00 03 00 00 49 48 02 00 49 00',
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

/** A slope with some noise on it, whose spread of about `noise` values is nearly normal. */
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

test.each(predictors.map((_, predictor) => predictor))(
  'predictor %i: sums undo differences, and keep the first element',
  (predictor) => {
    const extent: Dims3 = [5, 4, 3];
    const block = Uint16Array.from({ length: 60 }, (_, i) => (i * i * 4099 + 77) & 0xffff);
    const changed = block.slice();
    difference(changed, extent, predictor);
    expect(changed[0]).toBe(77);
    accumulate(changed, extent, predictor);
    expect([...changed]).toEqual([...block]);
  },
);

test('what each predictor predicts by, on a block of 2 × 2 × 2', () => {
  // Elements 1 2 4 8 16 32 64 128 in memory order: each residual names the neighbours that it takes off.
  const residualsOf = (predictor: number) => {
    const block = Uint16Array.of(1, 2, 4, 8, 16, 32, 64, 128);
    difference(block, [2, 2, 2], predictor);
    return [...block].map((value) => (value << 16) >> 16);
  };
  expect(residualsOf(0)).toEqual([1, 2, 4, 8, 16, 32, 64, 128]);
  expect(residualsOf(1)).toEqual([1, 2 - 1, 4 - 1, 8 - 4, 16 - 1, 32 - 16, 64 - 16, 128 - 64]);
  expect(residualsOf(2)).toEqual([1, 2 - 1, 4 - 1, 8 - 2, 16 - 1, 32 - 16, 64 - 16, 128 - 32]);
  expect(residualsOf(3)).toEqual([1, 2 - 1, 4 - 1, 8 - 4, 16 - 1, 32 - 2, 64 - 4, 128 - 8]);
  expect(residualsOf(4)).toEqual([1, 2 - 1, 4 - 1, 8 - 4 - 2 + 1, 16 - 1, 32 - 16, 64 - 16, 128 - 64 - 32 + 16]);
  expect(residualsOf(5)[7]).toBe(128 - 64 - 32 - 8 + 16 + 4 + 2 - 1);
});

test('symbols 0, 1, 2, 3, 4 are residuals 0, −1, 1, −2, 2; all of them come back', () => {
  expect([0, -1, 1, -2, 2].map((residual) => toSymbol(residual, 8))).toEqual([0, 1, 2, 3, 4]);
  expect([toSymbol(128, 8), toSymbol(127, 8), toSymbol(0x8000, 16)]).toEqual([255, 254, 65535]);
  for (let residual = 0; residual < 65536; residual++) {
    expect(fromSymbol(toSymbol(residual, 16))).toBe(residual);
    expect(fromSymbol(toSymbol(residual, 8)) & 255).toBe(residual & 255);
  }
});

test('four tries around the sum find a k as good as all do, within 0.1 %, also with outliers', () => {
  const random = testRandom(5);
  let chosen = 0;
  let best = 0;
  for (let group = 0; group < 4000; group++) {
    const spread = 2 ** (group % 8);
    const outliers = group % 5;
    const symbols = Array.from({ length: 64 }, (_, i) =>
      i < outliers ? random() % 256 : Math.min(255, Math.floor(-Math.log((random() + 1) / 2 ** 32) * spread)),
    );
    const costs = Array.from({ length: 9 }, (_, code) => (code === 0 ? Number.POSITIVE_INFINITY : costOf(symbols, code)));
    chosen += costs[chooseCode(symbols, 8)] as number;
    best += Math.min(...costs);
  }
  expect(chosen).toBeLessThan(1.001 * best);
});

/** By SPEC.md's table of codes; 8 is raw. */
function costOf(symbols: readonly number[], code: number): number {
  if (code === 8) return 8 * symbols.length;
  const k = code - 1;
  return symbols.reduce((sum, symbol) => sum + (symbol >> k < 15 ? (symbol >> k) + 1 + k : 16 + 8), 0);
}

describe('sizes', () => {
  test('noise costs less than 1 % more than its voxels', () => {
    for (const elementBytes of rice.elementBytes) {
      const chunk = makeChunk([64, 64, 64], elementBytes, (_x, _y, _z, random) => random());
      expect(encoded(chunk).byteLength).toBeLessThan(1.01 * chunk.bytes.length);
    }
  });

  test('a constant chunk costs 5 bytes a brick, of elements of 1 byte', () => {
    expect(encoded(makeChunk([64, 64, 64], 1, () => 77)).byteLength).toBe(64 * 5);
  });

  test('slopes cost what the edges of their blocks cost', () => {
    const slope = makeChunk([64, 64, 64], 2, (x, y, z) => 700 * x + 300 * y + 5000 * z);
    expect(encoded(slope).byteLength * 8).toBeLessThan(1.2 * 64 ** 3);
  });

  test('noise around a slope costs about as much as its entropy', () => {
    // Differences of neighbours with this noise have a standard deviation of 5.7 × √2: log2(σ √(2πe)) is 5.1 bits.
    const bits = (encoded(makeChunk([64, 64, 64], 1, scan(10))).byteLength * 8) / 64 ** 3;
    expect(bits).toBeGreaterThan(4.5);
    expect(bits).toBeLessThan(5.4);
  });

  test('lone bright voxels are escapes: the others pay nothing for them', () => {
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
      const parameters = rice.choose(statisticsOf(chunk), chunk, { axis: 'auto' });
      const estimate = rice.estimate(statisticsOf(chunk), chunk, parameters);
      expect(estimate / encoded(chunk).byteLength).toBeGreaterThan(1 / 3);
      expect(estimate / encoded(chunk).byteLength).toBeLessThan(3);
    }
  });
});

const picture = { shape: [6, 2, 1] as const, elementBytes: 1 as const };
test.each([
  ['no directory', '08', /in its directory of 2 bytes/],
  ['a brick too long for the payload', '09 00 81 a2 98 f9 03 00 22 02', /brick 0 ends at 11/],
  ['bytes behind the bricks', '08 00 81 a2 98 f9 03 00 22 02 00', /has 11 bytes; its bricks end at 10/],
  ['a brick too short for itself', '07 00 81 a2 98 f9 03 00 22', /too early/],
  ['a brick too long for itself', '09 00 81 a2 98 f9 03 00 22 02 00', /has 9 bytes; its streams end at bit 58/],
  ['a predictor that is none', '08 00 81 a6 98 f9 03 00 22 02', /predictor 6/],
  ['codes too wide', '08 00 d1 a2 98 f9 03 00 22 02', /codes of 5 bits/],
  ['a code too high', '08 00 89 a2 98 f9 03 00 22 02', /code 9; the highest is 8/],
  ['a prefix of 16 zeros', '08 00 81 a2 98 f9 03 00 20 02', /more than 15 zero bits/],
  ['an escape against its word', '08 00 01 a2 98 f9 03 00 22 02', /1 escapes against its word/],
  ['an escape below 15', '08 00 81 a2 98 f9 03 00 02 00', /escapes a quotient of 0/],
  ['a padding that is not 0', '08 00 81 a2 98 f9 03 00 22 06', /bits that are not 0/],
  ['a residual of its first element', '04 00 01 00 f0 ff', /first element/],
])('%s is refused with its reason', (_, payload, reason) => {
  expect(() => rice.reference.decode(fromHex(payload), picture, Uint8Array.of(1))).toThrow(reason);
});
