import { expect, test } from 'vitest';
import type { LevelBox } from '../../shared/volume-level.ts';
import { griddedLevels } from './gridded-levels.ts';

/** An array of one chunk, whose reads are counted and can be cancelled. */
function oneChunk() {
  const reads: AbortSignal[] = [];
  const grid = {
    shape: [8, 8, 16],
    chunks: [8, 8, 16],
    type: 'u8' as const,
    read: async (_index: readonly number[], { signal = new AbortController().signal } = {}) => {
      reads.push(signal);
      await new Promise((resolve) => setTimeout(resolve, 5));
      signal.throwIfAborted();
      return { data: Uint8Array.from({ length: 1024 }, (_, at) => at), stride: [128, 16, 1] };
    },
  };
  const plan = { x: 2, y: 1, z: 0, series: [], dims: [16, 8, 8, 1] as const, channelCount: undefined };
  return { reads, levels: griddedLevels([{ grid, plan }]) };
}
const half = (x: number): LevelBox => ({ level: 0, first: [x, 0, 0], size: [8, 8, 8], timePoint: 0 });

test('boxes that are read at once read the chunk that they share once', async () => {
  const { reads, levels } = oneChunk();
  const [left, right] = await Promise.all([levels.read(half(0)), levels.read(half(8))]);
  expect(reads).toHaveLength(1);
  expect([left?.[0], left?.[8], right?.[0]]).toEqual([0, 16, 8]);
});

test('a level is read as a whole even if a slab of it needs more chunks than a box may', async () => {
  const grid = {
    shape: [4, 8, 8],
    chunks: [4, 4, 4],
    type: 'u8' as const,
    read: async ([, row = 0, column = 0]: readonly number[]) => ({
      stride: [16, 4, 1],
      data: Uint8Array.from({ length: 64 }, (_, at) => (at >> 4) * 64 + (row * 4 + ((at >> 2) & 3)) * 8 + column * 4 + (at & 3)),
    }),
  };
  const plan = { x: 2, y: 1, z: 0, series: [], dims: [8, 8, 4, 1] as const, channelCount: undefined };
  const levels = griddedLevels([{ grid, plan }], { cacheBytes: 64, slabBytes: 16, mostBytes: 128 });
  const all: number[] = [];
  for await (const piece of levels.voxels(0)) all.push(...piece);
  expect(all).toEqual(Array.from({ length: 256 }, (_, at) => at));
  const plane = { level: 0, first: [0, 0, 0], size: [8, 8, 1], timePoint: 0 } as const;
  await expect(levels.read(plane)).rejects.toMatchObject({ tag: 'unsupported' });
});
