import { expect, test } from 'vitest';
import { openTestGpu } from '../../testing/node-gpu-testing.ts';
import { ballVoxel, testBricks } from '../bricks/bricks-testing.ts';
import type { Dims4 } from '../shared/volume.ts';
import { BrickStage } from './brick-stage.ts';
import { targetOf } from './view.ts';
import { turned } from './view-turning.ts';

const gpu = await openTestGpu();
const dims: Dims4 = [40, 33, 26, 1];

test('the bricks that a trial decodes count for its frame', async () => {
  using scope = gpu.scope('test');
  const bricks = await testBricks(dims, 'u8', [8, 8, 8], ballVoxel(dims, 'u8'), { codecs: ['raw'] });
  const gpuLimits = { payloadBytes: 2 ** 20, atlasBytes: 200 * 512, textureBytes: 2 ** 24 };
  const size = targetOf(32);
  const stage = new BrickStage(gpu, scope, bricks, [0, 200], size, { hostBytes: 2 ** 20, gpu: gpuLimits });
  const view = turned(0, size);
  let counted = 0;
  for (let frame = 0; frame < 8; frame++) {
    await stage.tried('mip', view, 1 / 8);
    const { decoded, updateMs = 0, hostMs } = await stage.draw('mip', view);
    expect(hostMs).toBeGreaterThan(updateMs);
    counted += decoded;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  expect(counted).toBeGreaterThan(0);
  expect(counted).toBe(stage.bricks.use.decoded);
  stage.close();
});
