import { expect, test, vi } from 'vitest';
import { HalvedBricks } from '../../core/bricks/halved-bricks.ts';
import { createCpuBackend } from '../../core/cpu/cpu-backend.ts';
import type { TaskPool } from '../../core/cpu/cpu-task.ts';
import { inlinePool } from '../../core/cpu/inline-pool.ts';
import { ContainerReader } from '../../core/format/container-reader.ts';
import { openVolume } from '../../core/io/open-volume.ts';
import { type ByteSource, memorySource } from '../../core/shared/bytes.ts';
import { StriaError } from '../../core/shared/errors.ts';
import { auto, compressBytes, watchedSink } from '../../core/stream/engine-testing.ts';
import { allLevels } from '../../core/stream/levels/leveled-writer.ts';
import { makeLevels } from '../../core/stream/made-levels/make-levels.ts';
import { withAllLevels, withoutFinest } from '../../core/volume/levels/left-out-testing.ts';
import { leveledContainer } from '../../core/volume/levels/leveled-container.ts';
import { testInfo, testVoxels } from '../../core/volume/resident-testing.ts';
import type { CoarserLevels } from '../pictures/gpu-volume.ts';
import { containerLevels, levelsOfPlain } from './coarser-levels.ts';

const backend = createCpuBackend(inlinePool());
const info = testInfo([300, 70, 66, 2], 'u8');
const voxels = testVoxels(info);

async function allOf({ voxels, levels }: CoarserLevels): Promise<Buffer[]> {
  const all: Buffer[] = [];
  for (const index of levels.keys()) {
    const pieces: Uint8Array[] = [];
    for await (const piece of voxels(index)) pieces.push(piece.slice());
    all.push(Buffer.concat(pieces));
  }
  return all;
}

test('the levels of a .stria are those of its reader, and those beside a plain file are the same', async () => {
  const settings = { levels: true, levelLimits: allLevels, chunkShape: [64, 64, 64, 1] } as const;
  const { bytes } = await compressBytes(backend, info, voxels, settings);
  const container = await ContainerReader.open(memorySource('a.stria', bytes));
  const levels = await containerLevels(container, backend, inlinePool, {});
  const expected = leveledContainer(container, await container.levels());
  expect(levels.levels).toEqual(expected.levels.slice(1));
  expect(levels.levels.length).toBe(2);
  const all = await allOf(levels);
  for (const [index, { dims }] of levels.levels.entries()) {
    const size = [dims[0], dims[1], dims[2]] as const;
    const times = [0, 1].map((timePoint) => expected.read({ level: index + 1, first: [0, 0, 0], size, timePoint }));
    expect(all[index]?.equals(Buffer.concat(await Promise.all(times)))).toBe(true);
  }

  const source: ByteSource = memorySource('a.raw', voxels);
  const plain = await openVolume(source, { raw: { dims: info.dims, type: 'u8' } });
  const sink = watchedSink();
  await makeLevels(plain, source, sink, { backend, choice: auto });
  const beside = (file: Uint8Array<ArrayBuffer>) => {
    const siblings = async (name: string) => (name === 'a.raw.levels.stria' ? memorySource(name, file) : undefined);
    return levelsOfPlain(plain, { source, siblings, dataset: undefined }, backend, {});
  };
  const kept = await beside(sink.bytes());
  expect(kept.levels).toEqual(levels.levels);
  expect(await allOf(kept)).toEqual(all);

  expect(await beside(bytes)).toMatchObject({
    levels: [],
    fault: 'a.raw.levels.stria is not used: it does not hold the levels of another file',
  });
});

test('levels that a .stria leaves out are made of its volume', async () => {
  for (const spacing of [
    [1, 1, 1, 1],
    [0.5, 0.5, 2, 1],
  ] as const) {
    const long = { ...testInfo([1030, 21, 13, 2], 'i16'), spacing };
    const bytes = await withAllLevels(long, testVoxels(long), [64, 16, 8, 1]);
    const open = async (file: Uint8Array) => {
      return containerLevels(await ContainerReader.open(memorySource('a.stria', file)), backend, inlinePool, {});
    };
    const [whole, lean] = [await open(bytes), await open(await withoutFinest(bytes, 1))];
    expect(lean.levels).toEqual(whole.levels);
    expect(await allOf(lean)).toEqual(await allOf(whole));
  }
});

