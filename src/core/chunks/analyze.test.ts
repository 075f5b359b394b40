import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ChunkVoxels, CodecElementBytes } from '../codec/codec.ts';
import { checksum } from '../format/checksum.ts';
import type { Dims3 } from '../shared/volume.ts';
import { analyze, constantChecksum, fillElement } from './analyze.ts';

/** Counts changes by their definition, element by element. */
function changesByDefinition({ bytes, shape, elementBytes }: ChunkVoxels): Dims3 {
  const element = (x: number, y: number, z: number) => {
    const start = ((z * shape[1] + y) * shape[0] + x) * elementBytes;
    return bytes.subarray(start, start + elementBytes).join();
  };
  const changes: [number, number, number] = [0, 0, 0];
  for (let z = 0; z < shape[2]; z++) {
    for (let y = 0; y < shape[1]; y++) {
      for (let x = 0; x < shape[0]; x++) {
        const here = element(x, y, z);
        if (x + 1 < shape[0] && element(x + 1, y, z) !== here) changes[0]++;
        if (y + 1 < shape[1] && element(x, y + 1, z) !== here) changes[1]++;
        if (z + 1 < shape[2] && element(x, y, z + 1) !== here) changes[2]++;
      }
    }
  }
  return changes;
}

const dimension = fc.integer({ min: 1, max: 9 });
const chunks = fc
  .record({
    shape: fc.tuple(dimension, dimension, dimension),
    elementBytes: fc.constantFrom<CodecElementBytes>(1, 2, 4),
    distinct: fc.integer({ min: 1, max: 256 }),
    shift: fc.integer({ min: 0, max: 3 }),
    seed: fc.integer({ min: 1, max: 1e6 }),
    isSparse: fc.boolean(),
  })
  .map(({ shape, elementBytes, distinct, shift, seed, isSparse }) => {
    const length = shape[0] * shape[1] * shape[2] * elementBytes;
    const bytes = new Uint8Array(length + shift).subarray(shift);
    let state = seed;
    for (let at = 0; at < length; at++) {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      // Mostly rows of zeros, which take a faster path.
      if (!isSparse || state >>> 24 < 4) bytes[at] = (state >>> 16) % distinct;
    }
    return { bytes, shape, elementBytes };
  });

test('changes and checksum match their definitions for every shape, width and alignment', () => {
  fc.assert(
    fc.property(chunks, (chunk) => {
      const analysis = analyze(chunk);
      expect(analysis.changes).toEqual(changesByDefinition(chunk));
      expect(analysis.checksum).toEqual(checksum(chunk.bytes, chunk.shape[0] * chunk.elementBytes));
    }),
    { numRuns: 500 },
  );
});

test('extreme elements differ: a difference in only the highest or lowest bit counts', () => {
  for (const elementBytes of [1, 2, 4] as const) {
    for (const byte of [0, elementBytes - 1]) {
      for (const value of [1, 0x80]) {
        const bytes = new Uint8Array(8 * elementBytes);
        bytes[3 * elementBytes + byte] = value;
        expect(analyze({ bytes, shape: [8, 1, 1], elementBytes }).changes).toEqual([2, 0, 0]);
      }
    }
  }
});

test('a constant chunk has no changes, and its checksum is computed without a pass', () => {
  const element = Uint8Array.of(7, 9);
  const bytes = new Uint8Array(5 * 3 * 2 * 2);
  fillElement(bytes, element);
  const analysis = analyze({ bytes, shape: [5, 3, 2], elementBytes: 2 });
  expect(analysis.changes).toEqual([0, 0, 0]);
  expect(constantChecksum(element, { shape: [5, 3, 2], elementBytes: 2 })).toEqual(analysis.checksum);
});
