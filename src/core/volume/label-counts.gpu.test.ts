import { expect, test } from 'vitest';
import { openTestGpu } from '../../testing/node-gpu-testing.ts';
import { chainByName } from '../codecs/registry.ts';
import { createGpuBackend } from '../gpu-chunks/gpu-backend.ts';
import { type ElementType, elementTypes, type VoxelArray, voxelCount } from '../shared/volume.ts';
import { CompressedVolume } from './compressed/compressed-volume.ts';
import { labelCounts } from './label-counts.ts';
import { labelNumbers } from './label-number.ts';
import { ResidentVolume } from './resident/resident-volume.ts';
import { testInfo, withBindingLimit } from './resident-testing.ts';

const gpu = await openTestGpu();

const dims = [13, 11, 9, 2] as const;
// Halves go to the even number, also where f64 becomes a half as f32; what 32 bits cannot hold is clamped.
const oddFloats = [
  Number.NaN,
  Number.POSITIVE_INFINITY,
  0.5,
  1.5,
  2.5,
  -0.5,
  -1.5,
  -2.5,
  0.49999997,
  4.5 + 1e-12,
  3e9,
  -3e9,
  1e300,
];
const arrays = {
  u8: Uint8Array,
  i8: Int8Array,
  u16: Uint16Array,
  i16: Int16Array,
  u32: Uint32Array,
  i32: Int32Array,
  f32: Float32Array,
  f64: Float64Array,
};

function counted(type: ElementType, voxels: VoxelArray, timePoint: number): readonly (readonly [number, number])[] {
  const counts = new Map<number, number>();
  const perTime = dims[0] * dims[1] * dims[2];
  for (const value of voxels.subarray(timePoint * perTime, (timePoint + 1) * perTime)) {
    const number = labelNumbers(type)(value);
    if (Number.isFinite(number)) counts.set(number, (counts.get(number) ?? 0) + 1);
  }
  return [...counts].sort(([a], [b]) => a - b);
}

test.each(elementTypes)(
  '%s: counts equal those of the CPU, at each time point, from uncompressed and compressed volumes',
  async (type) => {
    const info = testInfo(dims, type);
    const extremes = { u8: 255, i8: -1, u16: 65_535, i16: -32_768, u32: 4_294_967_295, i32: -1, f32: -3, f64: 70_000 }[type];
    // Runs of equal numbers, some of them large, and single numbers.
    const numbers = Array.from({ length: voxelCount(dims) }, (_, at) =>
      at % 17 === 0 ? extremes : at % 5 === 0 ? (at * 7919) % 120 : (at >> 5) % 11,
    );
    const voxels = arrays[type].from(numbers);
    if (type === 'f32' || type === 'f64') voxels.set(oddFloats, 20);
    const bytes = new Uint8Array(voxels.buffer);
    const chunkShape = [8, 4, 4] as const;
    const resident = await ResidentVolume.create(gpu, info, { chunkShape });
    resident.append(bytes);
    for (const t of [0, 1]) expect([...(await labelCounts(gpu, resident, t))]).toEqual(counted(type, voxels, t));
    const [box] = resident.boxes;
    if (!box) throw new Error('the volume has no box');
    const { chunks } = await createGpuBackend(gpu).encodeResident(box, { codec: chainByName('raw'), options: { axis: 'auto' } });
    resident.destroy();
    const compressed = await CompressedVolume.create(gpu, { info, chunkShape, chunks }, { verify: false });
    expect([...(await labelCounts(gpu, compressed, 1))]).toEqual(counted(type, voxels, 1));
    compressed.destroy();
  },
);

test('the labels of a volume in several boxes are counted', async () => {
  const info = testInfo(dims, 'u16');
  const voxels = Uint16Array.from({ length: voxelCount(dims) }, (_, at) => (at >> 3) % 300);
  const limited = withBindingLimit(gpu, 1024);
  const volume = await ResidentVolume.create(limited, info, { chunkShape: [8, 4, 4], budgetBytes: 2 ** 20 });
  expect(volume.placedBoxes.length).toBeGreaterThan(1);
  volume.append(new Uint8Array(voxels.buffer));
  for (const t of [0, 1]) expect([...(await labelCounts(gpu, volume, t))]).toEqual(counted(info.type, voxels, t));
  // Reading counts back after so few voxels tests what a volume with more voxels than 32-bit counters can hold needs.
  for (const most of [1, 300]) expect([...(await labelCounts(gpu, volume, 1, {}, most))]).toEqual(counted(info.type, voxels, 1));
  volume.destroy();
});

test('an image with too many numbers is refused, and so is a volume of which only a part is kept', async () => {
  const info = testInfo([64, 64, 20, 1], 'i32');
  const volume = await ResidentVolume.create(gpu, info, { chunkShape: [64, 64, 20] });
  volume.append(new Uint8Array(Int32Array.from({ length: 64 * 64 * 20 }, (_, at) => at * 12_345).buffer));
  await expect(labelCounts(gpu, volume, 0)).rejects.toMatchObject({
    tag: 'unsupported',
    message: expect.stringMatching(/65536/),
  });
  volume.destroy();
  const part = { info, decimation: 2, planeReader: () => volume.planeReader() };
  await expect(labelCounts(gpu, part, 0)).rejects.toMatchObject({ tag: 'unsupported' });
});
