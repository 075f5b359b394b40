import { expect, test } from 'vitest';
import { makeChunk, statisticsOf } from '../../codec/chunk-testing.ts';
import { describeCodec } from '../../codec/codec-testing.ts';
import { rle } from './index.ts';
import { encodeByDefinition } from './rle-testing.ts';

describeCodec(
  rle,
  [
    {
      name: 'SPEC.md, worked example',
      shape: [4, 2, 2],
      elementBytes: 1,
      voxels: '05 05 00 00  00 00 00 09  05 05 00 00  00 00 07 09',
      parameters: '02',
      payload: '01 01 03 11 60 05 00 07 09',
    },
    {
      name: 'SPEC.md, worked example with more levels',
      shape: [1, 1, 5000],
      elementBytes: 2,
      voxels: `${'00 00 '.repeat(4500)} 07 00 ${'00 00 '.repeat(499)}`,
      parameters: '02',
      payload: '01 01 01 40 01 04 01 30 00 00 07 00 00 00',
    },
    {
      name: 'along x',
      shape: [3, 2, 1],
      elementBytes: 4,
      voxels: '01 02 03 04 01 02 03 04 01 02 03 84  01 02 03 84 00 00 00 00 00 00 00 00',
      parameters: '00',
      payload: '01 01 01 15 01 02 03 04 01 02 03 84 00 00 00 00',
    },
    {
      name: 'along y',
      shape: [3, 2, 1],
      elementBytes: 1,
      voxels: '01 02 03  01 02 04',
      parameters: '01',
      payload: '01 01 01 35 01 02 03 04',
    },
  ],
  { encodeByDefinition },
);

const everyElementDiffers = (x: number, y: number, z: number) => (x + y + z) % 2;

test('the bound is exact: a chunk whose every element starts a run reaches it', () => {
  for (const elementBytes of rle.elementBytes) {
    const chunk = makeChunk([9000, 1, 1], elementBytes, everyElementDiffers);
    expect(rle.reference.encode(chunk, Uint8Array.of(0)).byteLength).toBe(rle.encodedBound(chunk));
  }
});

test('auto takes the axis with the fewest changes, and the first on a tie', () => {
  const chunk = { shape: [8, 8, 8] as const, elementBytes: 1 as const };
  const axisFor = (changes: readonly [number, number, number]) => [...rle.choose({ changes }, chunk, { axis: 'auto' })];
  expect(axisFor([3, 2, 1])).toEqual([2]);
  expect(axisFor([3, 1, 1])).toEqual([1]);
  expect(axisFor([0, 0, 0])).toEqual([0]);
  expect([...rle.choose({ changes: [0, 5, 5] }, chunk, { axis: 'z' })]).toEqual([2]);
});

test('a constant column costs nothing if the next one has the same value', () => {
  const chunk = makeChunk([64, 64, 64], 1, (_x, _y, z) => Number(z < 32));
  // Along x there are two runs: the value changes only at z = 32.
  expect(rle.reference.encode(chunk, Uint8Array.of(0)).byteLength).toBe(64 + 3 * 2 + 2);
});

test('the estimate is slightly above the size for scattered voxels, whose two run starts share a byte', () => {
  const chunk = makeChunk([64, 64, 64], 1, (_x, _y, _z, random) => (random() % 50 === 0 ? random() : 0));
  const parameters = Uint8Array.of(2);
  const size = rle.reference.encode(chunk, parameters).byteLength;
  const estimate = rle.estimate(statisticsOf(chunk), chunk, parameters);
  expect(estimate / size).toBeGreaterThan(1);
  expect(estimate / size).toBeLessThan(1.3);
});

const twoRuns = { shape: [16, 1, 1] as const, elementBytes: 1 as const };
test.each([
  ['a stored zero byte', [1, 1, 3, 1, 0, 5, 6], /zero byte in level 0/],
  ['bits after the end', [1, 1, 7, 1, 1, 1, 5, 6, 5], /bits after the end of level 1/],
  ['no run at the start', [1, 1, 1, 2, 5], /no run that starts at element 0/],
  ['adjacent runs of one value', [1, 1, 1, 3, 5, 5], /two adjacent runs of the value 5/],
  ['one value too few', [1, 1, 1, 3, 5], /has 5 bytes; its 2 runs take 6/],
  ['an empty payload', [], /ends after 0 bytes, inside level 3/],
])('%s is refused with its reason', (_, payload, reason) => {
  expect(() => rle.reference.decode(Uint8Array.from(payload), twoRuns, Uint8Array.of(0))).toThrow(reason);
});
