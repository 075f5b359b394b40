import { describe, expect, test } from 'vitest';
import { firstDifference, makeChunk, statisticsOf, testPatterns, testRandom } from '../../codec/chunk-testing.ts';
import type { ChunkVoxels } from '../../codec/codec.ts';
import { describeCodec } from '../../codec/codec-testing.ts';
import { inScanOrder, orderOf } from '../../codec/scan-order.ts';
import { StriaError } from '../../shared/errors.ts';
import type { Dims3 } from '../../shared/volume.ts';
import { parle } from './index.ts';
import { segmentElements, segmentsOf } from './layout.ts';
import { encodeByDefinition, keepSegments } from './parle-testing.ts';

describeCodec(
  parle,
  [
    {
      name: 'SPEC.md, worked example',
      shape: [4, 2, 2],
      elementBytes: 1,
      voxels: '05 05 00 00  00 00 00 09  05 05 00 00  00 00 07 09',
      parameters: '02',
      payload: '04 00 00 00  01 00 00 00  05 00 07 09  11 60 00 00',
    },
    {
      name: 'SPEC.md, worked example with segments and gaps',
      shape: [1, 1, 5000],
      elementBytes: 2,
      voxels: `${'00 00 '.repeat(4500)} 07 00 ${'00 00 '.repeat(499)}`,
      parameters: '02',
      payload: `01 00 00 00 01 00 00 00 03 00 00 00  01 00 00 00 01 00 00 00 02 00 00 00
      00 00 07 00 00 00 00 00  00 00 00 00  ff 95 00 00`,
    },
    {
      name: 'along x',
      shape: [3, 2, 1],
      elementBytes: 4,
      voxels: '01 02 03 04 01 02 03 04 01 02 03 84  01 02 03 84 00 00 00 00 00 00 00 00',
      parameters: '00',
      payload: '03 00 00 00  01 00 00 00  01 02 03 04 01 02 03 84 00 00 00 00  15 00 00 00',
    },
  ],
  { encodeByDefinition },
);

test('the bound is exact: a chunk whose every element starts a run reaches it', () => {
  for (const elementBytes of parle.elementBytes) {
    const chunk = makeChunk([9001, 1, 1], elementBytes, (x, y, z) => (x + y + z) % 2);
    expect(parle.reference.encode(chunk, Uint8Array.of(0)).byteLength).toBe(parle.encodedBound(chunk));
  }
});

// A scattered voxel starts two adjacent runs, so fewer segments have runs than the estimate assumes.
test('the estimate is slightly above the size', () => {
  for (const rarity of [2, 10, 50, 1000]) {
    const chunk = makeChunk([64, 64, 64], 1, (_x, _y, _z, random) => (random() % rarity === 0 ? random() : 0));
    const parameters = Uint8Array.of(2);
    const size = parle.reference.encode(chunk, parameters).byteLength;
    const ratio = parle.estimate(statisticsOf(chunk), chunk, parameters) / size;
    expect(ratio).toBeGreaterThan(1);
    expect(ratio).toBeLessThan(1.35);
  }
});

test('a gap of 255 takes two bytes, and one of 254 takes one', () => {
  const marksOf = (at: number) => {
    const chunk = makeChunk([2048, 1, 1], 1, (x) => Number(x >= at));
    return [...parle.reference.encode(chunk, Uint8Array.of(0)).subarray(12)];
  };
  expect(marksOf(255)).toEqual([0, 254, 0, 0]);
  expect(marksOf(256)).toEqual([0, 255, 0, 0]);
  expect(marksOf(511)).toEqual([0, 255, 255, 0]);
});

test('sections add up to the payload', () => {
  for (const pattern of Object.values(testPatterns)) {
    const chunk = makeChunk([13, 17, 23], 2, pattern);
    const payload = parle.reference.encode(chunk, Uint8Array.of(1));
    const sections = parle.reference.sections?.(payload, chunk, Uint8Array.of(1)) ?? [];
    expect(sections[0]).toBe(8 * 3);
    expect(sections.reduce((sum, length) => sum + length, 0)).toBe(payload.byteLength);
  }
});

