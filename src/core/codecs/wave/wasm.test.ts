import fc from 'fast-check';
import { describe, test } from 'vitest';
import { makeChunk, type TestPatterns, testPatterns, testRandom, testShapes } from '../../codec/chunk-testing.ts';
import type { ChunkVoxels, CodecElementBytes } from '../../codec/codec.ts';
import { chunksToDamage } from '../../codec/codec-testing.ts';
import { WasmTwin } from '../../codec/wasm-codec-testing.ts';
import { wave } from './index.ts';
import { reference } from './reference.ts';
import { wasm } from './wasm.ts';

const none = new Uint8Array(0);

const patterns: TestPatterns = {
  ...testPatterns,
  scan: (x, y, z, random) => Math.max(0, 4000 * Math.sin(x / 9) * Math.cos(y / 7 + z / 11) + (random() % 200)),
  'slopes with a sign': (x, y, z, random) => 300 * x - 200 * y + 70 * z - 20000 + (random() % 50),
  'extremes side by side': (x, y, z, random) => (((x >> 2) + y + z) % 3 === 0 ? 65535 : random() % 5 === 0 ? random() : 0),
};

const twin = new WasmTwin(reference, wasm);
const expectSame = (chunk: ChunkVoxels, hint: string) => twin.expectSame(chunk, none, hint);

describe('wave in WebAssembly gives the same results as the reference', () => {
  for (const elementBytes of wave.elementBytes) {
    test(`chunks of every shape, ${elementBytes}-byte elements`, () => {
      for (const shape of [...testShapes, [33, 17, 18], [5, 40, 30], [70, 66, 3], [90, 70, 1]] as const) {
        // The reference is slow, so large chunks get fewer patterns.
        const isLarge = shape[0] * shape[1] * shape[2] > 2 ** 13;
        for (const [name, pattern] of Object.entries(patterns).filter(([name]) => !isLarge || name === 'scan')) {
          expectSame(makeChunk(shape, elementBytes, pattern), `${shape.join('×')} ${name}`);
        }
      }
    });
  }

  test('arbitrary chunks (property)', () => {
    const chunks = fc
      .record({
        shape: fc.tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 9 })),
        elementBytes: fc.constantFrom<CodecElementBytes>(1, 2, 4),
        max: fc.constantFrom(1, 3, 20, 255),
      })
      .chain(({ shape, elementBytes, max }) => {
        const length = shape[0] * shape[1] * shape[2] * elementBytes;
        return fc
          .uint8Array({ minLength: length, maxLength: length, max })
          .map((bytes) => ({ bytes: Uint8Array.from(bytes), shape, elementBytes }));
      });
    fc.assert(
      fc.property(chunks, (chunk) => expectSame(chunk, 'arbitrary')),
      { numRuns: 200, seed: 1 },
    );
  });

  test('payloads that the reference refuses are left to it, and all others decode identically', () => {
    const random = testRandom(1);
    for (const chunk of chunksToDamage(wave)) {
      const payload = reference.encode(chunk, none);
      for (let i = 0; i < 300; i++) {
        const at = i < 100 ? i % payload.length : random() % payload.length;
        const damaged = payload.with(at, (payload[at] as number) ^ (1 << (random() % 8)));
        twin.expectSameVerdict(damaged, chunk, none);
      }
    }
  });
});
