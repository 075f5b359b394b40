import { afterAll } from 'vitest';
import { openNodeGpu, releaseNodeGpu } from '../../../cli/node-gpu.ts';
import { describeCodecOnGpu } from '../describe-codec-gpu.ts';
import { rle } from './index.ts';

const gpu = await openNodeGpu({ software: true });
const smallGpu = await openNodeGpu({ software: true, limits: 'default' });

describeCodecOnGpu(rle, gpu, "the adapter's limits");
describeCodecOnGpu(rle, smallGpu, 'default limits', { manyChunks: true, isSecondDevice: true });

afterAll(() => {
  gpu.destroy();
  smallGpu.destroy();
  releaseNodeGpu();
});
