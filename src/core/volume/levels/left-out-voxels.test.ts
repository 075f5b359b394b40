import { expect, test } from 'vitest';
import type { ChunkShape } from '../../format/chunk-grid.ts';
import { ContainerReader } from '../../format/container-reader.ts';
import { leftOutLevels } from '../../left-out/left-out-levels.ts';
import { memorySource } from '../../shared/bytes.ts';
import type { HalvingMethod } from '../../shared/halving.ts';
import type { Dims4, VolumeInfo } from '../../shared/volume.ts';
import type { LevelBox, LeveledVoxels } from '../../shared/volume-level.ts';
import { testInfo, testVoxels } from '../resident-testing.ts';
import { withAllLevels, withoutFinest } from './left-out-testing.ts';
import { boxesOf } from './level-testing.ts';
import { ChunkCache, leveledContainer } from './leveled-container.ts';

async function opened(bytes: Uint8Array, cacheBytes = 2 ** 28): Promise<LeveledVoxels> {
  const reader = await ContainerReader.open(memorySource('a.stria', bytes));
  const levels = await reader.levels();
  const leftOut = leftOutLevels(reader.header, levels[0]?.level);
  return leveledContainer(reader, levels, { leftOut, cache: new ChunkCache(cacheBytes) });
}

async function file(info: VolumeInfo, chunkShape: ChunkShape, levels: HalvingMethod, count: number) {
  const whole = await withAllLevels(info, testVoxels(info), chunkShape, levels);
  return { whole, lean: await withoutFinest(whole, count) };
}

const cases: readonly (readonly [VolumeInfo['type'], Dims4, ChunkShape, HalvingMethod, number])[] = [
  ['u8', [600, 24, 20, 2], [16, 8, 4], 'mean', 2],
  ['i16', [601, 23, 21, 1], [20, 13, 7], 'mean', 2],
  ['u16', [300, 20, 10, 2], [16, 8, 4], 'mode', 1],
  ['f32', [300, 20, 11, 1], [16, 16, 3], 'mean', 1],
  ['f64', [300, 20, 10, 1], [32, 8, 8], 'mean', 1],
];

test.each(cases)(
  '%s %s in chunks of %s: boxes equal those of stored levels (%s)',
  async (type, dims, chunkShape, method, count) => {
    const { whole, lean } = await file(testInfo(dims, type), chunkShape, method, count);
    const stored = await opened(whole);
    for (const cacheBytes of [2 ** 28, 0, 20_000]) {
      const made = await opened(lean, cacheBytes);
      expect(made.levels).toEqual(stored.levels);
      for (const [level, of] of stored.levels.entries()) {
        for (const box of boxesOf(of.dims, level, dims[3] - 1)) expect(await made.read(box)).toEqual(await stored.read(box));
      }
      made.close();
    }
  },
);

test('boxes at coarse spacing along z equal those of stored levels', async () => {
  const info = { ...testInfo([1030, 24, 9, 1], 'u16'), spacing: [0.5, 0.5, 2, 1] as const };
  const { whole, lean } = await file(info, [16, 16, 4], 'mean', 1);
  const [stored, made] = [await opened(whole), await opened(lean)];
  expect(made.levels).toEqual(stored.levels);
  expect(made.levels[1]?.factors).toEqual([4, 4, 1]);
  const box: LevelBox = { level: 1, first: [7, 1, 2], size: [200, 4, 5], timePoint: 0 };
  expect(await made.read(box)).toEqual(await stored.read(box));
});

test('a box is read once, a damaged chunk is named, and a cancelled read ends', async () => {
  const { lean } = await file(testInfo([300, 40, 20, 1], 'u8'), [16, 16, 16], 'mean', 1);
  const source = memorySource('a.stria', lean);
  let reads = 0;
  const read: typeof source.read = (...parameters) => {
    reads++;
    return source.read(...parameters);
  };
  const reader = await ContainerReader.open({ ...source, read });
  const levels = await reader.levels();
  const made = leveledContainer(reader, levels, { leftOut: leftOutLevels(reader.header, levels[0]?.level) });
  const box: LevelBox = { level: 1, first: [0, 3, 0], size: [150, 1, 10], timePoint: 0 };
  const first = await made.read(box);
  const before = reads;
  expect(await made.read(box)).toEqual(first);
  expect(reads).toBe(before);
  await expect(made.read(box, { signal: AbortSignal.abort() })).rejects.toMatchObject({ tag: 'aborted' });

  const entry = reader.entry(2);
  if (entry.kind !== 'coded') throw new Error('not coded');
  const damaged = lean.slice();
  damaged[entry.recordOffset + entry.recordLength - 12] = (damaged[entry.recordOffset + entry.recordLength - 12] as number) ^ 1;
  await expect((await opened(damaged)).read(box)).rejects.toMatchObject({ tag: 'corrupt', context: ['chunk 3'] });
});

test('places in the file that are far from each other are read at the same time', async () => {
  // Four planes of chunks are halved to one plane of the second level.
  const { lean } = await file(testInfo([600, 40, 20, 1], 'u8'), [64, 64, 1], 'mean', 2);
  const source = memorySource('a.stria', lean);
  let [running, most] = [0, 0];
  const read: typeof source.read = async (...parameters) => {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setTimeout(resolve, 1));
    running--;
    return source.read(...parameters);
  };
  const reader = await ContainerReader.open({ ...source, read });
  const levels = await reader.levels();
  const made = leveledContainer(reader, levels, { leftOut: leftOutLevels(reader.header, levels[0]?.level) });
  expect(made.levels[2]?.factors).toEqual([4, 4, 4]);
  most = 0;
  await made.read({ level: 2, first: [40, 3, 1], size: [5, 4, 1], timePoint: 0 });
  expect(most).toBe(4);
});
