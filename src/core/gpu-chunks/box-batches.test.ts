import { expect, test } from 'vitest';
import type { ResidentBox } from '../chunks/backend.ts';
import { inBatches } from './box-batches.ts';

const chunks = Array.from({ length: 5 }, (_, z) => ({ origin: [0, 0, 4 * z], shape: [4, 4, 4] }) as const);
const box: ResidentBox = { voxels: { buffer: {} as GPUBuffer, dims: [4, 4, 20], elementBytes: 1 }, chunks };

test('batches are worked on at the same time, at most as many as allowed, and progress counts all', async () => {
  let [running, most] = [0, 0];
  const firsts: number[] = [];
  const done: number[] = [];
  await inBatches(
    box,
    128,
    'Testing',
    { onProgress: (progress) => done.push(progress.done) },
    async (_batch, first) => {
      firsts.push(first);
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, 1));
      running--;
    },
    2,
  );
  expect(firsts).toEqual([0, 2, 4]);
  expect(most).toBe(2);
  expect(done.at(-1)).toBe(5 * 64);
});

test('after a failure no further batch begins, and the running ones end before it is thrown', async () => {
  const ended: number[] = [];
  const work = async (_batch: ResidentBox, first: number) => {
    await new Promise((resolve) => setTimeout(resolve, first === 0 ? 1 : 20));
    if (first === 0) throw new Error('failed');
    ended.push(first);
  };
  await expect(inBatches(box, 64, 'Testing', {}, work, 2)).rejects.toThrow('failed');
  expect(ended).toEqual([1]);
});
