import { gzipSync } from 'node:zlib';
import { describe, expect, test, vi } from 'vitest';
import { createCpuBackend } from '../../cpu/cpu-backend.ts';
import { inlinePool } from '../../cpu/inline-pool.ts';
import { ContainerReader } from '../../format/container-reader.ts';
import { openVolume } from '../../io/open-volume.ts';
import { memorySource } from '../../shared/bytes.ts';
import type { Progress } from '../../shared/job.ts';
import { elementTypes, typedVoxels, type VolumeInfo, volumeBytes } from '../../shared/volume.ts';
import { compressBytes } from '../../stream/engine-testing.ts';
import { memoryVolume } from '../../stream/memory-volume.ts';
import { labelNumbers } from '../label-number.ts';
import { labelPlace } from '../label-place.ts';
import { testInfo, testVoxels } from '../resident-testing.ts';
import { streamedLabelCounts } from '../streamed-label-counts.ts';
import { streamedStatistics } from '../streamed-statistics.ts';
import type { ExactVoxels } from '../volume-source.ts';
import { voxelsOfContainer, voxelsOfFile } from './file-region.ts';

const dims = [13, 11, 9, 2] as const;
const backend = createCpuBackend(inlinePool());

async function containerOf(info: VolumeInfo, bytes: Uint8Array<ArrayBuffer>): Promise<ExactVoxels> {
  const { bytes: stored } = await compressBytes(backend, info, bytes, { chunkShape: [8, 4, 3] });
  return voxelsOfContainer(await ContainerReader.open(memorySource('a.stria', stored)));
}

describe('statistics', () => {
  test.each(elementTypes)(
    'of %s equal those of the list of all values, from a .stria, a plain and a gzipped file',
    async (type) => {
      const info = testInfo(dims, type);
      const bytes = new Uint8Array(testVoxels(info));
      const values = [...typedVoxels(type, bytes)].map((value) => (type === 'f64' ? Math.fround(value) : value));
      const sorted = values.toSorted((a, b) => a - b);
      const inner = values.map((value, at) => at % 13 > 0 && value !== 0 && Math.floor(at / 13) % 16 === 0);
      const flat = values.filter((value, at) => inner[at] && value === values[at - 1]).length;
      const raw = { dims, type };
      const sources = [
        await containerOf(info, bytes),
        voxelsOfFile(await openVolume(memorySource('a.raw', bytes), { raw })),
        voxelsOfFile(await openVolume(memorySource('a.raw.gz', gzipSync(bytes)), { raw })),
      ];
      for (const source of sources) {
        const found = await streamedStatistics(source);
        expect(found).toMatchObject({ min: sorted[0], max: sorted.at(-1), count: values.length, notFinite: 0, missing: 0 });
        expect(found.flatness).toBe(flat / inner.filter(Boolean).length);
        const { low, binWidth, counts } = found.histogram;
        const expected = new Array<number>(256).fill(0);
        for (const value of values) {
          const bin = Math.min(255, Math.floor((value - low) / binWidth));
          expected[bin] = (expected[bin] as number) + 1;
        }
        expect(counts).toEqual(expected);
        // Percentiles are accurate to one bin; the comparison allows two.
        const within = (place: number, share: number) =>
          expect(Math.abs(place - (sorted[Math.floor(share * values.length)] as number))).toBeLessThanOrEqual(2 * binWidth);
        within(found.percentiles[0], 0.01);
        within(found.percentiles[1], 0.99);
      }
    },
  );

  test.each([
    ['interleaved', [8, 4, 3, 2, 'interleaved']],
    ['whole', [13, 11, 9, 2]],
  ] as const)(
    'of a series in chunks of several time points, %s, are the same, and each chunk is read once',
    async (_, chunkShape) => {
      const info = testInfo([13, 11, 9, 5], 'i16');
      const bytes = new Uint8Array(testVoxels(info));
      const file = await compressBytes(backend, info, bytes, { chunkShape });
      const reader = await ContainerReader.open(memorySource('a.stria', file.bytes));
      const reads = vi.spyOn(reader, 'readChunks');
      const progress: Progress[] = [];
      const found = await streamedStatistics(voxelsOfContainer(reader), { onProgress: (one) => progress.push(one) });
      expect(found).toEqual(await streamedStatistics(voxelsOfFile(memoryVolume(info, bytes))));
      const numbers = reads.mock.calls.flatMap(([first, count]) => Array.from({ length: count }, (_each, at) => first + at));
      expect(numbers).toEqual(Array.from({ length: reader.chunkCount }, (_each, number) => number));
      expect(progress.at(-1)).toMatchObject({ done: bytes.byteLength, total: bytes.byteLength });
    },
  );

  test('leave out values that are not finite, and markers for missing data', async () => {
    const info = testInfo([100, 1, 1, 1], 'f32');
    const values = Float32Array.from({ length: 100 }, (_, at) => at);
    values.set([Number.NaN, -Infinity, 3.4028234663852886e38], 97);
    const found = await streamedStatistics(voxelsOfFile(memoryVolume(info, new Uint8Array(values.buffer))));
    expect(found).toMatchObject({ min: 0, count: 98, notFinite: 2, numbers: [0, 96], missing: 1 });
    const nothing = memoryVolume(info, new Uint8Array(new Float32Array(100).fill(Number.NaN).buffer));
    expect(await streamedStatistics(voxelsOfFile(nothing))).toMatchObject({ min: 0, max: 0, count: 0, notFinite: 100 });
  });

  test('count f64 voxels as equal if they are equal as f32, like the GPU', async () => {
    const info = testInfo([100, 1, 1, 1], 'f64');
    const values = Float64Array.from({ length: 100 }, (_, at) => 1 + Math.floor(at / 50) + (at % 7) * 1e-12);
    const found = await streamedStatistics(voxelsOfFile(memoryVolume(info, new Uint8Array(values.buffer))));
    expect(found.flatness).toBe(98 / 99);
  });

  test('report bytes, pass by pass, and can be cancelled', async () => {
    for (const [type, passes] of [
      ['u16', 1],
      ['u32', 2],
    ] as const) {
      const info = testInfo(dims, type);
      const source = voxelsOfFile(memoryVolume(info, new Uint8Array(testVoxels(info))));
      const seen: Progress[] = [];
      await streamedStatistics(source, { onProgress: (progress) => seen.push(progress) });
      const stages = new Set(seen.map(({ stage }) => stage));
      expect(stages.size).toBeGreaterThanOrEqual(passes);
      expect(seen.filter(({ done, total }) => done === total)).toHaveLength(stages.size);
      expect(seen[0]).toMatchObject({ done: volumeBytes(info) / 18, total: volumeBytes(info) });
      const controller = new AbortController();
      let pieces = 0;
      const cancelled = streamedStatistics(source, {
        signal: controller.signal,
        onProgress: () => {
          if (++pieces === 3) controller.abort();
        },
      });
      await expect(cancelled).rejects.toMatchObject({ tag: 'aborted' });
      expect(pieces).toBe(3);
    }
  });
});

