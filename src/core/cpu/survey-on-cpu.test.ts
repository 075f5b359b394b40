import fc from 'fast-check';
import { expect, test } from 'vitest';
import { makeChunk, testPatterns, testShapes } from '../codec/chunk-testing.ts';
import type { CodecElementBytes } from '../codec/codec.ts';
import { survey } from '../codec/survey.ts';
import type { Dims3 } from '../shared/volume.ts';
import { surveyInWasm } from './survey-on-cpu.ts';

const patterns = {
  ...testPatterns,
  'noise of few bits': (_x: number, _y: number, _z: number, random: () => number) => 120 + (random() % 23),
  waves: (x: number, y: number, z: number, random: () => number) =>
    1000 + 90 * Math.sin(x / 5) + 200 * Math.cos(y / 7 + z / 9) + (random() % 4),
  'a product': (x: number, y: number, z: number) => x * y + z * z * x,
  'about the edge of signs': (x: number, _y: number, z: number) => -3 + ((x + z) % 7),
};

test.each([1, 2, 4] as const)('WebAssembly gives the same counts as the reference, %i-byte elements', (elementBytes) => {
  const shapes: Dims3[] = [...testShapes, [16, 8, 3], [17, 9, 2], [33, 24, 4], [64, 16, 4], [4, 7, 3]];
  for (const shape of shapes) {
    for (const [name, pattern] of Object.entries(patterns)) {
      const chunk = makeChunk(shape, elementBytes, pattern);
      expect(surveyInWasm(chunk), `${shape.join('×')} ${name}`).toEqual(survey(chunk));
    }
  }
});

test('and so it does for any chunk (property)', () => {
  const side = fc.integer({ min: 1, max: 40 });
  fc.assert(
    fc.property(
      fc.tuple(side, side, fc.integer({ min: 1, max: 5 })),
      fc.constantFrom<CodecElementBytes>(1, 2, 4),
      fc.constantFrom(...Object.values(patterns)),
      fc.integer({ min: 1, max: 1e6 }),
      (shape, elementBytes, pattern, seed) => {
        const chunk = makeChunk(shape, elementBytes, pattern, seed);
        expect(surveyInWasm(chunk)).toEqual(survey(chunk));
      },
    ),
    { numRuns: 200, seed: 1 },
  );
});
