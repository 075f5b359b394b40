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
import type { Dims3 } from '../../shared/volume.ts';
import { huffman } from './index.ts';
import { reference } from './reference.ts';
import { wasm } from './wasm.ts';

const none = new Uint8Array(0);

const patterns: TestPatterns = {
  ...testPatterns,
  'two symbols': (_x, _y, _z, random) => random() & 1,
  'few symbols': (_x, _y, _z, random) => 100 + Math.min(random() % 9, random() % 9),
  'rare symbols': (_x, _y, _z, random) => Math.clz32(random()) + (random() % 300 === 0 ? random() % 200 : 0),
  'nearly all symbols': (_x, _y, _z, random) => (random() % 255) & (random() % 256),
};

const twin = new WasmTwin(reference, wasm);
const expectSame = (chunk: ChunkVoxels, hint: string) => twin.expectSame(chunk, none, hint);

/** `length` bytes with these counts of symbols, in a fixed pseudorandom order. */
function shuffled(counts: readonly number[]): ChunkVoxels {
  const random = testRandom(9);
  const bytes = Uint8Array.from(counts.flatMap((count, symbol) => new Array<number>(count).fill(symbol)));
  for (let i = bytes.length - 1; i > 0; i--) {
    const j = random() % (i + 1);
    [bytes[i], bytes[j]] = [bytes[j] as number, bytes[i] as number];
  }
  return { bytes, shape: [bytes.length, 1, 1], elementBytes: 1 };
}

describe('huffman in WebAssembly gives the same results as the reference', () => {
  for (const elementBytes of huffman.elementBytes) {
    test(`chunks of every shape, ${elementBytes}-byte elements`, () => {
      const shapes: Dims3[] = [...testShapes, [64, 64, 8], [64, 64, 16], [255, 1, 1], [256, 1, 1], [257, 1, 1], [1030, 1, 1]];
      forEachChunk(shapes, elementBytes, patterns, expectSame);
    });
  }

  test('every length of the last tile, its segments and its groups', () => {
    const random = testRandom(2);
    const bytes = Uint8Array.from({ length: 33_000 }, () => Math.clz32(random()));
    for (const base of [0, 252, 508, 1020, 1276, 32_500, 32_764]) {
      for (let length = base + 1; length < base + 9; length++) {
        expectSame({ bytes: bytes.subarray(0, length), shape: [length, 1, 1], elementBytes: 1 }, `${length} symbols`);
      }
    }
  });

  test('codes that would exceed 12 bits, and equal counts', () => {
    const fibonacci = [1, 1];
    while (fibonacci.length < 20) fibonacci.push((fibonacci.at(-1) as number) + (fibonacci.at(-2) as number));
    for (const counts of [
      fibonacci,
      fibonacci.toReversed(),
      Array.from({ length: 256 }, () => 3),
      Array.from({ length: 256 }, (_, i) => 1 + (i >> 3)),
      Array.from({ length: 256 }, (_, i) => (i < 250 ? 1 : 3000)),
      Array.from({ length: 256 }, (_, i) => (i % 20 === 0 ? 40 : 0)),
    ]) {
      const chunk = shuffled(counts);
      expectSame(chunk, `${counts.slice(0, 9)} …`);
      expect(reference.encode(chunk, none)[1]).toBeDefined();
    }
  });

  test('sections of a first-stage payload, also more than 16', () => {
    const random = testRandom(4);
    const lengths = [1, 700, 0, 33_000, 2, 256, 4000, ...Array.from({ length: 14 }, (_, i) => 10 * i)];
    const bytes = Uint8Array.from(lengths.flatMap((length, i) => Array.from({ length }, () => random() % (1 + 3 * i))));
    expectSame({ bytes, shape: [bytes.length, 1, 1], elementBytes: 1, sections: lengths }, 'sections');
  });

  test('anything (property)', () => {
    const side = fc.integer({ min: 1, max: 30 });
    forAnyChunk(fc.tuple(side, side, fc.integer({ min: 1, max: 4 })), patterns, 200, expectSame);
  });

  test('damaged payloads: both refuse, or both give the same voxels', () => {
    const random = testRandom(3);
    const few = patterns['few symbols'] as TestPattern;
    const rare = patterns['rare symbols'] as TestPattern;
    const chunks = [
      ...chunksToDamage(huffman),
      makeChunk([600, 1, 1], 1, few),
      makeChunk([1500, 1, 1], 1, rare),
      makeChunk([400, 1, 1], 2, few),
    ];
    for (const chunk of chunks) {
      const payload = reference.encode(chunk, none);
      for (const damaged of damagedCopies(payload, random)) twin.expectSameVerdict(damaged, chunk, none);
    }
    expect(twin.refused).toBeGreaterThan(1000);
    expect(twin.sound).toBeGreaterThan(100);
  });

  test('unsupported input is left to the reference', () => {
    const chunk = makeChunk([8, 8, 2], 1, (x) => x);
    expect(wasm.encode(chunk, Uint8Array.of(1))).toBeUndefined();
    expect(wasm.encode({ ...chunk, bytes: new Uint8Array(7) }, none)).toBeUndefined();
    expect(wasm.decode(reference.encode(chunk, none), chunk, Uint8Array.of(1))).toBeUndefined();
    expect(wasm.decode(none, chunk, none)).toBeUndefined();
  });
});
