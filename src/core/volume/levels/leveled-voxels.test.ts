import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { createCpuBackend } from '../../cpu/cpu-backend.ts';
import { inlinePool } from '../../cpu/inline-pool.ts';
import { ContainerReader } from '../../format/container-reader.ts';
import { openVolume } from '../../io/open-volume.ts';
import { type ByteSource, memorySource } from '../../shared/bytes.ts';
import type { Dims3, Dims4 } from '../../shared/volume.ts';
import type { LevelBox, LeveledVoxels } from '../../shared/volume-level.ts';
import { compressBytes } from '../../stream/engine-testing.ts';
import { allLevels } from '../../stream/levels/leveled-writer.ts';
import { testInfo, testVoxels } from '../resident-testing.ts';
import { boxesOf, cut } from './level-testing.ts';
import { ChunkCache, leveledContainer } from './leveled-container.ts';
import { leveledFile } from './leveled-file.ts';
import { NewestFirst } from './newest-first.ts';

const dims: Dims4 = [270, 21, 10, 2];
const backend = createCpuBackend(inlinePool());

describe.each(['u8', 'i16', 'f64'] as const)('boxes of files of %s', (type) => {
  const info = testInfo(dims, type);
  const bytes = testVoxels(info);

  async function expectLevel0(source: LeveledVoxels): Promise<void> {
    for (const box of boxesOf(dims, 0, 1)) expect(await source.read(box)).toEqual(cut(bytes, info, box));
    await expect(source.read({ level: 0, first: [0, 0, 0], size: [1, 1, 1], timePoint: 2 })).rejects.toMatchObject({
      tag: 'invalid-input',
    });
    await expect(source.read({ level: 9, first: [0, 0, 0], size: [1, 1, 1], timePoint: 0 })).rejects.toMatchObject({
      tag: 'invalid-input',
    });
  }

  test.each([2 ** 28, 0, 20_000])('of a .stria and its levels, with a cache of %i bytes', async (cacheBytes) => {
    const settings = { chunkShape: [16, 8, 4], levels: 'mean', levelLimits: allLevels } as const;
    const container = await compressBytes(backend, info, bytes, settings);
    const reader = await ContainerReader.open(memorySource('a.stria', container.bytes));
    const levels = await reader.levels();
    expect(levels.map(({ level }) => level?.factors[0])).toEqual([2, 4]);
    const source = leveledContainer(reader, levels, { cache: new ChunkCache(cacheBytes) });
    await expectLevel0(source);
    for (const [index, level] of levels.entries()) {
      const own = level.header.volume;
      const { size, first } = boxesOf(own.dims, index + 1, 1)[0] as LevelBox;
      const whole = await source.read({ level: index + 1, first, size, timePoint: 1 });
      for (const box of boxesOf(own.dims, index + 1, 1)) {
        expect(await source.read(box)).toEqual(cut(whole, own, { ...box, timePoint: 0 }));
      }
    }
  });

  test('of a .stria whose chunks hold several time points', async () => {
    for (const chunkShape of [[type === 'f64' ? 540 : 270, 21, 10, 2] as const, [16, 8, 4, 2, 'interleaved'] as const]) {
      const container = await compressBytes(backend, info, bytes, { chunkShape });
      await expectLevel0(leveledContainer(await ContainerReader.open(memorySource('a.stria', container.bytes)), []));
    }
  });

  test('of a raw file; a gzip can only be read in order', async () => {
    const raw = { dims, type } as const;
    const source = leveledFile(await openVolume(memorySource('a.raw', bytes), { raw }));
    await expectLevel0(source as LeveledVoxels);
    expect(leveledFile(await openVolume(memorySource('a.raw.gz', gzipSync(bytes)), { raw }))).toBeUndefined();
  });
});

