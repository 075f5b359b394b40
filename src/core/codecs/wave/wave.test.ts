import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { firstDifference, fromHex, makeChunk } from '../../codec/chunk-testing.ts';
import { describeCodec } from '../../codec/codec-testing.ts';
import type { Dims3 } from '../../shared/volume.ts';
import { wave } from './index.ts';
import { flagChances, levelCount, phaseCount, searchTable, tokenCount, tokenFrequencies, tokenStarts } from './tables.ts';

const none = new Uint8Array(0);
const example = `06 05 0e 00 26 28 81 09 4a 20 fc 12 98 a0 04 26 28 01 09 62 00 00 00 48 6a b0 e6 9e 88 72 d2 6a 2f ce 7a f3 ee
  3f ${'00 '.repeat(40)} 14 00 00 48 7a 9f 91 d3`;

describeCodec(
  wave,
  [
    {
      name: 'SPEC.md, worked example',
      shape: [100, 1, 1],
      elementBytes: 1,
      voxels: `${'05 '.repeat(90)} 0a 0b 0c 0d 0e 0f 10 11 12 13`,
      parameters: '',
      payload: example,
    },
    {
      name: 'SPEC.md, two blocks of one value',
      shape: [66, 1, 2],
      elementBytes: 1,
      voxels: '05 '.repeat(132),
      parameters: '',
      payload: '02 00 00 00 00 05 00 05',
    },
    {
      name: 'elements of 4 bytes: a raw plane and one of one value',
      shape: [3, 1, 1],
      elementBytes: 4,
      voxels: '01 02 03 04 05 06 03 04 07 08 03 04',
      parameters: '',
      payload: '07 00 00 00 01 01 02 05 06 07 08 00 03 04',
    },
  ],
  { canonical: false },
);

/** A ball with a soft rim in an empty volume, with noise, from `low` to about `high`. */
function scan(low: number, high: number) {
  return (x: number, y: number, z: number, random: () => number) => {
    const inside = Math.max(0, Math.min(1, (26 - Math.hypot(x - 30, y - 28, 2 * z - 20)) / 6));
    const noise = ((random() % 256) + (random() % 256) - 256) / 256;
    const level = inside * (0.6 + 0.3 * Math.sin(x / 7) * Math.cos(y / 5));
    return inside === 0 ? low : Math.round(low + (high - low) * Math.max(0, level + 0.02 * noise));
  };
}

function expectRoundTrip(shape: Dims3, elementBytes: 1 | 2 | 4, pattern: ReturnType<typeof scan>): number {
  const chunk = makeChunk(shape, elementBytes, pattern);
  const payload = wave.reference.encode(chunk, none);
  expect(firstDifference(wave.reference.decode(payload, chunk, none), chunk.bytes)).toBe(undefined);
  return (8 * payload.length) / (shape[0] * shape[1] * shape[2]);
}

describe('scans are restored, and are small', () => {
  test.each([
    ['8 bits', 1, 0, 200, 2.7],
    ['12 bits', 2, 0, 3000, 5],
    ['all of 16 bits', 2, 0, 65535, 8.5],
    ['16 bits with a sign', 2, -32768, 32767, 8.5],
    ['12 bits with a sign', 2, -1000, 2000, 5],
    ['12 bits in 4 bytes', 4, 0, 3000, 5],
    ['with a sign in 4 bytes', 4, -1000, 2000, 6],
  ] as const)('%s', (_, elementBytes, low, high, most) => {
    expect(expectRoundTrip([64, 60, 20], elementBytes, scan(low, high))).toBeLessThan(most);
  });

  test('a sign does not make a part larger', () => {
    const plain = expectRoundTrip([40, 40, 20], 2, scan(0, 3000));
    expect(expectRoundTrip([40, 40, 20], 2, scan(-1500, 1500))).toBe(plain);
  });

  test('outliers at both ends of 16 bits do not decide the sign', () => {
    const noisy = (middle: number) => (x: number, y: number, z: number, random: () => number) => {
      if (x === 3 && y === 5) return z === 0 ? middle - 32768 : z === 1 ? middle + 32767 : middle;
      return middle + Math.round(2000 * Math.sin(x / 9)) + (random() % 256);
    };
    for (const middle of [0, 32768]) expect(expectRoundTrip([40, 40, 20], 2, noisy(middle)), `${middle}`).toBeLessThan(10);
  });

  test('a picture', () => {
    expect(expectRoundTrip([200, 100, 1], 1, scan(0, 200))).toBeLessThan(1.5);
  });
});

