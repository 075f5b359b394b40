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
import { damagedCopies, forAnyChunk, forEachChunk, WasmTwin } from '../../codec/wasm-codec-testing.ts';
import { rle } from './index.ts';
import { reference } from './reference.ts';
import { wasm } from './wasm.ts';

const axes = [0, 1, 2].map((axis) => Uint8Array.of(axis));

const patterns: TestPatterns = {
  ...testPatterns,
  boxes: (x, y, z) => Number(x > 20) + 2 * Number(y > 3) + 4 * Number(z > 2),
  'each slice constant': (_x, _y, z) => z * 0x01010101,
  'each row constant': (_x, y) => y * 0x01010101,
};

const twin = new WasmTwin(reference, wasm);

function expectSame(chunk: ChunkVoxels, hint: string): void {
  for (const axis of axes) twin.expectDecodes(reference.encode(chunk, axis), chunk, axis, `${hint}, axis ${axis}`);
}

// Encoding is tested in core/cpu/chunk-memory.test.ts.
describe('rle by WebAssembly decodes what the reference decodes', () => {
  for (const elementBytes of rle.elementBytes) {
    test(`chunks of every shape, ${elementBytes}-byte elements`, () => {
      forEachChunk([...testShapes, [64, 3, 130], [130, 64, 2]], elementBytes, patterns, expectSame);
    });
  }

  test('anything (property)', () => {
    const side = fc.oneof(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 60, max: 70 }));
    forAnyChunk(fc.tuple(side, side, fc.integer({ min: 1, max: 6 })), patterns, 60, expectSame);
  });

  test('damaged payloads: both refuse, or both give the same voxels', () => {
    const random = testRandom(7);
    for (const [number, chunk] of [...chunksToDamage(rle), makeChunk([70, 9, 3], 1, patterns.boxes as TestPattern)].entries()) {
      const axis = axes[number % 3] as Uint8Array;
      const payload = reference.encode(chunk, axis);
      for (const damaged of damagedCopies(payload, random)) twin.expectSameVerdict(damaged, chunk, axis);
    }
    expect(twin.refused).toBeGreaterThan(1000);
    expect(twin.sound).toBeGreaterThan(500);
  });
});
