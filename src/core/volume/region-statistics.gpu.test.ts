import { describe, expect, test } from 'vitest';
import { openTestGpu } from '../../testing/node-gpu-testing.ts';
import { chainByName } from '../codecs/registry.ts';
import { createGpuBackend } from '../gpu-chunks/gpu-backend.ts';
import { type Dims3, typedVoxels, type VolumeInfo, type VoxelArray } from '../shared/volume.ts';
import { CompressedVolume } from './compressed/compressed-volume.ts';
import { type Region, RunningStatistics, regionStatistics } from './region-statistics.ts';
import { ResidentVolume } from './resident/resident-volume.ts';
import { testInfo, testVoxels } from './resident-testing.ts';
import type { RegionBox, VolumeSource } from './volume-source.ts';

const gpu = await openTestGpu();

const dims = [13, 11, 9, 2] as const;
const chunkShape: Dims3 = [8, 4, 4];

/** The same voxels in GPU memory, uncompressed and compressed. */
async function bothWays(info: VolumeInfo, bytes: Uint8Array, work: (volume: VolumeSource) => Promise<void>): Promise<void> {
  const resident = await ResidentVolume.create(gpu, info, { chunkShape });
  resident.append(bytes);
  const [box] = resident.boxes;
  if (!box) throw new Error('the volume has no box');
  const { chunks } = await createGpuBackend(gpu).encodeResident(box, { codec: chainByName('raw'), options: { axis: 'auto' } });
  await work(resident);
  resident.destroy();
  const compressed = await CompressedVolume.create(gpu, { info, chunkShape, chunks }, { verify: false });
  await work(compressed);
  compressed.destroy();
}

/** Collects the voxels of a box from its pieces, each voxel once. */
async function readWhole(volume: VolumeSource, { first, size, timePoint }: RegionBox): Promise<number[]> {
  const found = new Array<number>(size[0] * size[1] * size[2]);
  await volume.readBox({ first, size, timePoint }, (piece) => {
    for (let z = 0; z < piece.size[2]; z++) {
      for (let y = 0; y < piece.size[1]; y++) {
        for (let x = 0; x < piece.size[0]; x++) {
          const at = [piece.first[0] + x - first[0], piece.first[1] + y - first[1], piece.first[2] + z - first[2]] as const;
          if (at.some((place, axis) => place < 0 || place >= (size[axis] as number))) continue;
          const to = (at[2] * size[1] + at[1]) * size[0] + at[0];
          expect(found[to]).toBeUndefined();
          found[to] = piece.values[(z * piece.size[1] + y) * piece.rowLength + x] as number;
        }
      }
    }
  });
  return found;
}

function ofBox(voxels: VoxelArray, { first, size, timePoint }: RegionBox): number[] {
  return Array.from({ length: size[0] * size[1] * size[2] }, (_, at) => {
    const [x, y, z] = [at % size[0], Math.floor(at / size[0]) % size[1], Math.floor(at / (size[0] * size[1]))];
    return voxels[((timePoint * dims[2] + first[2] + z) * dims[1] + first[1] + y) * dims[0] + first[0] + x] as number;
  });
}

test.each(['u8', 'i16', 'f32', 'f64'] as const)(
  '%s: a box that crosses chunks is read exactly, from uncompressed and compressed volumes',
  async (type) => {
    const info = testInfo(dims, type);
    const bytes = testVoxels(info);
    const voxels = typedVoxels(type, bytes);
    await bothWays(info, bytes, async (volume) => {
      for (const box of [
        { first: [5, 2, 3], size: [6, 7, 4], timePoint: 1 },
        { first: [12, 10, 8], size: [1, 1, 1], timePoint: 0 },
      ] as const) {
        expect(await readWhole(volume, box)).toEqual(ofBox(voxels, box));
      }
    });
  },
);

describe('regions', () => {
  const info = { ...testInfo(dims, 'i16'), slope: 0.5, intercept: -20 };
  const bytes = testVoxels(info);
  const voxels = typedVoxels('i16', bytes);
  const whole: Region = { first: [0, 0, 0], size: [13, 11, 9], row: () => [0, 12] };

  test('have the statistics of their own voxels only', async () => {
    // A wedge: its rows get shorter, and every third row is empty.
    const region = {
      first: [1, 2, 1],
      size: [11, 8, 7],
      row: (y: number, z: number) => (y % 3 === 0 ? undefined : ([1 + (z % 2), 11 - y] as const)),
    } as const;
    const wanted = new RunningStatistics();
    const inside: number[] = [];
    for (let z = 1; z < 8; z++) {
      for (let y = 2; y < 10; y++) {
        const row = region.row(y, z);
        for (let x = row?.[0] ?? 1; row && x <= row[1]; x++) inside.push(voxels[((9 + z) * 11 + y) * 13 + x] as number);
      }
    }
    wanted.add(Float64Array.from(inside), 0, inside.length, 0.5, -20);
    const { mean, deviation, ...exact } = wanted.result();
    await bothWays(info, bytes, async (volume) => {
      const found = await regionStatistics(volume, region, 1);
      expect(found).toMatchObject(exact);
      expect(found.mean).toBeCloseTo(mean, 9);
      expect(found.deviation).toBeCloseTo(deviation, 9);
    });
  });

  test('end if they are cancelled, if the volume is destroyed, and if they lie outside it', async () => {
    await bothWays(info, bytes, async (volume) => {
      const controller = new AbortController();
      const given = regionStatistics(volume, whole, 0, controller);
      controller.abort();
      await expect(given).rejects.toMatchObject({ tag: 'aborted' });
      await expect(regionStatistics(volume, { ...whole, size: [14, 11, 9] }, 0)).rejects.toMatchObject({ tag: 'invalid-input' });
      await expect(regionStatistics(volume, whole, 2)).rejects.toMatchObject({ tag: 'invalid-input' });
      const orphan = regionStatistics(volume, whole, 0);
      volume.destroy();
      await expect(orphan).rejects.toMatchObject({ tag: 'aborted' });
    });
  });

  test('need all voxels', async () => {
    const volume = await ResidentVolume.create(gpu, info, { chunkShape, budgetBytes: 800 });
    volume.append(bytes);
    await expect(regionStatistics(volume, whole, 0)).rejects.toMatchObject({ tag: 'unsupported' });
    volume.destroy();
  });
});