test('adjacent extremes of 16 bits are restored', () => {
  for (const shape of [
    [20, 20, 20],
    [90, 70, 1],
  ] as const) {
    expectRoundTrip(shape, 2, (x, y, z) => (((x >> 2) + (y >> 1) + z) % 3 === 0 ? 65535 : 0));
    expectRoundTrip(shape, 2, (x, y, z, random) => (x + y + z < 15 ? 3 * x : random()));
  }
});

describe('faulty payloads are corrupt', () => {
  const flipped = (at: number, bits: number) => fromHex(example).map((byte, i) => (i === at ? byte ^ bits : byte));
  test.each([
    ['nothing', none, /no part 0/],
    ['an unknown first byte', flipped(0, 1), /no known kind/],
    ['three special values', flipped(0, 8), /no known kind/],
    ['a range of 0', flipped(2, 0x0e), /one value/],
    ['a special value beyond the range', flipped(3, 0x0f), /special values/],
    ['bits behind the lengths', flipped(80, 0x80), /behind its lengths/],
    ['a lane that is too long', flipped(78, 4), /as long as its lanes/],
    ['a first state below the lowest', flipped(81, 0x48), /below its lowest/],
    ['another last state', flipped(83, 1), /./],
    ['one value and a byte', fromHex('00 05 05'), /as long as its elements/],
  ])('%s', (_, payload, message) => {
    const decode = () => wave.reference.decode(payload, { shape: [100, 1, 1], elementBytes: 1 }, none);
    expect(decode).toThrow(message);
    expect(decode).toThrow(expect.objectContaining({ tag: 'corrupt' }));
  });

  test.each([
    ['lengths that end too early', '02 00 00', /ends within its lengths/],
    ['a part of no bytes', '00 00 00 00 00 05', /no part 0/],
    ['a part that is longer than the payload', '09 00 00 00 00 05 00 05', /no part 0/],
    ['no bytes for the last part', '04 00 00 00 00 05 00 05', /no part 1/],
  ])('%s', (_, payload, message) => {
    const decode = () => wave.reference.decode(fromHex(payload), { shape: [66, 1, 2], elementBytes: 1 }, none);
    expect(decode).toThrow(message);
  });
});

test('SPEC.md prints the tables that the code uses', () => {
  const text = readFileSync(new URL('SPEC.md', import.meta.url), 'utf8');
  const printed = [...text.matchAll(/```\n([0-9a-f\n]+)```/g)].map((match) => (match[1] as string).replace(/\n/g, ''));
  const digits = (table: Uint16Array) => Array.from(table, (number) => number.toString(16).padStart(3, '0')).join('');
  expect(printed).toEqual([digits(flagChances), digits(tokenFrequencies)]);
});

test('the search table leads to the token of each slot, in two steps', () => {
  const words = searchTable();
  const halves = new Uint16Array(words.buffer);
  const found: number[] = [];
  const expected: number[] = [];
  for (let table = 0; table < levelCount * phaseCount; table++) {
    for (let token = 0; token < tokenCount; token++) {
      const [start, end] = tokenStarts.subarray(table * (tokenCount + 1) + token) as unknown as [number, number];
      for (const slot of [start, end - 1]) {
        const group = halves.subarray(64 * table, 64 * table + 6).filter((first) => first <= slot).length;
        const tokens = words.subarray(32 * table + 4 + 4 * group, 32 * table + 8 + 4 * group);
        const inGroup = tokens.filter((word) => word >>> 16 <= slot).length - 1;
        const word = tokens[inGroup] as number;
        found.push(4 * group + inGroup, word >>> 16, word & 0xffff);
        expected.push(token, start, end - start);
      }
    }
  }
  expect(found).toEqual(expected);
});
