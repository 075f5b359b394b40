import { expect, test } from 'vitest';
import type { Gpu } from '../../../core/gpu/gpu.ts';
import type { BrickSpace } from './brick-space.ts';
import { ObliqueDetail, type ObliqueSlice } from './oblique-detail.ts';

test('a picture that waits for bricks requests no more once its view is closed', async () => {
  const wishes: number[] = [];
  const bricks = { use: { decoded: 0 }, want: (keys: readonly number[]) => wishes.push(keys.length) };
  const space = { isClosed: false, bricks } as unknown as BrickSpace;
  const detail = new ObliqueDetail({ isLost: false } as Gpu, 'rgba8unorm', () => {});
  detail.destroy();
  const slice = { width: 64, height: 48, timePoints: [0] } as ObliqueSlice;
  expect(detail.drawing(space, slice)).toBeUndefined();
  await detail.load(space, slice, undefined);
  expect(wishes).toEqual([]);
});
