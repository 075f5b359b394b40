import { describe, expect, test } from 'vitest';
import { firstDifference, fromHex, makeChunk, testPatterns } from '../../codec/chunk-testing.ts';
import type { ChunkVoxels } from '../../codec/codec.ts';
import { describeCodec } from '../../codec/codec-testing.ts';
import type { Dims3 } from '../../shared/volume.ts';
import { pictureGeometry, volumeGeometry } from './bricks.ts';
import { classCount, classOf, headBits, tailBits } from './classes.ts';
import { predict } from './index.ts';
import { parametersOf, payloadBound } from './layout.ts';
import { medianPredictor, reconstruct, symbolsOf } from './predictors.ts';

describeCodec(
  predict,
  [
    {
      name: 'SPEC.md, worked example',
      shape: [6, 2, 1],
      elementBytes: 2,
      voxels: '2c 01 36 01 4a 01 54 01 68 01 72 01  2d 01 37 01 4a 01 54 01 68 01 0e 01',
      parameters: '01',
      payload: '02 00 00 00 2c 01 00 00 06 00 00 00 00 a0 c0 00 00 05 0a 05 0a 05 00 00 00 00 00 31',
    },
    {
      name: 'two heads in a byte',
      shape: [6, 2, 1],
      elementBytes: 1,
      voxels: '14 14 15 15 16 16  14 14 15 15 16 15',
      parameters: '01',
      payload: '02 00 00 00 14 00 00 00 01 00 00 00 00 02 02 00 00 10 00 00',
    },
    {
      name: 'two planes of 2 bytes, the low one flat: 1, 1.5, 2, 2.25 as f32',
      shape: [4, 1, 1],
      elementBytes: 4,
      voxels: '00 00 80 3f 00 00 c0 3f 00 00 00 40 00 00 10 40',
      parameters: '00',
      payload: '0f 01 00 00 00 00 80 3f 07 00 00 00 00 00 00 00 00 10 10 04',
    },
    {
      name: 'a ramp that wraps, across two bricks and two classes',
      shape: [18, 1, 1],
      elementBytes: 1,
      voxels: 'fa fb fc fd fe ff 00 01 02 03 04 05 06 07 08 09 0a 0b',
      parameters: '00',
      payload: '01 01 00 00 fa 0a 00 00 22 22 00 00 01 00 00 00 20 00 00 00 00 02 02 02 02 02 02 02 02 02 02 02 02 02 02 02',
    },
    {
      name: 'a constant picture of two bricks, of two blocks and one',
      shape: [70, 1, 1],
      elementBytes: 1,
      voxels: '09 '.repeat(70),
      parameters: '01',
      payload: '0f 0f 0f 00 09 09 09 00',
    },
  ],
  { canonical: false },
);

const volume = Uint8Array.of(0);
const volumeWithMedians = parametersOf({ geometry: volumeGeometry, tryMedian: true });
const pictureWithMedians = parametersOf({ geometry: pictureGeometry, tryMedian: true });

function encoded(chunk: ChunkVoxels, parameters: Uint8Array): Uint8Array {
  const payload = predict.reference.encode(chunk, parameters);
  expect(firstDifference(predict.reference.decode(payload, chunk, parameters), chunk.bytes)).toBe(undefined);
  return payload;
}

/** A slope with nearly normal noise that spreads over about `noise` values. */
const scan = (noise: number) => (x: number, y: number, z: number, random: () => number) => {
  let sum = 0;
  for (let i = 0; i < 4; i++) sum += random() % noise;
  return 3 * x + 2 * y + 5 * z + sum;
};

describe('with medians', () => {
  for (const elementBytes of predict.elementBytes) {
    test(`${elementBytes}-byte elements, volumes and pictures`, () => {
      for (const pattern of [...Object.values(testPatterns), scan(3), scan(100), scan(20000)]) {
        const chunk = makeChunk([37, 21, 19], elementBytes, pattern);
        expect(encoded(chunk, volumeWithMedians).byteLength).toBeLessThanOrEqual(payloadBound(chunk, volumeGeometry));
        encoded(makeChunk([70, 37, 3], elementBytes, pattern), pictureWithMedians);
      }
    });
  }

  test('they are chosen for noise on a slope, and only if they are allowed', () => {
    const chunk = makeChunk([16, 16, 16], 1, scan(6));
    expect(encoded(chunk, volumeWithMedians)[0]).toBe(medianPredictor);
    expect(encoded(chunk, volume)[0]).toBeLessThan(medianPredictor);
  });
});

test.each([0, 1, 2, 3, 4, 5, 6, 7, medianPredictor])('predictor %i: round trip of a block', (predictor) => {
  const extent: Dims3 = [5, 4, 3];
  const block = Uint16Array.from({ length: 60 }, (_, i) => (i * i * 4099 + 77) & 0xffff);
  const residuals = symbolsOf(block, extent, predictor, 16).map((symbol) => (symbol >>> 1) ^ -(symbol & 1));
  expect(residuals[0]).toBe(0);
  residuals[0] = 77;
  reconstruct(residuals, extent, predictor, 16);
  expect([...residuals]).toEqual([...block]);
});

