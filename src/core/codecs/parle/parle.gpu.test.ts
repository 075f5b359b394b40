import { expect, test } from 'vitest';
import { openTestGpu } from '../../../testing/node-gpu-testing.ts';
import { placePayloads } from '../../codec/batch.ts';
import { firstDifference, makeChunk, testPatterns, testRandom } from '../../codec/chunk-testing.ts';
import type { GpuRange } from '../../codec/codec.ts';
import { inScanOrder } from '../../codec/scan-order.ts';
import { describeCodecOnGpu } from '../gpu-codec-testing.ts';
import { createKernels } from '../kernels.ts';
import { parle } from './index.ts';
import { segmentsOf } from './layout.ts';
import { keepSegments } from './parle-testing.ts';

const gpu = await openTestGpu();

describeCodecOnGpu(parle, gpu, 'default dispatches');
describeCodecOnGpu(parle, gpu, 'spread dispatches', { isBrief: true, isSpread: true });

test.each(parle.elementBytes)(
  '1000 random ranges of chunks, %d-byte elements, need only their own segments',
  async (elementBytes) => {
    const random = testRandom(elementBytes);
    const patterns = Object.values(testPatterns);
    const total = 37 * 29 * 31;
    // Each range has its own payload, which keeps only the segments that the range needs.
    const sources = patterns.map((pattern, i) => {
      const chunk = makeChunk([37, 29, 31], elementBytes, pattern, random());
      const axis = (i % 3) as 0 | 1 | 2;
      const parameters = Uint8Array.of(axis);
      const ordered = new Uint8Array(inScanOrder(chunk, axis).buffer);
      return { chunk, parameters, payload: parle.reference.encode(chunk, parameters), ordered };
    });
    const payloads: Uint8Array[] = [];
    const ranges: GpuRange[] = [];
    let segments = 0;
    for (let i = 0; i < 1000; i++) {
      const { chunk, parameters, payload } = sources[i % sources.length] as (typeof sources)[number];
      const first = random() % total;
      const count = 1 + (random() % Math.min(total - first, i % 2 === 0 ? 10 : 3000));
      const needed = segmentsOf(first, count);
      segments += needed.end - needed.first;
      payloads.push(keepSegments(payload, chunk, needed.first, needed.end));
      ranges.push({ payload: i, shape: chunk.shape, parameters, first, count });
    }
    const byteLengths = payloads.map((payload) => payload.byteLength);
    const { byteOffsets, totalBytes } = placePayloads(byteLengths);
    const joined = new Uint8Array(totalBytes);
    for (const [i, payload] of payloads.entries()) joined.set(payload, byteOffsets[i]);

    using scope = gpu.scope('test');
    const source = { buffer: scope.storage('test.payloads', totalBytes, joined), byteOffsets, byteLengths };
    const plan = createKernels(parle, gpu).prepareDecodeRanges?.(source, ranges, elementBytes, scope);
    if (!plan) throw new Error('parle decodes ranges');
    expect(plan.segmentCount).toBe(segments);
    const commands = gpu.commands('test');
    plan.run(commands);
    await commands.submit();
    const decoded = await gpu.read(plan.buffer);
    for (const [i, { first, count }] of ranges.entries()) {
      const { ordered } = sources[i % sources.length] as (typeof sources)[number];
      const at = plan.byteOffsets[i] as number;
      const expected = ordered.subarray(first * elementBytes, (first + count) * elementBytes);
      expect(firstDifference(decoded.subarray(at, at + expected.length), expected), `range ${i}`).toBe(undefined);
    }
  },
);

test('series of 32-bit values: several segments per workgroup, with and without gaps, and some that stay raw', async () => {
  const random = testRandom(7);
  // There are more than 2048 segments, so a workgroup has two, or three in the long chunks. The first seven of those start at
  // multiples of four words.
  const newOf = [1, 2, 4, 6, 60, 700, 100_000];
  const lengths = Array.from({ length: 2100 }, (_, i) => (i < newOf.length ? 5004 : i < 2 * newOf.length ? 5001 : 41));
  const values: number[] = [];
  const chunks = lengths.map((length, i) => {
    const origin = [values.length, 0, 0] as const;
    let value = 0;
    for (let at = 0; at < length; at++) {
      if (random() % (newOf[i % newOf.length] as number) === 0) value = random();
      values.push(value);
    }
    return { origin, shape: [length, 1, 1] as const, parameters: Uint8Array.of(0) };
  });
  const bytes = new Uint8Array(Uint32Array.from(values).buffer);
  using scope = gpu.scope('test');
  const voxels = { buffer: scope.storage('series', bytes.length, bytes), dims: [values.length, 1, 1], elementBytes: 4 } as const;
  const expected = chunks.map(({ origin, shape, parameters }) => {
    const own = bytes.subarray(4 * origin[0], 4 * (origin[0] + shape[0]));
    const payload = parle.reference.encode({ bytes: own, shape, elementBytes: 4 }, parameters);
    return payload.length < own.length ? payload : new Uint8Array(0);
  });
  // The second run reuses the buffers of the first.
  for (let time = 0; time < 2; time++) {
    using batch = scope.scope('batch');
    const { buffer, byteOffsets, byteLengths } = await createKernels(parle, gpu).encode(voxels, chunks, { scope: batch });
    const encoded = await gpu.read(buffer as GPUBuffer);
    const differing = expected.flatMap((payload, i) => {
      const start = byteOffsets[i] as number;
      const actual = encoded.subarray(start, start + (byteLengths[i] as number));
      return firstDifference(actual, payload) === undefined ? [] : [i];
    });
    expect(differing).toEqual([]);
  }
});

test('ranges outside their chunk are refused', () => {
  using scope = gpu.scope('test');
  const payloads = { buffer: scope.storage('test.payloads', 64), byteOffsets: [0], byteLengths: [64] };
  const range = { payload: 0, shape: [10, 10, 10] as const, parameters: Uint8Array.of(0), first: 999, count: 2 };
  const prepare = (changed: Partial<GpuRange>) => () =>
    createKernels(parle, gpu).prepareDecodeRanges?.(payloads, [{ ...range, ...changed }], 1, scope);
  expect(prepare({})).toThrow(/do not lie in a chunk of 1000/);
  expect(prepare({ count: 0 })).toThrow(/do not lie in a chunk/);
  expect(prepare({ payload: 1, count: 1 })).toThrow(/do not lie in a chunk/);
  expect(prepare({ count: 1, parameters: Uint8Array.of(9) })).toThrow(/one parameter byte/);
  expect(prepare({ count: 1 })).not.toThrow();
});
