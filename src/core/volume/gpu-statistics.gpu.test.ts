import { expect, test } from 'vitest';
import { openTestGpu } from '../../testing/node-gpu-testing.ts';
import { elementTypes, typedVoxels, type VolumeInfo, volumeBytes } from '../shared/volume.ts';
import { memoryVolume } from '../stream/memory-volume.ts';
import { computeStatistics } from './gpu-statistics.ts';
import { voxelsOfFile } from './levels/file-region.ts';
import { ResidentVolume } from './resident/resident-volume.ts';
import { testInfo, testVoxels } from './resident-testing.ts';
import type { VolumeStatistics } from './statistics.ts';
import { streamedStatistics } from './streamed-statistics.ts';
import { typeRange } from './voxel-key.ts';

const gpu = await openTestGpu();

async function statisticsOf(info: VolumeInfo, bytes: Uint8Array): Promise<VolumeStatistics> {
  const volume = await ResidentVolume.create(gpu, info, { chunkShape: [16, 16, 16] });
  try {
    volume.append(bytes);
    return await volume.statistics();
  } finally {
    volume.destroy();
  }
}

function inF32(type: VolumeInfo['type'], bytes: Uint8Array): number[] {
  const values = [...typedVoxels(type, bytes)];
  return type === 'f64' ? values.map(Math.fround) : values;
}

test.each(elementTypes)('%s: minimum, maximum, counts and flatness equal those of the CPU', async (type) => {
  const info = testInfo([13, 17, 23, 2], type);
  const bytes = testVoxels(info);
  const { min, max, count, notFinite, histogram, flatness } = await statisticsOf(info, bytes);
  const values = inF32(type, bytes);
  expect(min).toBe(values.reduce((a, b) => Math.min(a, b)));
  expect(max).toBe(values.reduce((a, b) => Math.max(a, b)));
  expect([count, notFinite]).toEqual([values.length, 0]);
  // Flatness is measured in every 16th row.
  const isInner = (value: number, index: number): boolean => Math.floor(index / 13) % 16 === 0 && index % 13 > 0 && value !== 0;
  const inner = values.filter(isInner);
  const flat = values.filter((value, index) => isInner(value, index) && value === values[index - 1]);
  expect(flatness).toBe(flat.length / inner.length);

  const expected = new Array<number>(256).fill(0);
  for (const value of values) {
    const bin = Math.min(255, Math.floor((value - histogram.low) / histogram.binWidth));
    expected[bin] = (expected[bin] as number) + 1;
  }
  const isFloat = type === 'f32' || type === 'f64';
  // On a bin's very edge a float may fall to either side.
  const moved = expected.reduce((sum, bin, index) => sum + Math.abs(bin - (histogram.counts[index] as number)), 0);
  expect(moved).toBeLessThanOrEqual(isFloat ? 8 : 0);
  expect(histogram.counts.reduce((a, b) => a + b)).toBe(count);
});

test.each(elementTypes)('%s: statistics of voxels streamed from a file equal those of the GPU', async (type) => {
  const info = testInfo([13, 17, 23, 2], type);
  const bytes = testVoxels(info);
  const voxels = typedVoxels(type, bytes);
  const isFloat = type === 'f32' || type === 'f64';
  // Adds an outlier, so that bins are counted again, and markers for missing data.
  voxels[100] = isFloat ? 1e30 : typeRange(type)[1];
  if (isFloat) voxels.set([Number.NaN, Infinity, 3.4028234663852886e38, 3.4028234663852886e38], 200);
  const { histogram, window, percentiles, ...exact } = await statisticsOf(info, bytes);
  const streamed = await streamedStatistics(voxelsOfFile(memoryVolume(info, bytes)), {});
  expect(streamed).toMatchObject(exact);
  expect(streamed.histogram).toMatchObject({ low: histogram.low, binWidth: histogram.binWidth });
  const moved = streamed.histogram.counts.reduce((sum, bin, at) => sum + Math.abs(bin - (histogram.counts[at] as number)), 0);
  // On a bin's very edge a float may fall to either side.
  expect(moved).toBeLessThanOrEqual(isFloat ? 8 : 0);
  const ends = [...window, ...percentiles];
  const tolerance = isFloat ? 2 * histogram.binWidth : 0;
  [...streamed.window, ...streamed.percentiles].forEach((end, at) => {
    expect(Math.abs(end - (ends[at] as number))).toBeLessThanOrEqual(tolerance);
  });
});