describe('labels', () => {
  test('are counted at one time point, floats rounded', async () => {
    const info = testInfo(dims, 'f32');
    const values = Float32Array.from({ length: 2 * 13 * 11 * 9 }, (_, at) => Math.floor((at % 13) / 4) + (at % 3) / 4);
    values.set([Number.NaN, Number.NaN, Infinity, 7], 13 * 11 * 9);
    const expected = new Map<number, number>();
    for (const value of values.subarray(13 * 11 * 9)) {
      const number = labelNumbers('f32')(value);
      if (Number.isFinite(number)) expected.set(number, (expected.get(number) ?? 0) + 1);
    }
    const counts = await streamedLabelCounts(await containerOf(info, new Uint8Array(values.buffer)), 1);
    expect([...counts]).toEqual([...expected].sort(([a], [b]) => a - b));
  });

  test('are refused if there are too many, as in an image', async () => {
    const info = testInfo([70_000, 1, 1, 1], 'u32');
    const bytes = new Uint8Array(Uint32Array.from({ length: 70_000 }, (_, at) => at).buffer);
    await expect(streamedLabelCounts(voxelsOfFile(memoryVolume(info, bytes)), 0)).rejects.toMatchObject({ tag: 'unsupported' });
  });

  test('are found in the file', async () => {
    const info = testInfo(dims, 'u8');
    const bytes = new Uint8Array(volumeBytes(info));
    const at = (x: number, y: number, z: number, t: number): number => ((t * 9 + z) * 11 + y) * 13 + x;
    for (const x of [3, 4, 5]) bytes[at(x, 7, 2, 1)] = 9;
    expect(await labelPlace(await containerOf(info, bytes), 9, 1)).toEqual([4, 7, 2]);
  });

  test('are found by reading twice if they have too many runs to keep', async () => {
    const info = testInfo(dims, 'u8');
    const source = voxelsOfFile(
      memoryVolume(
        info,
        testVoxels(info).map((value) => value % 3),
      ),
    );
    const expected = await labelPlace(source, 2, 1);
    expect(expected).toBeDefined();
    let reads = 0;
    const counted: ExactVoxels = {
      info,
      readBox: (...call) => {
        reads++;
        return source.readBox(...call);
      },
    };
    expect([await labelPlace(counted, 2, 1, {}, 5), reads]).toEqual([expected, 2]);
  });
});

test('a gzipped file is unpacked once for boxes in its order', async () => {
  const info = testInfo([4, 4, 3, 5], 'u8');
  const volume = memoryVolume(info, new Uint8Array(testVoxels(info)));
  let opened = 0;
  const stream: typeof volume.voxels = (options) => {
    opened++;
    return volume.voxels(options);
  };
  const { fill: _, ...inOrder } = { ...volume, voxels: stream };
  const voxels = voxelsOfFile(inOrder);
  const box = { first: [0, 0, 0], size: [4, 4, 3] } as const;
  for (let timePoint = 0; timePoint < 5; timePoint++) await voxels.readBox({ ...box, timePoint }, () => {});
  expect(opened).toBe(1);
  await voxels.readBox({ ...box, timePoint: 1 }, () => {});
  expect(opened).toBe(2);
  await voxels.close();
});
