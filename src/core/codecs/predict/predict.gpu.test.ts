import { test } from 'vitest';
import { openTestGpu } from '../../../testing/node-gpu-testing.ts';
import type { Dims3 } from '../../shared/volume.ts';
import { expectBatch, scanBox } from '../gpu-batch-testing.ts';
import { describeCodecOnGpu } from '../gpu-codec-testing.ts';
import { pictureGeometry, volumeGeometry } from './bricks.ts';
import { predict } from './index.ts';
import { parametersOf } from './layout.ts';

const gpu = await openTestGpu();

describeCodecOnGpu(predict, gpu, 'default dispatches');
describeCodecOnGpu(predict, gpu, 'spread dispatches', { isBrief: true, isSpread: true });

test.each([1, 2, 4] as const)('all modes in one batch as a first stage, %i-byte elements', async (elementBytes) => {
  // The upper three slices are pictures, the lower four volumes. The second of each may have medians.
  const parts: { origin: Dims3; shape: Dims3 }[] = [
    { origin: [0, 0, 0], shape: [80, 100, 4] },
    { origin: [80, 0, 0], shape: [70, 100, 4] },
    { origin: [0, 0, 4], shape: [80, 100, 3] },
    { origin: [80, 0, 4], shape: [70, 100, 3] },
  ];
  const chunks = parts.map(({ origin, shape }, i) => {
    const geometry = i < 2 ? volumeGeometry : pictureGeometry;
    const parameters = parametersOf({ geometry, tryMedian: i % 2 === 1 });
    return { origin, shape, parameters };
  });
  await expectBatch(gpu, predict, scanBox(elementBytes), chunks, true);
});
