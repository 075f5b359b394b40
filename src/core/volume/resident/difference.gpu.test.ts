import { describe, expect, test } from 'vitest';
import { openTestGpu } from '../../../testing/node-gpu-testing.ts';
import { chainByName } from '../../codecs/registry.ts';
import type { EncodedChunk } from '../../format/chunk.ts';
import type { ChunkShape } from '../../format/chunk-grid.ts';
import { createGpuBackend } from '../../gpu-chunks/gpu-backend.ts';
import { StriaError } from '../../shared/errors.ts';
import { type Dims4, elementTypes, typedVoxels, type VolumeInfo } from '../../shared/volume.ts';
import { CompressedVolume } from '../compressed/compressed-volume.ts';
import { testInfo, testVoxels, withBindingLimit } from '../resident-testing.ts';
import { countDifferences, differenceProblem, subtractVolumes } from './difference.ts';
import { ResidentVolume } from './resident-volume.ts';

const gpu = await openTestGpu();
const backend = createGpuBackend(gpu);

const dims: Dims4 = [13, 11, 9, 2];

async function resident(info: VolumeInfo, bytes: Uint8Array, limit = 2 ** 20): Promise<ResidentVolume> {
  const volume = await ResidentVolume.create(withBindingLimit(gpu, limit), info, { chunkShape: [4, 4, 4], budgetBytes: 2 ** 24 });
  volume.append(bytes);
  return volume;
}

test.each(elementTypes)(
  '%s: counts, the largest difference, its voxel and the mean are those of the CPU, however the boxes are cut',
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
    // The second volume has other boxes than the first.
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
      // The difference may be rounded to f32 in either direction.
      const wanted = exact[at] as number;
      expect(Math.abs((await volume.voxel(...voxel)) - wanted)).toBeLessThanOrEqual(Math.abs(wanted) * 2 ** -23);
    }
    for (const each of [one, two, volume]) each.destroy();
  },
);

/** A compressed volume with chunks of this shape, encoded as runs and raw in turn. */
async function compressed(info: VolumeInfo, bytes: Uint8Array, chunkShape: ChunkShape): Promise<CompressedVolume> {
  const whole = await ResidentVolume.create(gpu, info, { chunkShape });
  whole.append(bytes);
  const chunks: EncodedChunk[] = [];
  await whole.forEachBox(async (box) => {
    const coded = await Promise.all(
      ['rle', 'raw'].map((name) => backend.encodeResident(box, { codec: chainByName(name), options: { axis: 'auto' } as const })),
    );
    box.chunkNumbers.forEach((number, index) => {
      chunks[number] = coded[number % 2]?.chunks[index] as EncodedChunk;
    });
  });
  whole.destroy();
  return CompressedVolume.create(gpu, { info, chunkShape, chunks }, { verify: true });
}

describe('with one or both volumes kept compressed, in chunks of other shapes', () => {
  test.each(['u8', 'i16', 'f32', 'f64'] as const)(
    '%s: the same counts, position and picture as for uncompressed volumes',
    async (type) => {
      const info = testInfo(dims, type);
      const [a, b] = [testVoxels(info), testVoxels(info)];
      const voxels = typedVoxels(type, b);
      for (let at = 5; at < voxels.length; at += 37) voxels[at] = typedVoxels(type, a)[(at * 7) % voxels.length] as number;
      const [one, two] = [await resident(info, a), await resident(info, b)];
      const [packedOne, packedTwo] = [await compressed(info, a, [4, 4, 4]), await compressed(info, b, [8, 4, 3])];
      // Each chunk holds both time points.
      const packedSeries = await compressed(info, a, [26, 11, 9, 2]);
      const interleaved = await compressed(info, b, [8, 4, 4, 2, 'interleaved']);
      const wanted = await subtractVolumes(gpu, one, two);
      const picture = await gpu.read(wanted.volume.placedBoxes[0]?.voxels.buffer as GPUBuffer);
      for (const [first, second] of [
        [packedOne, two],
        [one, packedTwo],
        [packedOne, packedTwo],
        [packedSeries, packedTwo],
        [packedOne, interleaved],
      ] as const) {
        const found = await subtractVolumes(gpu, first, second);
        const counted = await countDifferences(gpu, first, second);
        for (const { mean, ...exact } of [found.difference, counted]) {
          const { mean: wantedMean, ...rest } = wanted.difference;
          expect(exact).toEqual(rest);
          // Sums of floats are rounded per workgroup.
          if (type.startsWith('f')) expect(mean / wantedMean).toBeCloseTo(1, 5);
          else expect(mean).toBe(wantedMean);
        }
        expect(await gpu.read(found.volume.placedBoxes[0]?.voxels.buffer as GPUBuffer)).toEqual(picture);
        found.volume.destroy();
      }
      for (const each of [one, two, packedOne, packedTwo, packedSeries, interleaved, wanted.volume]) each.destroy();
    },
  );

  test('subtracting stops when a volume may no longer be used, and reports progress', async () => {
    const info = testInfo(dims, 'u8');
    const volume = await compressed(info, testVoxels(info), [4, 4, 4]);
    const done: number[] = [];
    const check = () => {
      if (done.length > 2) throw new StriaError('aborted', 'given up');
    };
    const onProgress = (progress: { readonly done: number }) => done.push(progress.done);
    await expect(subtractVolumes(gpu, volume, volume, { check, onProgress })).rejects.toMatchObject({ tag: 'aborted' });
    expect(done).toEqual([0, 4, 8]);
    volume.destroy();
  });
});

test('among equal differences the first voxel is reported, however the volumes are cut into boxes', async () => {
  const info = testInfo(dims, 'u8');
  const [a, b] = [new Uint8Array(13 * 11 * 18), new Uint8Array(13 * 11 * 18)];
  // The last row of plane 0 and the first row of plane 1 differ. Cut into strips of rows, the latter comes first.
  for (const at of [13 * 10 + 2, 13 * 11 + 1]) b[at] = 7;
  const [one, two] = [await resident(info, a, 300), await resident(info, b, 300)];
  expect(one.placedBoxes.length).toBeGreaterThan(5);
  const { volume, difference } = await subtractVolumes(gpu, one, two);
  expect(difference.largest).toEqual({ magnitude: 7, voxel: [2, 10, 0, 0] });
  for (const each of [one, two, volume]) each.destroy();
});

test('a volume equals itself; NaN and −0 are compared by their bits', async () => {
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

test('volumes that cannot be compared are refused with a message', async () => {
  const info = testInfo(dims, 'u8');
  expect(differenceProblem(info, info)).toBeUndefined();
  expect(differenceProblem(info, testInfo([13, 11, 8, 2], 'u8'))).toContain('13 × 11 × 9 × 2 and 13 × 11 × 8 × 2');
  expect(differenceProblem(info, testInfo(dims, 'i8'))).toContain('u8 and i8');
  expect(differenceProblem(info, { ...info, slope: 2 })).toContain('scaled');
  const [one, two] = [await resident(info, testVoxels(info)), await resident(testInfo(dims, 'i8'), testVoxels(info))];
  await expect(subtractVolumes(gpu, one, two)).rejects.toMatchObject({ tag: 'invalid-input' });
  for (const each of [one, two]) each.destroy();
});
