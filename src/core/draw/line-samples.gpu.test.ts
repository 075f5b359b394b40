import { expect, test } from 'vitest';
import { openTestGpu } from '../../testing/node-gpu-testing.ts';
import { chainByName } from '../codecs/registry.ts';
import { createGpuBackend } from '../gpu-chunks/gpu-backend.ts';
import { type Dims3, typedVoxels, type VolumeInfo } from '../shared/volume.ts';
import type { LeveledVoxels } from '../shared/volume-level.ts';
import { CompressedVolume } from '../volume/compressed/compressed-volume.ts';
import { leveledFile } from '../volume/levels/leveled-file.ts';
import { ResidentVolume } from '../volume/resident/resident-volume.ts';
import { testInfo, testVoxels, withBindingLimit } from '../volume/resident-testing.ts';
import { sampleLine } from './line-samples.ts';

const gpu = await openTestGpu();
const dims = [13, 11, 9, 2] as const;
const chunkShape: Dims3 = [8, 4, 4];
const line = { from: [-1.2, 3.3, 0.7], to: [12.4, 9.1, 8.6], count: 57 } as const;

async function resident(info: VolumeInfo, bytes: Uint8Array, limit?: number): Promise<ResidentVolume> {
  const volume = await ResidentVolume.create(limit ? withBindingLimit(gpu, limit) : gpu, info, {
    chunkShape,
    budgetBytes: 2 ** 24,
  });
  volume.append(bytes);
  return volume;
}

function positions(): Dims3[] {
  const { from, to, count } = line;
  return Array.from({ length: count }, (_, at) => {
    const place = (axis: 0 | 1 | 2): number => from[axis] + ((to[axis] - from[axis]) * at) / (count - 1);
    return [place(0), place(1), place(2)];
  });
}

test.each(['u8', 'i16', 'f32'] as const)(
  'a line through %s voxels has their stored values, from uncompressed and compressed volumes',
  async (type) => {
    const info = testInfo(dims, type);
    const bytes = testVoxels(info);
    const voxels = typedVoxels(type, bytes);
    const expected = positions().map((position) => {
      const [x, y, z] = position.map(Math.floor) as [number, number, number];
      const isInside = [x, y, z].every((at, axis) => at >= 0 && at < (dims[axis] as number));
      return isInside ? Math.fround(voxels[((dims[2] + z) * dims[1] + y) * dims[0] + x] as number) : Number.NaN;
    });
    expect(expected.filter(Number.isNaN).length).toBeGreaterThan(2);
    const whole = await resident(info, bytes);
    const parts = await resident(info, bytes, 2000);
    expect(parts.placedBoxes.length).toBeGreaterThan(1);
    const [box] = whole.boxes;
    if (!box) throw new Error('the volume has no box');
    const { chunks } = await createGpuBackend(gpu).encodeResident(box, { codec: chainByName('raw'), options: { axis: 'auto' } });
    const compressed = await CompressedVolume.create(gpu, { info, chunkShape, chunks }, { verify: true });
    for (const volume of [whole, parts, compressed]) {
      expect([...(await sampleLine(gpu, volume, 1, { ...line, smooth: false }))]).toEqual(expected);
    }
    for (const volume of [whole, parts, compressed]) volume.destroy();
  },
);

test.each(['u8', 'f32'] as const)(
  'a line through %s voxels that the GPU lacks is read from the file, box by box',
  async (type) => {
    const long = testInfo([150, 40, 30, 2], type);
    const bytes = testVoxels(long);
    if (type === 'f32') typedVoxels(type, bytes).fill(Number.NaN, 200_000, 260_000);
    const whole = await ResidentVolume.create(gpu, long, { chunkShape: [64, 16, 16] });
    whole.append(bytes);
    const coarse = await ResidentVolume.create(gpu, long, {
      chunkShape: [64, 16, 16],
      level: { dims: [75, 20, 15, 2], factors: [2, 2, 2] },
    });
    const file = leveledFile({
      info: long,
      fill: async (target, start) => target.set(bytes.subarray(start, start + target.length)),
    }) as LeveledVoxels;
    const sizes: number[] = [];
    coarse.file = {
      ...file,
      read: (box, options) => {
        sizes.push(box.size[0] * box.size[1] * box.size[2]);
        return file.read(box, options);
      },
    };
    const across = { from: [-3.2, 1.3, 2.7], to: [152.4, 39.1, 28.6], count: 311 } as const;
    for (const smooth of [false, true]) {
      const expected = await sampleLine(gpu, whole, 1, { ...across, smooth });
      const found = await sampleLine(gpu, coarse, 1, { ...across, smooth });
      const scale = Math.max(...[...expected].filter(Number.isFinite).map(Math.abs));
      const isNear = (at: number) =>
        Object.is(found[at], expected[at]) || Math.abs((found[at] as number) - (expected[at] as number)) <= 1e-3 * scale;
      expect([...expected.keys()].filter((at) => !(smooth ? isNear(at) : Object.is(found[at], expected[at])))).toEqual([]);
    }
    expect(sizes).toHaveLength(6);
    expect(Math.max(...sizes)).toBeLessThan(64 * 24 * 20);
    whole.destroy();
    coarse.destroy();
  },
);

