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
