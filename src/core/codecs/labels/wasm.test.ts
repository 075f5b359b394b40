import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
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
import { labels } from './index.ts';
import { reference } from './reference.ts';
import { wasm } from './wasm.ts';

const none = new Uint8Array(0);

const patterns: TestPatterns = {
  ...testPatterns,
  cells: (x, y, z) => 70000 * Math.floor((x + 2 * Math.sin(z / 3)) / 5) + 300 * Math.floor((y + x / 4) / 4) + Math.floor(z / 6),
  'cells with specks': (x, y, z, random) => (random() % 30 === 0 ? random() % 9 : Math.floor((x + y) / 6) + Math.floor(z / 5)),
  'few random labels': (_x, _y, _z, random) => random() % 3,
  'at most 64 labels': (x, y, z) => Math.floor((x + 16 * y + 256 * z) / 4) % 64,
  '65 labels': (x, y, z) => Math.floor((x + 16 * y + 256 * z) / 4) % 65,
  slices: (_x, _y, z) => z * 0x01010101,
};

const twin = new WasmTwin(reference, wasm);
const expectSame = (chunk: ChunkVoxels, hint: string) => twin.expectSame(chunk, none, hint);

describe('labels in WebAssembly gives the same results as the reference', () => {
  for (const elementBytes of labels.elementBytes) {
    test(`chunks of every shape, ${elementBytes}-byte elements`, () => {
      for (const shape of [...testShapes, [16, 16, 16], [33, 17, 18]] as const) {
        // The reference is slow, so large chunks get only every third pattern.
        const isLarge = shape[0] * shape[1] * shape[2] > 2 ** 12;
        for (const [name, pattern] of Object.entries(patterns).filter((_, number) => !isLarge || number % 3 === 0)) {
          expectSame(makeChunk(shape, elementBytes, pattern), `${shape.join('×')} ${name}`);
        }
      }
    });
  }

  test('anything (property)', () => {
    const side = fc.integer({ min: 1, max: 19 });
    forAnyChunk(fc.tuple(side, side, side), patterns, 100, expectSame);
  });

  test('damaged payloads: both refuse, or both give the same voxels', () => {
    const random = testRandom(5);
    const chunks = [
      ...chunksToDamage(labels),
      makeChunk([18, 17, 2], 1, patterns.cells as TestPattern),
      makeChunk([20, 5, 6], 2, patterns['cells with specks'] as TestPattern),
      makeChunk([9, 8, 7], 4, patterns['cells with specks'] as TestPattern),
      makeChunk([40, 3, 18], 1, patterns['cells with specks'] as TestPattern),
    ];
    for (const chunk of chunks) {
      const payload = reference.encode(chunk, none);
      for (const damaged of damagedCopies(payload, random)) twin.expectSameVerdict(damaged, chunk, none);
    }
    expect(twin.refused).toBeGreaterThan(1000);
    expect(twin.sound).toBeGreaterThan(500);
  });

  test('unsupported input is left to the reference', () => {
    const chunk = makeChunk([8, 8, 2], 1, (x) => x);
    expect(wasm.encode(chunk, Uint8Array.of(1))).toBeUndefined();
    expect(wasm.encode({ ...chunk, bytes: new Uint8Array(7) }, none)).toBeUndefined();
    expect(wasm.decode(new Uint8Array(0), chunk, none)).toBeUndefined();
    expect(wasm.decode(Uint8Array.of(0, 1, 5), chunk, Uint8Array.of(1))).toBeUndefined();
  });
});
