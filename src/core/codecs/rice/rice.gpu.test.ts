import { expect, test } from 'vitest';
import { openTestGpu } from '../../../cli/node-gpu-testing.ts';
import type { Dims3 } from '../../shared/volume.ts';
import { describeCodecOnGpu } from '../describe-codec-gpu.ts';
import { expectBatch, scanBox } from '../gpu-batch-testing.ts';
import { takeChunk } from '../test-chunks.ts';
import { rice } from './index.ts';

const gpu = await openTestGpu();

describeCodecOnGpu(rice, gpu, 'as dispatches are');
describeCodecOnGpu(rice, gpu, 'dispatches spread', { isBrief: true, isSpread: true });
describeCodecOnGpu(
  { ...rice, choose: (statistics, chunk, options) => rice.choose(statistics, chunk, { ...options, effort: 'max' }) },
  gpu,
  'effort max',
  { isBrief: true },
);

test.each([1, 2, 4] as const)('volumes and pictures of several bricks in one batch, %i-byte elements', async (elementBytes) => {
  const box = scanBox(elementBytes);
  // The upper three slices are pictures, the lower four a volume.
  const parts: { origin: Dims3; shape: Dims3 }[] = [
    { origin: [0, 0, 0], shape: [150, 100, 4] },
    { origin: [0, 0, 4], shape: [100, 100, 3] },
    { origin: [100, 0, 4], shape: [50, 100, 3] },
  ];
  const chunks = parts.map(({ origin, shape }) => {
    const chunk = takeChunk(box, origin, shape);
    const effort = origin[0] === 0 ? 'normal' : 'max';
    const parameters = rice.choose({ changes: [1, 1, 1] }, chunk, { axis: 'auto', effort });
    return { origin, shape, parameters };
  });
  expect(chunks.map(({ parameters }) => [...parameters])).toEqual([[0], [1], [17]]);
  await expectBatch(gpu, rice, box, chunks);
});