test('several files share a cache, and one that is closed frees only its own chunks', async () => {
  const info = testInfo([64, 16, 16, 1], 'u8');
  const cache = new ChunkCache(24 * 1024);
  const open = async (seed: number) => {
    const bytes = testVoxels(info).map((value) => (value + seed) & 255);
    const container = await compressBytes(backend, info, bytes, { chunkShape: [16, 16, 16] });
    const source = leveledContainer(await ContainerReader.open(memorySource('a.stria', container.bytes)), [], { cache });
    const box = { level: 0, first: [0, 0, 0], size: [64, 16, 16], timePoint: 0 } as const;
    return { source, check: async () => expect(Buffer.from(await source.read(box)).equals(bytes)).toBe(true) };
  };
  const [one, other] = [await open(0), await open(100)];
  for (const { check } of [one, other, one, other]) {
    await check();
    expect(cache.bytes).toBeLessThanOrEqual(24 * 1024);
  }
  one.source.close();
  expect(cache.bytes).toBe(16 * 1024);
  other.source.close();
  expect(cache.bytes).toBe(0);
});

test('a slice that would need too much of a plain file is refused', async () => {
  const info = testInfo([50_000, 100, 200, 1], 'u8');
  const source = leveledFile({ info, fill: async () => {} }) as LeveledVoxels;
  const across = { level: 0, first: [7, 0, 0], size: [1, 100, 200], timePoint: 0 } as const;
  await expect(source.read(across)).rejects.toMatchObject({ tag: 'unsupported' });
  expect((await source.read({ ...across, size: [900, 100, 1] })).byteLength).toBe(90_000);
});

describe('requests', () => {
  const box = (at: number, size: Dims3 = [2, 1, 1]): LevelBox => ({ level: 0, first: [at, 0, 0], size, timePoint: 0 });

  test('are served one at a time, the newest first and single voxels before all others; a cancelled one is not started', async () => {
    const begun: number[] = [];
    let running = 0;
    const queue = new NewestFirst({
      async read({ first }) {
        expect(++running).toBe(1);
        begun.push(first[0]);
        await new Promise((resolve) => setTimeout(resolve, 2));
        running--;
        return new Uint8Array([first[0]]);
      },
    });
    const never = new AbortController();
    const cancelled = new AbortController();
    const { signal } = never;
    const answers = [queue.read(box(1), signal), queue.read(box(2), cancelled.signal), queue.read(box(3), signal)];
    cancelled.abort();
    answers.push(queue.read(box(4, [1, 1, 1]), signal), queue.read(box(5), signal));
    const settled = await Promise.allSettled(answers);
    expect(begun).toEqual([4, 5, 3, 1]);
    expect(settled.map((one) => (one.status === 'fulfilled' ? one.value[0] : one.reason.tag))).toEqual([1, 'aborted', 3, 4, 5]);
  });

  test('read several rows of chunks at the same time; those that are cancelled stop at the next chunks', async () => {
    const info = testInfo([200, 32, 8, 1], 'u8');
    const container = await compressBytes(backend, info, testVoxels(info), { chunkShape: [4, 4, 4] });
    let controller: AbortController | undefined;
    let reads = 0;
    let running = 0;
    let mostRunning = 0;
    const memory = memorySource('a.stria', container.bytes);
    const counted: ByteSource = {
      ...memory,
      async read(...range) {
        reads++;
        mostRunning = Math.max(mostRunning, ++running);
        await new Promise((resolve) => setTimeout(resolve, 1));
        if (reads >= 6) controller?.abort();
        running--;
        return memory.read(...range);
      },
    };
    const reader = await ContainerReader.open(counted);
    [reads, mostRunning] = [0, 0];
    const all: LevelBox = { level: 0, first: [0, 0, 0], size: [200, 32, 8], timePoint: 0 };
    const whole = await leveledContainer(reader, []).read(all);
    expect(whole).toEqual(new Uint8Array(testVoxels(info)));
    // 16 rows of 50 chunks: 16 chunks are read together, and 16 such reads run at once.
    expect([reads, mostRunning]).toEqual([64, 16]);
    reads = 0;
    controller = new AbortController();
    const cancelled = leveledContainer(reader, []).read(all, { signal: controller.signal });
    await expect(cancelled).rejects.toMatchObject({ tag: 'aborted' });
    expect(reads).toBeLessThan(24);
  });
});