test('every 8-bit value has a bin of its own', async () => {
  const info = testInfo([300, 1, 1, 1], 'i8');
  const { histogram } = await statisticsOf(
    info,
    Uint8Array.from({ length: 300 }, (_, index) => index),
  );
  expect([histogram.low, histogram.binWidth]).toEqual([-128, 1]);
  expect(histogram.counts.slice(128, 128 + 45)).toEqual([...new Array(44).fill(2), 1]);
});

test('percentiles are those of the sorted voxels', async () => {
  const info = testInfo([100, 40, 10, 1], 'u16');
  const values = Uint16Array.from({ length: 40_000 }, (_, index) => (index < 10 ? 60_000 : 1000 + ((index * 7919) % 500)));
  const { percentiles } = await statisticsOf(info, new Uint8Array(values.buffer));
  // The outliers stretch the bins of the first count to 231 values each.
  const sorted = values.toSorted();
  for (const side of [0, 1] as const)
    expect(Math.abs(percentiles[side] - (sorted[[400, 39_599][side] as number] as number))).toBeLessThan(21);
});

test('NaN and infinities are counted but otherwise excluded', async () => {
  for (const [type, make] of [
    ['f32', Float32Array],
    ['f64', Float64Array],
  ] as const) {
    const values = make.from([Number.NaN, 1, -2, Infinity, 3.5, -Infinity, 0]);
    const { min, max, count, notFinite } = await statisticsOf(testInfo([7, 1, 1, 1], type), new Uint8Array(values.buffer));
    expect([min, max, count, notFinite]).toEqual([-2, 3.5, 4, 3]);
  }
  const nothing = new Uint8Array(new Float32Array(8).fill(Number.NaN).buffer);
  expect(await statisticsOf(testInfo([8, 1, 1, 1], 'f32'), nothing)).toMatchObject({ min: 0, max: 0, count: 0, notFinite: 8 });
});

test('f64 beyond f32 is clamped, not infinite', async () => {
  const values = Float64Array.from([1e300, -1e300, 1e-300, 1]);
  const { min, max, count } = await statisticsOf(testInfo([4, 1, 1, 1], 'f64'), new Uint8Array(values.buffer));
  expect([min, max, count]).toEqual([...typeRange('f64'), 4]);
});

test('a window excludes background and outliers', async () => {
  const info = testInfo([64, 64, 8, 1], 'f32');
  const values = Float32Array.from({ length: 64 * 64 * 8 }, (_, index) => (index % 2 ? 0 : 100 + ((index / 2) % 100)));
  values[0] = 1e9;
  const { window, percentiles, max } = await statisticsOf(info, new Uint8Array(values.buffer));
  expect(max).toBe(1e9);
  expect(window[0]).toBeGreaterThanOrEqual(95);
  expect(window[0]).toBeLessThan(110);
  expect(window[1]).toBeGreaterThan(190);
  expect(window[1]).toBeLessThan(210);
  // The outlier squeezes all other values into one bin, which is counted again. Half of the voxels are 0.
  expect(percentiles[0]).toBeLessThanOrEqual(0);
  expect(percentiles[1]).toBeGreaterThan(0);
});

test('constant and two-valued volumes have a window that is not empty', async () => {
  const info = testInfo([10, 10, 10, 1], 'u16');
  const bytes = new Uint8Array(volumeBytes(info));
  expect((await statisticsOf(info, bytes)).window).toEqual([0, 1]);
  bytes.fill(1, 0, 200);
  expect((await statisticsOf(info, bytes)).window).toEqual([0, 257]);
});

test('the counters are read and cleared before they are full', async () => {
  const info = testInfo([13, 17, 23, 2], 'f32');
  const bytes = Uint8Array.from(testVoxels(info));
  new Float32Array(bytes.buffer, bytes.byteOffset, 8).fill(Number.NaN);
  using scope = gpu.scope('test');
  const buffer = scope.storage('voxels', bytes.byteLength, bytes);
  const half = { buffer, dims: [13, 17, 46], elementBytes: 4 } as const;
  const voxels = 3 * 13 * 17 * 46;
  const walk = async (visit: Parameters<Parameters<typeof computeStatistics>[3]>[0]) => {
    for (let time = 0; time < 3; time++) await visit(half);
  };
  const atOnce = await computeStatistics(gpu, info, voxels, walk);
  expect(atOnce.notFinite).toBe(24);
  expect(await computeStatistics(gpu, info, voxels, walk, 13 * 17 * 46)).toEqual(atOnce);
});
