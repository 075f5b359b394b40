import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  firstDifference,
  makeChunk,
  type TestPattern,
  type TestPatterns,
  testPatterns,
  testRandom,
  testShapes,
} from '../../codec/chunk-testing.ts';
import type { ChunkVoxels, CodecElementBytes } from '../../codec/codec.ts';
import { chunksToDamage } from '../../codec/codec-testing.ts';
import { damagedCopies, WasmTwin } from '../../codec/wasm-codec-testing.ts';
import type { Dims3 } from '../../shared/volume.ts';
import { predict } from './index.ts';
import { reference } from './reference.ts';
import { wasm } from './wasm.ts';

/** Volume and picture, without the median and with it. */
const modes = [0, 1, 16, 17];

/** Slopes, noise, waves and steps. */
const patterns: TestPatterns = {
  ...testPatterns,
  'noise of few bits': (_x, _y, _z, random) => 128 + (random() % 23),
  'noise of many bits': (_x, _y, _z, random) => 4000 + (random() % 900),
  waves: (x, y, z, random) => 1000 + 90 * Math.sin(x / 5) + 200 * Math.cos(y / 7 + z / 9) + (random() % 4),
  'slices of their own': (x, y, z, random) => Math.imul(z, 0x9e3779b1) + x + y + (random() % 3),
  'unrelated columns': (x, y, _z, random) => Math.imul(x + 64 * y, 0x9e3779b1) + (random() % 3),
  'unrelated rows': (x, y, z) => Math.imul(y, 0x9e3779b1) + x * z,
  'a product': (x, y, z) => x * y + z * z * x,
  'flat bricks': (x, y, z) => (x >> 4) + 5 * (y >> 4) + 9 * (z >> 4) + (x > 40 && y > 40 ? x & 1 : 0),
  'noise that grows': (x, y, z, random) => 32768 + (random() % (1 + ((x * x + y * y + z * z) << 3))),
};

const twin = new WasmTwin(reference, wasm);
const expectSame = (chunk: ChunkVoxels, mode: number, hint: string) => twin.expectSame(chunk, Uint8Array.of(mode), hint);

describe('predict in WebAssembly gives the same results as the reference', () => {
  const shapes: Dims3[] = [
    ...testShapes,
    [16, 16, 16],
    [32, 16, 8],
    [40, 20, 12],
    [17, 33, 19],
    [3, 16, 5],
    [70, 66, 1],
    [1, 2, 9],
  ];
  for (const elementBytes of predict.elementBytes) {
    test(`chunks of every shape, ${elementBytes}-byte elements`, () => {
      let number = 0;
      for (const shape of shapes) {
        // The reference is slow, so large chunks get only every eighth pattern.
        const isLarge = shape[0] * shape[1] * shape[2] > 2 ** 13;
        for (const [name, pattern] of Object.entries(patterns)) {
          number++;
          if (isLarge && number % 8 !== 0) continue;
          expectSame(
            makeChunk(shape, elementBytes, pattern),
            modes[(number + (number >> 3)) % 4] as number,
            `${shape.join('×')} ${name}`,
          );
        }
      }
    });
  }

  test('anything (property)', () => {
    const side = fc.integer({ min: 1, max: 21 });
    fc.assert(
      fc.property(
        fc.tuple(side, side, side),
        fc.constantFrom<CodecElementBytes>(1, 2, 4),
        fc.constantFrom(...Object.keys(patterns)),
        fc.constantFrom(...modes),
        fc.integer({ min: 1, max: 1e6 }),
        (shape, elementBytes, name, mode, seed) => {
          const pattern = patterns[name] as TestPattern;
          expectSame(makeChunk(shape, elementBytes, pattern, seed), mode, `${shape.join('×')} ${name} mode ${mode}`);
        },
      ),
      { numRuns: 150, seed: 1 },
    );
  });

  test.each([
    [0, 8],
    [1, 8],
    [16, 9],
    [17, 9],
  ])('every predictor is used in mode %i', (mode, predictors) => {
    const parameters = Uint8Array.of(mode);
    for (const elementBytes of [1, 2] as const) {
      const shape: Dims3 = mode % 2 === 0 ? [16, 16, 16] : [32, 32, 1];
      // Small residuals encoded under predictor 0, then decoded as another predictor's.
      const noise = makeChunk(shape, elementBytes, (x, y, z, random) => (x + y + z === 0 ? 0 : (random() % 7) - 3));
      const residuals = reference.encode(noise, parameters);
      expect(residuals[0]).toBe(0);
      const used = new Set<number>();
      for (let predictor = 0; predictor < predictors; predictor++) {
        const payload = residuals.slice();
        payload[0] = predictor;
        const chunk = { ...noise, bytes: reference.decode(payload, noise, parameters) };
        expect(firstDifference(wasm.decode(payload, noise, parameters) as Uint8Array, chunk.bytes)).toBeUndefined();
        expectSame(chunk, mode, `predictor ${predictor}`);
        used.add((wasm.encode(chunk, parameters) as Uint8Array)[0] as number);
      }
      // In a picture several predictors are the same.
      expect(used.size).toBeGreaterThanOrEqual(mode % 2 === 0 ? predictors : 4);
    }
  });

  test('damaged payloads: both refuse, or both give the same voxels', () => {
    const random = testRandom(3);
    const grows = patterns['noise that grows'] as TestPattern;
    const chunks = [...chunksToDamage(predict), makeChunk([18, 5, 9], 2, grows), makeChunk([40, 17, 1], 2, grows)];
    for (const [number, chunk] of chunks.entries()) {
      const parameters = Uint8Array.of(modes[number % 4] as number);
      const payload = reference.encode(chunk, parameters);
      for (const damaged of damagedCopies(payload, random, Math.max(1, payload.length >> 9)))
        twin.expectSameVerdict(damaged, chunk, parameters);
    }
    expect(twin.refused).toBeGreaterThan(1000);
    expect(twin.sound).toBeGreaterThan(1000);
  });

  test('unsupported input is left to the reference', () => {
    const chunk = makeChunk([8, 8, 2], 1, (x) => x);
    expect(wasm.encode({ ...chunk, bytes: new Uint8Array(7) }, Uint8Array.of(0))).toBeUndefined();
    expect(wasm.decode(new Uint8Array(2), chunk, Uint8Array.of(0))).toBeUndefined();
  });
});
