import { expect, test } from 'vitest';
import { StriaError } from '../shared/errors.ts';
import type { LevelBox } from '../shared/volume-level.ts';
import { VoxelGroups } from './voxel-groups.ts';

test('groups that are still being read do not evict one that has been read', async () => {
  const reads: string[] = [];
  const read = (box: LevelBox) => {
    reads.push(box.first.join());
    return box.first[0] === 4 ? new Promise<never>(() => {}) : Promise.resolve(new Uint8Array(64));
  };
  const groups = new VoxelGroups({ read }, 100, 4);
  const at = (x: number): LevelBox => ({ level: 0, first: [x, 0, 0], size: [4, 4, 4], timePoint: 0 });
  void groups.read(at(4), 16, undefined);
  await groups.read(at(0), 16, undefined);
  await groups.read(at(0), 16, undefined);
  expect(reads).toEqual(['4,0,0', '0,0,0']);
});

test('a group is read as a whole, or some planes at a time if the file refuses that', async () => {
  const reads: [number, number][] = [];
  const groupsOf = (most: number, depth: number) => {
    reads.length = 0;
    const read = async ({ first, size }: LevelBox) => {
      reads.push([first[2], size[2]]);
      if (size[2] > most) throw new StriaError('unsupported', 'too much of the file would be read');
      return new Uint8Array(size[2]).map((_, at) => first[2] + at);
    };
    const box = { level: 0, first: [0, 0, 5], size: [1, 1, depth], timePoint: 0 } as const;
    return new VoxelGroups({ read }, 100, 4).read(box, 1, undefined);
  };
  const expected = Uint8Array.from({ length: 40 }, (_, at) => 5 + at);
  expect(await groupsOf(64, 40)).toEqual(expected);
  expect(reads).toEqual([[5, 40]]);
  expect(await groupsOf(16, 40)).toEqual(expected);
  expect(reads).toEqual([
    [5, 40],
    [5, 16],
    [21, 16],
    [37, 8],
  ]);
  await expect(groupsOf(8, 40)).rejects.toMatchObject({ tag: 'unsupported' });
});

test('groups of a layer are read together, a few planes of each in turn; a fault or a cancel ends only its own group', async () => {
  const reads: [x: number, z: number, planes: number][] = [];
  const cancel = new AbortController();
  const read = async ({ first: [x, , z], size }: LevelBox) => {
    reads.push([x, z, size[2]]);
    await new Promise(setImmediate);
    if (x === 2 && z === 4) throw new StriaError('corrupt', 'a chunk is damaged');
    if (x === 3 && z === 0) cancel.abort();
    return new Uint8Array(size[2]).fill(10 * x + z);
  };
  const groups = new VoxelGroups({ read }, 1000, 1, { bytes: 30, planes: 4 });
  const at = (x: number, z = 0): LevelBox => ({ level: 0, first: [x, 0, z], size: [1, 1, 10], timePoint: 0 });
  const results = await Promise.allSettled([
    // The first one begins before the others are asked for.
    groups.read(at(0), 1, undefined),
    groups.read(at(1), 1, undefined),
    groups.read(at(9, 10), 1, undefined),
    groups.read(at(2), 1, undefined),
    groups.read(at(3), 1, cancel.signal),
    // This one would exceed the limit of 30 bytes.
    groups.read(at(4), 1, undefined),
  ]);
  const found = results.map((result) => (result.status === 'fulfilled' ? [...new Set(result.value)] : result.reason.tag));
  expect(found).toEqual([[0], [10, 14, 18], [100], 'corrupt', 'aborted', [40]]);
  const together = [1, 2, 3].map((x) => [x, 0, 4]);
  expect(reads).toEqual([[0, 0, 10], ...together, [1, 4, 4], [2, 4, 4], [1, 8, 2], [9, 10, 10], [4, 0, 10]]);
});

test('groups that were cancelled while they waited take no memory from the others of their layer', async () => {
  const reads: number[] = [];
  const read = async ({ first: [x], size }: LevelBox) => {
    reads.push(x);
    await new Promise(setImmediate);
    return new Uint8Array(size[2]);
  };
  const groups = new VoxelGroups({ read }, 1000, 1, { bytes: 30, planes: 5 });
  const at = (x: number): LevelBox => ({ level: 0, first: [x, 0, 0], size: [1, 1, 10], timePoint: 0 });
  const cancel = new AbortController();
  const cancelled = [1, 2].map((x) => groups.read(at(x), 1, cancel.signal));
  const others = [3, 4, 5].map((x) => groups.read(at(x), 1, undefined));
  cancel.abort();
  const ends = await Promise.allSettled(cancelled);
  expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  await Promise.all(others);
  expect(reads).toEqual([1, 3, 4, 5, 3, 4, 5]);
});