test('predictors 6 to 8 use their neighbours, in a block of 2 × 2 × 2', () => {
  // Elements 1 2 4 8 16 32 64 128 in memory order, so that each residual shows which neighbours are subtracted.
  const residualsOf = (predictor: number) => {
    const symbols = symbolsOf(Uint16Array.of(1, 2, 4, 8, 16, 32, 64, 128), [2, 2, 2], predictor, 16);
    return [...symbols].map((symbol) => (symbol >>> 1) ^ -(symbol & 1));
  };
  expect(residualsOf(6)).toEqual([0, 2 - 1, 4 - 1, 8 - 4, 16 - 1, 32 - 16 - 2 + 1, 64 - 4, 128 - 64 - 8 + 4]);
  expect(residualsOf(7)).toEqual([0, 2 - 1, 4 - 1, 8 - 2, 16 - 1, 32 - 2, 64 - 16 - 4 + 1, 128 - 32 - 8 + 2]);
  // For the last element, 64 is the median of 64, 32, 8, 64 + 32 − 16, 64 + 8 − 4, 32 + 8 − 2 and 91.
  expect(residualsOf(medianPredictor)).toEqual([0, 1, 3, 8 - 4, 15, 32 - 16, 64 - 16, 128 - 64]);
});

test('a class holds the largest symbol, and rises with the mean', () => {
  expect(classOf(0, 0, 64, 8)).toBe(0);
  expect(classOf(95, 15, 64, 8)).toBe(1);
  expect(classOf(96, 15, 64, 8)).toBe(2);
  expect(classOf(16, 16, 64, 8)).toBe(2);
  expect(classOf(64 * 255, 255, 64, 8)).toBe(8);
  expect(classOf(64 * 65535, 65535, 64, 16)).toBe(classCount(16));
  for (let symbol = 1; symbol < 65536; symbol++) {
    const lone = classOf(symbol, symbol, 64, 16);
    if (symbol >> tailBits(lone, 16) >= 2 ** headBits(lone)) expect.fail(`symbol ${symbol}, class ${lone}`);
  }
});

test('sections add up to the payload, without the empty ones', () => {
  const chunk = makeChunk([40, 20, 20], 2, scan(300));
  const payload = encoded(chunk, volume);
  const sections = predict.reference.sections?.(payload, chunk, volume) ?? [];
  expect(sections.reduce((sum, length) => sum + length, 0)).toBe(payload.byteLength);
  expect(sections.length).toBeGreaterThan(4);
  expect(sections.every((length) => length > 0 && length % 4 === 0)).toBe(true);
});

test('noise is at most 1 % longer than its voxels', () => {
  for (const elementBytes of predict.elementBytes) {
    const chunk = makeChunk([64, 64, 64], elementBytes, (_x, _y, _z, random) => random());
    expect(predict.encodedBound(chunk)).toBeLessThan(1.01 * chunk.bytes.byteLength);
    expect(encoded(chunk, volume).byteLength).toBeLessThanOrEqual(predict.encodedBound(chunk));
  }
});

const picture = { shape: [6, 2, 1] as const, elementBytes: 1 as const };
const whole = '02 00 00 00 14 00 00 00 01 00 00 00 00 02 02 00 00 10 00 00';

test.each([
  ['an unknown predictor', whole.replace('02', '08'), /predictor 8/],
  ['nonzero bytes after the predictors', whole.replace('02 00', '02 01'), /after its predictors or bases/],
  ['nonzero bytes after the bases', whole.replace('14 00', '14 01'), /after its predictors or bases/],
  ['a class too high', whole.replace('01 00 00 00 00 02', '09 00 00 00 00 02'), /class 9/],
  ['nonzero bits after the classes', whole.replace('01 00 00 00 00 02', '11 00 00 00 00 02'), /classes are followed/],
  ['nonzero bits after the heads', whole.replace('10 00 00', '10 01 00'), /followed by nonzero bits/],
  ['a residual of its first element', whole.replace('00 02 02', '01 02 02'), /first element/],
  ['a class that makes it longer', whole.replace('01 00 00 00 00 02', '02 00 00 00 00 02'), /its sections end at 24/],
  ['a flat brick with more data', whole.replace('02', '0f'), /its sections end at 8/],
  ['an end inside the bases', whole.slice(0, 3 * 7 - 1), /in its predictors and bases/],
  ['an end inside the classes', whole.slice(0, 3 * 10 - 1), /in its classes/],
])('%s is refused with its reason', (_, payload, reason) => {
  expect(() => predict.reference.decode(fromHex(payload), picture, Uint8Array.of(1))).toThrow(reason);
});

test('a brick that is flat in only one block is refused', () => {
  const shape: Dims3 = [40, 1, 1];
  expect(() =>
    predict.reference.decode(fromHex('0f 01 00 00 09 09 00 00'), { shape, elementBytes: 1 }, Uint8Array.of(1)),
  ).toThrow(/flat in only some of its blocks/);
});
