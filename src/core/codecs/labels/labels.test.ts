import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { firstDifference, fromHex, makeChunk, testPatterns, testRandom } from '../../codec/chunk-testing.ts';
import { describeCodec } from '../../codec/codec-testing.ts';
import type { Dims3 } from '../../shared/volume.ts';
import { labels } from './index.ts';
import { RangeDecoder, RangeEncoder } from './range-coder.ts';
import { guessWeights, missChance } from './tables.ts';

const none = new Uint8Array(0);

describeCodec(
  labels,
  [
    {
      name: 'SPEC.md, worked example',
      shape: [6, 4, 1],
      elementBytes: 1,
      voxels: '07 07 07 07 09 09  07 07 07 09 09 09  07 07 07 09 09 09  07 07 09 09 09 09',
      parameters: '',
      payload: '03 02 04 a0 33 09 07',
    },
    {
      name: 'SPEC.md, one label and as before',
      shape: [18, 1, 1],
      elementBytes: 1,
      voxels: '05 '.repeat(18),
      parameters: '',
      payload: '00 01 05',
    },
    {
      name: 'a second label, then a raw brick',
      shape: [18, 1, 1],
      elementBytes: 2,
      voxels: `${'01 02 '.repeat(16)} 03 02 01 02`,
      parameters: '',
      payload: '00 0d 01 02 03 02 01 02',
    },
    {
      name: 'labels of 4 bytes',
      shape: [4, 3, 1],
      elementBytes: 4,
      voxels: '05 00 00 00 05 00 00 00 06 00 00 01 06 00 00 01 '.repeat(3),
      parameters: '',
      payload: '04 02 09 5f 06 00 00 01 05 00 00 00',
    },
    {
      name: 'four labels: new ones that no guess has, and known ones by their number',
      shape: [8, 4, 1],
      elementBytes: 1,
      voxels: '01 01 02 02 03 03 04 04  01 01 02 02 03 03 04 01  01 01 02 02 03 03 03 04  04 01 02 02 03 03 03 02',
      parameters: '',
      payload: '04 02 0a 4d fd a3 d4 68 76 04 03 02 01',
    },
  ],
  { canonical: false },
);

/** Cells around jittered points, which resemble segmentations. */
function cells(x: number, y: number, z: number): number {
  const wave = 3 * Math.sin(x / 9 + z / 7) + 2 * Math.cos(y / 5);
  return 1000 * Math.floor((x + wave) / 14) + 100 * Math.floor((y + wave) / 11) + Math.floor((z + wave) / 17);
}

describe('segmentations', () => {
  test.each(labels.elementBytes)(
    '%i-byte elements survive a round trip and take less than a tenth of a bit per voxel and byte',
    (elementBytes) => {
      const chunk = makeChunk([64, 64, 64], elementBytes, cells);
      const payload = labels.reference.encode(chunk, none);
      expect(firstDifference(labels.reference.decode(payload, chunk, none), chunk.bytes)).toBe(undefined);
      expect(payload.length).toBeLessThan(64 ** 3 * 0.04 * (1 + elementBytes));
    },
  );

  test('noise costs only the directory', () => {
    const chunk = makeChunk([64, 64, 64], 1, testPatterns.random as (typeof testPatterns)[string]);
    const payload = labels.reference.encode(chunk, none);
    expect(payload.length).toBeLessThanOrEqual(labels.encodedBound(chunk));
    expect(payload.length).toBeLessThan(1.01 * chunk.bytes.length);
  });

  test.each([64, 65])('a brick of %i labels', (count) => {
    const chunk = makeChunk([16, 16, 16], 4, (x, y, z) => Math.floor((x + 16 * y + 256 * z) / 4) % count);
    const payload = labels.reference.encode(chunk, none);
    expect(payload[1]).toBe(count === 64 ? 2 : 3);
    expect(firstDifference(labels.reference.decode(payload, chunk, none), chunk.bytes)).toBe(undefined);
  });
});

describe('faulty payloads are corrupt', () => {
  const shape: Dims3 = [6, 4, 1];
  test.each([
    ['no directory', '', /no valid directory/],
    ['a first brick as before', '00 00', /begins with a brick that refers to a previous one/],
    ['lengths of 17 bits', '11 02 04 00 00', /no valid directory/],
    ['a brick longer than the payload', '03 02 07 a0 33 09 07', /brick 0 ends at/],
    ['a brick with an extra byte', '03 02 05 a0 33 00 09 07', /has 5 bytes; its elements take 4/],
    ['a brick with more labels than bytes', '03 02 01 ff', /more than \d+ labels|too early|elements take/],
    ['bytes after the last brick', '00 01 07 07', /bricks end at 3/],
  ])('%s', (_, payload, message) => {
    const decode = () => labels.reference.decode(payload === '' ? none : fromHex(payload), { shape, elementBytes: 1 }, none);
    expect(decode).toThrow(message);
    expect(decode).toThrow(expect.objectContaining({ tag: 'corrupt' }));
  });
});

test('SPEC.md lists the tables that the code uses', () => {
  const text = readFileSync(new URL('SPEC.md', import.meta.url), 'utf8');
  const [chances, ...weights] = [...text.matchAll(/```\n([0-9a-f\s]+)```/g)].map((match) => (match[1] as string).trim());
  expect((chances as string).split(/\s+/).map(Number)).toEqual(Array.from({ length: 97 }, (_, i) => missChance(-i)));
  const printed = weights.map((hex) => Int8Array.from(fromHex(hex.replace(/\s/g, '').replace(/../g, '$& '))));
  expect(printed).toEqual(guessWeights.flatMap(({ behind, near }) => [behind, near]));
});

test('the range coder decodes events of every chance, whatever follows the stream', () => {
  const random = testRandom(3);
  for (const length of [1, 2, 10, 5000]) {
    const events = Array.from({ length }, () => {
      const chance = 1 + (random() % 4095) ** (1 + (random() % 2)) / 4095 ** (random() % 2);
      const whole = Math.max(1, Math.min(4095, Math.floor(chance)));
      return { chance: whole, event: random() % 4096 < whole };
    });
    const encoder = new RangeEncoder();
    for (const { chance, event } of events) encoder.encode(chance, event);
    encoder.close();
    for (const behind of [0, 255]) {
      const decoder = new RangeDecoder(Uint8Array.from([...encoder.bytes, behind, behind, behind, behind]));
      for (const { chance, event } of events) expect(decoder.decode(chance)).toBe(event);
      expect(decoder.byteLength).toBe(encoder.bytes.length);
    }
  }
});
