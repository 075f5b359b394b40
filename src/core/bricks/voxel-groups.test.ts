import { expect, test } from 'vitest';
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
