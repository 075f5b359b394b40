import { expect, test } from 'vitest';
import { testBricks } from '../../../core/bricks/bricks-testing.ts';
import { HostBricks } from '../../../core/bricks/host-bricks.ts';
import { openTestGpu } from '../../../testing/node-gpu-testing.ts';
import { BrickSpace } from './brick-space.ts';

const gpu = await openTestGpu();

test('a frame is requested for a constant brick, whose finer bricks it may ask for', async () => {
  const source = await testBricks([32, 32, 32, 1], 'u8', [8, 8, 8], () => 7);
  const host = new HostBricks(source);
  let frames = 0;
  const listener = { arrived: () => frames++, changed: () => {} };
  const space = new BrickSpace(gpu, host, { payloadBytes: 2 ** 16, atlasBytes: 2 ** 14 }, () => [0, 255], listener);
  space.bricks.want([3]);
  await expect.poll(() => space.bricks.has(3)).toBe(true);
  await expect.poll(() => frames).toBe(1);
  space.update();
  expect(frames).toBe(1);
  space.close();
  host.close();
});