test('threads that make a left-out level end with it, also after a fault and when nobody reads on', async () => {
  const long = testInfo([1030, 21, 33, 1], 'u8');
  const lean = await withoutFinest(await withAllLevels(long, testVoxels(long), [64, 16, 8, 1]), 1);
  let [opened, ended] = [0, 0];
  const openPool = (fault?: StriaError) => (): TaskPool => {
    opened++;
    const pool = inlinePool();
    const run: TaskPool['run'] = fault ? () => Promise.reject(fault) : pool.run;
    return { ...pool, run, destroy: async () => void ended++ };
  };
  const madeWith = async (pool: () => TaskPool) => {
    return (await containerLevels(await ContainerReader.open(memorySource('a.stria', lean)), backend, pool, {})).voxels(0);
  };
  for await (const _ of await madeWith(openPool())) break;
  expect([opened, ended]).toEqual([1, 1]);
  const all = (async () => {
    for await (const _ of await madeWith(openPool(new StriaError('corrupt', 'bad')))) expect.unreachable();
  })();
  await expect(all).rejects.toThrow('bad');
  expect([opened, ended]).toEqual([2, 2]);
});

test('a level that a .stria leaves out is not made if that takes too much of a network, or of memory', async () => {
  const long = testInfo([1030, 21, 13, 1], 'i16');
  const lean = await withoutFinest(await withAllLevels(long, testVoxels(long), [64, 16, 8, 1]), 1);
  const reader = await ContainerReader.open(memorySource('a.stria', lean));
  const factorsOf = async ({ dims = long.dims, byteLength = lean.byteLength, isRemote = false }) => {
    const header = { ...reader.header, volume: { ...long, dims } };
    const container = { header, byteLength, levels: () => reader.levels() } as ContainerReader;
    return (await containerLevels(container, backend, inlinePool, {}, isRemote)).levels.map(({ factors }) => factors);
  };
  const all = await factorsOf({});
  const stored = all.slice(1);
  expect(stored).toEqual((await reader.levels()).map(({ level }) => level?.factors));
  expect(await factorsOf({ isRemote: true })).toEqual(all);
  expect(await factorsOf({ byteLength: 2 ** 28 + 1 })).toEqual(all);
  expect(await factorsOf({ byteLength: 2 ** 28 + 1, isRemote: true })).toEqual(stored);
  // A layer of eight planes of the level, of 16-bit numbers: 2^30 bytes, and more.
  expect(await factorsOf({ dims: [2 ** 14, 2 ** 14, 16, 1] })).toEqual(all);
  expect(await factorsOf({ dims: [2 ** 14, 2 ** 14 + 1, 16, 1] })).toEqual(stored);
});

test('if the finest level takes too much memory, the voxels of the next one are still its own', async () => {
  const long = testInfo([1030, 1030, 13, 1], 'u8');
  const lean = await withoutFinest(await withAllLevels(long, testVoxels(long), [64, 64, 8, 1]), 2);
  const reader = await ContainerReader.open(memorySource('a.stria', lean));
  const header = { ...reader.header, volume: { ...long, dims: [2 ** 15 + 2, 2 ** 15, 16, 1] as const } };
  const container = { header, byteLength: lean.byteLength, levels: () => reader.levels() } as ContainerReader;
  const found = await containerLevels(container, backend, inlinePool, {});
  expect(found.levels[0]?.factors).toEqual([4, 4, 4]);
  const bricks = await HalvedBricks.open(reader, inlinePool());
  const open = vi.spyOn(HalvedBricks, 'open').mockResolvedValue(bricks);
  try {
    const sizes: number[] = [];
    for await (const { byteLength } of found.voxels(0)) sizes.push(byteLength);
    expect(sizes.reduce((sum, size) => sum + size)).toBe(258 * 258 * 4);
  } finally {
    open.mockRestore();
  }
});

test('a file whose chunks are too large for boxes has no levels, but can be read in order', async () => {
  const source: ByteSource = memorySource('a.raw', voxels);
  const plain = await openVolume(source, { raw: { dims: info.dims, type: 'u8' } });
  const leveled = () => Promise.reject(new StriaError('unsupported', 'a chunk has 2 GiB'));
  const place = { source, siblings: async () => undefined, dataset: undefined };
  expect((await levelsOfPlain({ ...plain, leveled }, place, backend, {})).levels).toEqual([]);
});
