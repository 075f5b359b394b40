import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { firstDifference, makeChunk, testPatterns, testShapes } from './chunk-testing.ts';
import type { ChunkVoxels, CodecElementBytes } from './codec.ts';
import { type Axis, fromScanOrder, inScanOrder, orderOf } from './scan-order.ts';
import { numberOf, orderedByDefinition } from './scan-order-testing.ts';

const axes: readonly Axis[] = [0, 1, 2];
const widths: readonly CodecElementBytes[] = [1, 2, 4];

function expectOrder(chunk: ChunkVoxels, axis: Axis): void {
  const ordered = inScanOrder(chunk, axis);
  const expected = orderedByDefinition(chunk, axis);
  expect(ordered.length).toBe(expected.length);
  expect(expected.findIndex((element, i) => element !== ordered[i])).toBe(-1);
  expect(firstDifference(fromScanOrder(ordered, chunk.shape, axis), chunk.bytes)).toBe(undefined);
}

describe('scan order follows the table in SPEC.md', () => {
  test.each(testShapes.map((shape) => ({ shape, name: shape.join('×') })))('for $name', ({ shape }) => {
    for (const name of ['random', 'sparse']) {
      for (const elementBytes of widths) {
        const chunk = makeChunk(shape, elementBytes, testPatterns[name] as (typeof testPatterns)[string]);
        for (const axis of axes) expectOrder(chunk, axis);
      }
    }
  });

  test('for arbitrary chunks, including unaligned bytes (property)', () => {
    const length = fc.integer({ min: 1, max: 9 });
    const cases = fc
      .record({
        shape: fc.tuple(length, length, length),
        elementBytes: fc.constantFrom(...widths),
        axis: fc.constantFrom(...axes),
        offset: fc.integer({ min: 0, max: 5 }),
      })
      .chain(({ shape, elementBytes, axis, offset }) => {
        const byteLength = shape[0] * shape[1] * shape[2] * elementBytes;
        const size = { minLength: offset + byteLength, maxLength: offset + byteLength };
        // Zeros in whole rows as well as scattered ones, because the fast path skips zeros word by word.
        return fc
          .oneof(fc.uint8Array(size), fc.uint8Array({ ...size, max: 1 }))
          .map((buffer) => ({ chunk: { bytes: buffer.subarray(offset), shape, elementBytes }, axis }));
      });
    fc.assert(
      fc.property(cases, ({ chunk, axis }) => expectOrder(chunk, axis)),
      { numRuns: 300, seed: 1 },
    );
  });

  test('as steps along x, y and z', () => {
    for (const axis of axes) {
      const { xStep, yStep, zStep } = orderOf([5, 7, 3], axis);
      expect(4 * xStep + 6 * yStep + 2 * zStep).toBe(5 * 7 * 3 - 1);
      for (const [x, y, z] of [
        [1, 0, 0],
        [0, 1, 0],
        [0, 0, 1],
        [3, 5, 2],
      ] as const) {
        expect(x * xStep + y * yStep + z * zStep).toBe(numberOf(x, y, z, [5, 7, 3], axis));
      }
    }
  });
});