test('an interpolated line crosses the seams of compressed chunks with the same values as in resident voxels', async () => {
  const info = testInfo(dims, 'u8');
  const bytes = testVoxels(info);
  const whole = await resident(info, bytes);
  const [box] = whole.boxes;
  if (!box) throw new Error('the volume has no box');
  const { chunks } = await createGpuBackend(gpu).encodeResident(box, { codec: chainByName('raw'), options: { axis: 'auto' } });
  const compressed = await CompressedVolume.create(gpu, { info, chunkShape, chunks }, { verify: true });
  const expected = await sampleLine(gpu, whole, 1, { ...line, smooth: true });
  const found = await sampleLine(gpu, compressed, 1, { ...line, smooth: true });
  const isNear = (value: number, at: number) =>
    Object.is(value, expected[at]) || Math.abs(value - (expected[at] as number)) < 1e-3;
  expect([...found].filter((value, at) => !isNear(value, at))).toEqual([]);
  whole.destroy();
  compressed.destroy();
});

test.each(['mean', 'maximum', 'minimum'] as const)(
  'the %s through the slices of a slab equals that of the stored values, also from the file',
  async (kind) => {
    const info = { ...testInfo(dims, 'i16'), slope: -2 };
    const bytes = testVoxels(info);
    const voxels = typedVoxels('i16', bytes);
    const thin = { from: [1.2, 2.7, 0.5], to: [11.8, 9.4, 0.5], count: 23 } as const;
    const slab = { kind, across: [0, 0, 1], slices: [2, 6] } as const;
    const expected = Array.from({ length: thin.count }, (_, at) => {
      const [x, y] = ([0, 1] as const).map((axis) =>
        Math.floor(thin.from[axis] + ((thin.to[axis] - thin.from[axis]) * at) / (thin.count - 1)),
      ) as [number, number];
      const column = [2, 3, 4, 5, 6].map((z) => voxels[((dims[2] + z) * dims[1] + y) * dims[0] + x] as number);
      if (kind === 'mean') return column.reduce((sum, value) => sum + value) / column.length;
      // `kind` refers to real values, which fall as the stored values rise.
      return kind === 'maximum' ? Math.min(...column) : Math.max(...column);
    });
    const whole = await resident(info, bytes);
    const coarse = await ResidentVolume.create(gpu, info, { chunkShape, level: { dims: [7, 6, 5, 2], factors: [2, 2, 2] } });
    coarse.file = leveledFile({
      info,
      fill: async (target, start) => target.set(bytes.subarray(start, start + target.length)),
    }) as LeveledVoxels;
    for (const volume of [whole, coarse]) {
      const found = await sampleLine(gpu, volume, 1, { ...thin, smooth: false, slab });
      for (const [at, value] of found.entries()) expect(value).toBeCloseTo(expected[at] as number, 2);
    }
    whole.destroy();
    coarse.destroy();
  },
);

test('interpolated values lie between those of the voxels, and a line of length 0 has one value', async () => {
  const info = testInfo([8, 8, 8, 1], 'f32');
  const ramp = Float32Array.from(
    { length: 512 },
    (_, at) => (at % 8) + 10 * (Math.floor(at / 8) % 8) + 100 * Math.floor(at / 64),
  );
  const volume = await resident(info, new Uint8Array(ramp.buffer));
  const from = [1.5, 1.5, 1.5] as const;
  const values = await sampleLine(gpu, volume, 0, { from, to: [5.5, 3.5, 6.5], count: 9, smooth: true });
  for (const [at, value] of values.entries()) {
    const part = at / 8;
    expect(value).toBeCloseTo(1 + 4 * part + 10 * (1 + 2 * part) + 100 * (1 + 5 * part), 3);
  }
  expect([...(await sampleLine(gpu, volume, 0, { from, to: from, count: 3, smooth: true }))]).toEqual([111, 111, 111]);
  volume.destroy();
});

test('a line through a coarse volume whose file can only be read whole lies in the right place', async () => {
  const info = testInfo([16, 8, 8, 1], 'f32');
  const level = { dims: [8, 4, 4, 1], factors: [2, 2, 2] } as const;
  const coarse = await ResidentVolume.create(gpu, info, { chunkShape, level });
  coarse.append(new Uint8Array(Float32Array.from({ length: 128 }, (_, at) => at % 8).buffer));
  const found = await sampleLine(gpu, coarse, 0, { from: [1, 5, 5], to: [15, 5, 5], count: 8, smooth: false });
  expect([...found]).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  coarse.destroy();
});
