import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { createCpuBackend } from '../../cpu/cpu-backend.ts';
import { inlinePool } from '../../cpu/inline-pool.ts';
import { ContainerReader } from '../../format/container-reader.ts';
import { openVolume } from '../../io/open-volume.ts';
import { memorySource } from '../../shared/bytes.ts';
import { type Dims4, typedVoxels, type VolumeInfo } from '../../shared/volume.ts';
import type { LeveledVoxels } from '../../shared/volume-level.ts';
import { compressBytes } from '../../stream/engine-testing.ts';
import { type Region, regionStatistics } from '../region-statistics.ts';
import { testInfo, testVoxels } from '../resident-testing.ts';
import type { ExactVoxels } from '../volume-source.ts';
import { voxelsOfContainer, voxelsOfFile, voxelsOfLevels } from './file-region.ts';
import { leveledFile } from './leveled-file.ts';

const dims: Dims4 = [13, 11, 9, 2];
/** A wedge: its rows get shorter, and every third row is empty. */
const wedge: Region = {
  first: [1, 2, 1],
  size: [11, 8, 7],
  row: (y, z) => (y % 3 === 0 ? undefined : [1 + (z % 2), 11 - y]),
};

describe.each(['u8', 'i16', 'f64'] as const)('regions of files of %s', (type) => {
  const info = testInfo(dims, type);
  const bytes = testVoxels(info);
  const voxels = typedVoxels(type, bytes);
  const inside: number[] = [];
  for (let z = 1; z < 8; z++) {
    for (let y = 2; y < 10; y++) {
      const row = wedge.row(y, z);
      for (let x = row?.[0] ?? 1; row && x <= row[1]; x++) inside.push(voxels[((9 + z) * 11 + y) * 13 + x] as number);
    }
  }
  const mean = inside.reduce((sum, value) => sum + value, 0) / inside.length;

  async function expectExact(source: ExactVoxels): Promise<void> {
    const found = await regionStatistics(source, wedge, 1);
    expect(found).toMatchObject({ count: inside.length, min: Math.min(...inside), max: Math.max(...inside) });
    expect(found.mean / mean).toBeCloseTo(1, 9);
    await expect(regionStatistics(source, wedge, 2)).rejects.toMatchObject({ tag: 'invalid-input' });
  }

  test('plain and gzipped', async () => {
    const raw = { dims, type } as const;
    await expectExact(voxelsOfFile(await openVolume(memorySource('a.raw', bytes), { raw })));
    await expectExact(voxelsOfFile(await openVolume(memorySource('a.raw.gz', gzipSync(bytes)), { raw })));
  });

  test('that end early give a fault, not a smaller region', async () => {
    const { fill: _, ...volume } = await openVolume(memorySource('a.raw', bytes), { raw: { dims, type } });
    const short = async function* () {
      yield bytes.subarray(0, bytes.byteLength / 2 + 1);
    };
    await expect(expectExact(voxelsOfFile({ ...volume, voxels: short }))).rejects.toMatchObject({ tag: 'corrupt' });
  });

  test('of boxes', async () => {
    const source = leveledFile(await openVolume(memorySource('a.raw', bytes), { raw: { dims, type } })) as LeveledVoxels;
    await expectExact(voxelsOfLevels(info, source));
  });

  test('of a .stria', async () => {
    const backend = createCpuBackend(inlinePool());
    const container = await compressBytes(backend, info, bytes, { chunkShape: [8, 4, 3] });
    const reader = await ContainerReader.open(memorySource('a.stria', container.bytes));
    await expectExact(voxelsOfContainer(reader));
  });
});

test('large planes of a file of chunks are read in bands', async () => {
  const wide: VolumeInfo = { ...testInfo([9000, 9000, 1, 1], 'u8') };
  const sizes: number[] = [];
  const read: LeveledVoxels['read'] = async ({ size: [x, y] }) => {
    sizes.push(x * y);
    return new Uint8Array(x * y).fill(1);
  };
  let total = 0;
  await voxelsOfLevels(wide, { read }).readBox({ first: [0, 0, 0], size: [9000, 9000, 1], timePoint: 0 }, ({ size, values }) => {
    total += size[0] * size[1] * (values[0] as number);
  });
  expect([total, sizes.every((size) => size <= 2 ** 26)]).toEqual([9000 * 9000, true]);
});
