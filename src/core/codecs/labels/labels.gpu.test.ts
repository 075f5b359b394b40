import { test } from 'vitest';
import { openTestGpu } from '../../../testing/node-gpu-testing.ts';
import { makeChunk, poisonedBox, putChunk } from '../../codec/chunk-testing.ts';
import { expectBatch } from '../gpu-batch-testing.ts';
import { describeCodecOnGpu } from '../gpu-codec-testing.ts';
import { labels } from './index.ts';

const gpu = await openTestGpu();

describeCodecOnGpu(labels, gpu, 'default dispatches');
describeCodecOnGpu(labels, gpu, 'spread dispatches', { isBrief: true, isSpread: true });

// One brick is coded, one is raw because its stream gets too long, and one is raw because it has too many labels.
test('bricks of noise with few and with many labels', async () => {
  const counts = [2, 3, 5, 17, 40, 60, 64, 65];
  const box = poisonedBox([16 * counts.length, 16, 16], 1);
  const noise = (x: number, _y: number, _z: number, random: () => number) => random() % (counts[x >> 4] as number);
  putChunk(box, [0, 0, 0], makeChunk(box.dims, 1, noise));
  await expectBatch(gpu, labels, box, [{ origin: [0, 0, 0], shape: box.dims, parameters: new Uint8Array(0) }]);
});

// The last brick has one element: its label is as long as the brick.
test.each([7, 9])('a brick of one element, which is %i, after bricks of 9', async (last) => {
  const box = poisonedBox([17, 17, 33], 4);
  const isLast = (x: number, y: number, z: number) => x === 16 && y === 16 && z === 32;
  putChunk(
    box,
    [0, 0, 0],
    makeChunk(box.dims, 4, (x, y, z) => (isLast(x, y, z) ? last : 9)),
  );
  await expectBatch(gpu, labels, box, [{ origin: [0, 0, 0], shape: box.dims, parameters: new Uint8Array(0) }]);
});
