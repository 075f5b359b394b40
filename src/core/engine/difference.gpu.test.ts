import { expect, test } from 'vitest';
import { openTestGpu } from '../../cli/node-gpu-testing.ts';
import { type Dims4, elementTypes, typedVoxels, type VolumeInfo } from '../shared/volume.ts';
import { differenceProblem, subtractVolumes } from './difference.ts';
import { testInfo, testVoxels, withBindingLimit } from './resident-testing.ts';
import { ResidentVolume } from './resident-volume.ts';

const gpu = await openTestGpu();

const dims: Dims4 = [13, 11, 9, 2];

async function resident(info: VolumeInfo, bytes: Uint8Array, limit = 2 ** 20): Promise<ResidentVolume> {
  const volume = await ResidentVolume.create(withBindingLimit(gpu, limit), info, { chunkShape: [4, 4, 4], budgetBytes: 2 ** 24 });
  volume.append(bytes);
  return volume;
}

test.each(elementTypes)(
  '%s: counts, the largest, its place and the mean are those of the CPU, however boxes lie',
  async (type) => {
    const info = testInfo(dims, type);
    const a = testVoxels(info);
    const b = a.slice();
    const voxels = { a: typedVoxels(type, a), b: typedVoxels(type, b) };
    for (let at = 5; at < voxels.b.length; at += 37) voxels.b[at] = voxels.a[(at * 7) % voxels.a.length] as number;
    const differences = [...voxels.a].map((value, at) => Math.fround(value) - Math.fround(voxels.b[at] as number));
    const exact =
      type === 'f32' || type === 'f64' ? differences : [...voxels.a].map((value, at) => value - (voxels.b[at] as number));
    const differing = [...voxels.a].filter((value, at) => value !== voxels.b[at]).length;
    const largest = Math.max(...exact.map(Math.abs));
    const place = exact.findIndex((value) => Math.abs(value) === largest);
    // The second one in other boxes than the first.
    const [one, two] = [await resident(info, a), await resident(info, b, 3000)];
    const { volume, difference } = await subtractVolumes(gpu, one, two);
    expect(difference).toMatchObject({ voxels: 13 * 11 * 9 * 2, differing });
    expect(difference.largest?.magnitude).toBeCloseTo(largest, type.startsWith('f') ? -1 : 5);
    const [x, y, z, t] = difference.largest?.voxel ?? [0, 0, 0, 0];
    expect(Math.abs(exact[((t * 9 + z) * 11 + y) * 13 + x] as number)).toBeCloseTo(largest, type.startsWith('f') ? -1 : 5);
    if (!type.startsWith('f')) expect(((t * 9 + z) * 11 + y) * 13 + x).toBe(place);
    const mean = exact.reduce((sum, value) => sum + Math.abs(value), 0) / exact.length;
    expect(difference.mean / mean).toBeCloseTo(1, 4);
    for (const at of [5, 42, 43, place]) {
      const voxel = [at % 13, Math.floor(at / 13) % 11, Math.floor(at / 143) % 9, Math.floor(at / 1287)] as const;
      // Rounded to f32, either way.
      const wanted = exact[at] as number;
      expect(Math.abs((await volume.voxel(...voxel)) - wanted)).toBeLessThanOrEqual(Math.abs(wanted) * 2 ** -23);
    }
    for (const each of [one, two, volume]) each.destroy();
  },
);

test('the same volume twice is identical; NaN and −0 are told by their bits', async () => {
  const info = testInfo([5, 4, 3, 1], 'f32');
  const values = Float32Array.from({ length: 60 }, (_, at) => (at % 7 === 0 ? Number.NaN : at));
  const one = await resident(info, new Uint8Array(values.buffer));
  const same = await resident(info, new Uint8Array(values.slice().buffer));
  const equal = await subtractVolumes(gpu, one, same);
  expect(equal.difference).toEqual({ voxels: 60, differing: 0, largest: undefined, mean: 0 });
  const other = values.slice();
  other[8] = Number.POSITIVE_INFINITY;
  other[7] = 1;
  const three = await resident(info, new Uint8Array(other.buffer));
  const changed = await subtractVolumes(gpu, one, three);
  expect(changed.difference).toMatchObject({ differing: 2, largest: { magnitude: 0 }, mean: 0 });
  for (const each of [one, same, three, equal.volume, changed.volume]) each.destroy();
});

test('volumes that have nothing to compare are refused in words', async () => {
  const info = testInfo(dims, 'u8');
  expect(differenceProblem(info, info)).toBeUndefined();
  expect(differenceProblem(info, testInfo([13, 11, 8, 2], 'u8'))).toContain('13 × 11 × 9 × 2 and 13 × 11 × 8 × 2');
  expect(differenceProblem(info, testInfo(dims, 'i8'))).toContain('u8 and i8');
  expect(differenceProblem(info, { ...info, slope: 2 })).toContain('scaled');
  const [one, two] = [await resident(info, testVoxels(info)), await resident(testInfo(dims, 'i8'), testVoxels(info))];
  await expect(subtractVolumes(gpu, one, two)).rejects.toMatchObject({ tag: 'invalid-input' });
  for (const each of [one, two]) each.destroy();
});
