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
import type { ChunkVoxels } from '../../codec/codec.ts';
import { chunksToDamage } from '../../codec/codec-testing.ts';
import { damagedCopies, forAnyChunk, WasmTwin } from '../../codec/wasm-codec-testing.ts';
import type { Dims3 } from '../../shared/volume.ts';
import { rice } from './index.ts';
import { reference } from './reference.ts';
import { wasm } from './wasm.ts';

const volume = Uint8Array.of(0);
const picture = Uint8Array.of(1);
/** Parameters that allow predictors 8 to 15. */
const causalVolume = Uint8Array.of(16);
const causalPicture = Uint8Array.of(17);
const forms = [volume, picture, causalVolume, causalPicture] as const;

/** Slopes, noise, waves and steps. */
const patterns: TestPatterns = {
  ...testPatterns,
  'noise of few bits': (_x, _y, _z, random) => 128 + (random() % 23),
  'noise of many bits': (_x, _y, _z, random) => 4000 + (random() % 900),
  waves: (x, y, z, random) => 1000 + 90 * Math.sin(x / 5) + 200 * Math.cos(y / 7 + z / 9) + (random() % 4),
  'waves along y': (x, y, z) => 500 + 100 * Math.sin((x + 3 * z) / 40) + 90 * Math.sin(y / 2),
  'unrelated slices': (x, y, z, random) => Math.imul(z, 0x9e3779b1) + x + y + (random() % 3),
  'unrelated columns': (x, y, _z, random) => Math.imul(x + 64 * y, 0x9e3779b1) + (random() % 3),
  'unrelated rows': (x, y, z) => Math.imul(y, 0x9e3779b1) + x * z,
  'a product': (x, y, z) => x * y + z * z * x,
  'around the change of sign': (x, _y, z) => -3 + ((x + z) % 7),
  escapes: (_x, _y, _z, random) => (random() % 40 === 0 ? random() : 3 + (random() % 2)),
};

const twin = new WasmTwin(reference, wasm);
const expectSame = (chunk: ChunkVoxels, hint: string, form: Uint8Array) => twin.expectSame(chunk, form, hint);

describe('rice in WebAssembly gives the same results as the reference', () => {
  const shapes: Dims3[] = [
    ...testShapes,
    [16, 16, 16],
    [32, 16, 8],
    [40, 20, 12],
    [17, 33, 19],
    [3, 16, 5],
    [16, 3, 16],
    [1, 2, 9],
    [70, 66, 1],
  ];
  for (const elementBytes of rice.elementBytes) {
    test(`chunks of every shape, ${elementBytes}-byte elements`, () => {
      for (const shape of shapes) {
        // The reference is slow, so large chunks get only every fourth pattern.
        const isLarge = shape[0] * shape[1] * shape[2] > 2 ** 12;
        for (const [number, [name, pattern]] of Object.entries(patterns).entries()) {
          const form = forms[(number + (number >> 2)) % 4] ?? volume;
          if (!isLarge || number % 4 === 1) {
            expectSame(makeChunk(shape, elementBytes, pattern), `${shape.join('×')} ${name}, form ${form}`, form);
          }
        }
      }
    });
  }

  test('anything (property)', () => {
    const side = fc.integer({ min: 1, max: 21 });
    forAnyChunk(fc.tuple(side, side, side), patterns, 150, (chunk, hint, seed) => {
      const form = forms[2 * (seed % 2)] ?? volume;
      expectSame(chunk, `${hint}, form ${form}`, form);
    });
  });

  test('any picture (property)', () => {
    const side = fc.integer({ min: 1, max: 75 });
    forAnyChunk(fc.tuple(side, side, fc.integer({ min: 1, max: 2 })), patterns, 25, (chunk, hint, seed) => {
      const form = forms[1 + 2 * (seed % 2)] ?? picture;
      expectSame(chunk, `${hint}, form ${form}`, form);
    });
  });

  test.each([
    [1, volume, 8],
    [2, volume, 8],
    // In a picture, behind is left and Lorenzo is flat.
    [1, picture, 6],
    [2, picture, 6],
    [1, causalVolume, 16],
    [2, causalVolume, 16],
    [1, causalPicture, 14],
    [2, causalPicture, 14],
  ] as const)('every predictor is used, %i-byte elements, form %o', (elementBytes, form, different) => {
    const isPicture = form === picture || form === causalPicture;
    const count = form === causalVolume || form === causalPicture ? 16 : 8;
    const shape: Dims3 = isPicture ? [32, 32, 1] : [16, 16, 8];
    // Small residuals encoded under level, then decoded as another predictor's.
    const noise = makeChunk(shape, elementBytes, (x, y, z, random) => (x + y + z === 0 ? 0 : (random() % 7) - 3));
    const residuals = reference.encode(noise, form);
    const predictorOf = (payload: Uint8Array) => (payload[5] as number) & (count - 1);
    expect(predictorOf(residuals)).toBe(0);
    const used = new Set<number>();
    for (let predictor = 0; predictor < count; predictor++) {
      const payload = residuals.slice();
      payload[5] = (payload[5] as number) | predictor;
      const bytes = reference.decode(payload, noise, form);
      expect(firstDifference(wasm.decode(payload, noise, form) as Uint8Array, bytes), `predictor ${predictor}`).toBeUndefined();
      const chunk = { ...noise, bytes };
      expectSame(chunk, `predictor ${predictor}`, form);
      used.add(predictorOf(wasm.encode(chunk, form) as Uint8Array));
    }
    expect(used.size).toBe(different);
  });

  test('damaged payloads: both refuse, or both give the same voxels', () => {
    const random = testRandom(3);
    const chunks = [
      ...chunksToDamage(rice),
      makeChunk([18, 17, 5], 1, patterns.escapes as TestPattern),
      makeChunk([18, 5, 9], 2, patterns.escapes as TestPattern),
      makeChunk([40, 35, 1], 1, patterns.escapes as TestPattern),
      makeChunk([35, 20, 1], 2, patterns.waves as TestPattern),
    ];
    for (const [number, chunk] of chunks.entries()) {
      const form = forms[(chunk.shape[2] === 1 ? 1 : 0) + 2 * (number % 2)] ?? volume;
      const payload = reference.encode(chunk, form);
      for (const damaged of damagedCopies(payload, random, 3)) twin.expectSameVerdict(damaged, chunk, form);
    }
    expect(twin.refused).toBeGreaterThan(1000);
    expect(twin.sound).toBeGreaterThan(1000);
  });

  test('unsupported input is left to the reference', () => {
    const chunk = makeChunk([8, 8, 2], 1, (x) => x);
    expect(wasm.encode({ ...chunk, bytes: new Uint8Array(7) }, volume)).toBeUndefined();
    expect(wasm.decode(new Uint8Array(2), chunk, volume)).toBeUndefined();
  });
});