const eight = { shape: [8, 1, 1] as const, elementBytes: 1 as const };
test.each([
  ['an empty payload', [], /ends after 0 bytes, inside the anchors/],
  ['a length that contradicts the anchors', [1, 0, 0, 0, 1, 0, 0, 0, 5, 0, 0, 0], /has 12 bytes; by its anchors it takes 16/],
  ['bytes after the values', [1, 0, 0, 0, 1, 0, 0, 0, 5, 1, 0, 0, 1, 0, 0, 0], /bytes after its last value/],
  ['more runs than marks', [2, 0, 0, 0, 1, 0, 0, 0, 5, 6, 0, 0, 1, 0, 0, 0], /has 1 runs instead of 2 in the marks/],
  ['a run past the end', [2, 0, 0, 0, 1, 0, 0, 0, 5, 6, 0, 0, 1, 1, 0, 0], /a run past the end in the marks/],
  ['no run at the start', [1, 0, 0, 0, 1, 0, 0, 0, 5, 0, 0, 0, 2, 0, 0, 0], /no run that starts at element 0/],
  ['adjacent runs of one value', [2, 0, 0, 0, 1, 0, 0, 0, 5, 5, 0, 0, 3, 0, 0, 0], /two adjacent runs of the value 5/],
])('%s is refused with its reason', (_, payload, reason) => {
  expect(() => parle.reference.decode(Uint8Array.from(payload), eight, Uint8Array.of(0))).toThrow(reason);
});

describe('decodeRange', () => {
  const decodeRange = parle.reference.decodeRange as NonNullable<typeof parle.reference.decodeRange>;

  test('of 1000 random ranges equals the source and needs only their own segments', () => {
    const random = testRandom(7);
    const patterns = Object.values(testPatterns);
    const cases = patterns.flatMap((pattern) =>
      parle.elementBytes.map((elementBytes) => {
        const chunk = makeChunk([37, 29, 31], elementBytes, pattern, random());
        const axis = (random() % 3) as 0 | 1 | 2;
        const payload = parle.reference.encode(chunk, Uint8Array.of(axis));
        return { chunk, axis, payload, ordered: new Uint8Array(inScanOrder(chunk, axis).buffer) };
      }),
    );
    let segments = 0;
    for (let i = 0; i < 1000; i++) {
      const { chunk, axis, payload, ordered } = cases[i % cases.length] as (typeof cases)[number];
      const total = 37 * 29 * 31;
      const first = random() % total;
      const count = 1 + (random() % Math.min(total - first, i % 2 === 0 ? 10 : 5000));
      const needed = segmentsOf(first, count);
      segments += needed.end - needed.first;
      expect(needed.end - needed.first).toBeLessThanOrEqual(Math.ceil((count - 1) / segmentElements) + 1);
      // The rest is overwritten. Reading it would change the result or cause a fault.
      const kept = keepSegments(payload, chunk, needed.first, needed.end);
      const decoded = decodeRange(kept, chunk, Uint8Array.of(axis), first, count);
      const expected = ordered.subarray(first * chunk.elementBytes, (first + count) * chunk.elementBytes);
      expect(firstDifference(decoded, expected), `${count} elements from ${first} on`).toBe(undefined);
    }
    // Half the ranges are short, the others 2500 elements long: they need far fewer than all 17 segments.
    expect(segments / 1000).toBeLessThan(2.5);
  });

  test('of a voxel and of a plane, located by the scan order', () => {
    const shape: Dims3 = [20, 30, 40];
    const chunk: ChunkVoxels = makeChunk(shape, 1, testPatterns.random as (typeof testPatterns)[string]);
    for (const axis of [0, 1, 2] as const) {
      const parameters = Uint8Array.of(axis);
      const payload = parle.reference.encode(chunk, parameters);
      const order = parle.scanOrder?.(chunk, parameters);
      expect(order).toEqual(orderOf(shape, axis));
      const { xStep = 0, yStep = 0, zStep = 0 } = order ?? {};
      const [voxel] = decodeRange(payload, chunk, parameters, 5 * xStep + 6 * yStep + 7 * zStep, 1);
      expect(voxel).toBe(chunk.bytes[(7 * 30 + 6) * 20 + 5]);
      // A plane across the axis of the largest step is one contiguous range.
      const largest = Math.max(xStep, yStep, zStep);
      const plane = decodeRange(payload, chunk, parameters, 3 * largest, largest);
      const ordered = new Uint8Array(inScanOrder(chunk, axis).buffer);
      expect(firstDifference(plane, ordered.subarray(3 * largest, 4 * largest))).toBe(undefined);
    }
  });

  test('elements that the chunk does not have, and damaged anchors, are refused', () => {
    const chunk = makeChunk([50, 50, 2], 1, testPatterns.blobs as (typeof testPatterns)[string]);
    const payload = parle.reference.encode(chunk, Uint8Array.of(0));
    for (const [first, count] of [
      [-1, 2],
      [0, 0],
      [4999, 2],
      [0.5, 1],
    ] as const) {
      expect(() => decodeRange(payload, chunk, Uint8Array.of(0), first, count)).toThrow(StriaError);
    }
    const damaged = payload.with(0, 0xff).with(1, 0xff);
    expect(() => decodeRange(damaged, chunk, Uint8Array.of(0), 0, 10)).toThrow(/lower than the previous one/);
  });
});
