import { expect, test } from 'vitest';
import { memoryVolume } from '../../core/stream/memory-volume.ts';
import { testInfo, testVoxels } from '../../core/volume/resident-testing.ts';
import { openTestGpu } from '../../testing/node-gpu-testing.ts';
import { type CoarserLevels, loadOnGpu } from './gpu-volume.ts';

const gpu = await openTestGpu();
const info = testInfo([40, 30, 20, 1], 'u8');
const voxels = testVoxels(info);
const halved = Uint8Array.from({ length: 20 * 15 * 10 }, (_, at) => at % 200);

test('a volume that is too large is read from its finest level that fits, and the note says which', async () => {
  const coarser: CoarserLevels = {
    levels: [
      { dims: [20, 15, 10, 1], factors: [2, 2, 2] },
      { dims: [10, 8, 5, 1], factors: [4, 4, 4] },
    ],
    async *voxels(index) {
      expect(index).toBe(0);
      yield halved;
    },
  };
  const load = (budgetBytes: number, levels?: CoarserLevels) =>
    loadOnGpu(gpu, memoryVolume(info, voxels), levels && (async () => levels), {}, budgetBytes);
  const small = await load(4000, coarser);
  expect(small.note).toBe('the volume is too large for this GPU; the picture uses level 1 of 2, one voxel in 2 along each axis');
  expect(small.resident.dims).toEqual([20, 15, 10, 1]);
  expect(await small.resident.voxel(6, 4, 2, 0)).toBe(halved[(1 * 15 + 2) * 20 + 3]);
  small.resident.destroy();

  const whole = await load(2 ** 20, coarser);
  expect([whole.note, whole.resident.decimation]).toEqual([undefined, 1]);
  whole.resident.destroy();

  const without = await load(4000, {
    levels: [],
    voxels: coarser.voxels,
    fault: 'a.nii.levels.stria is not used: it is not complete',
  });
  expect(without.note).toBe(
    'the volume is too large for this GPU; the picture uses one voxel in 2 along each axis; a.nii.levels.stria is not used: it is not complete',
  );
  expect(await without.resident.voxel(6, 4, 2, 0)).toBe(voxels[(2 * 30 + 4) * 40 + 6]);
  without.resident.destroy();
});
