import { afterAll } from 'vitest';
import { openNodeGpu, releaseNodeGpu } from '../../../cli/node-gpu.ts';
import { describeCodecOnGpu } from '../describe-codec-gpu.ts';
import { raw } from './index.ts';

const gpu = await openNodeGpu({ software: true });
const smallGpu = await openNodeGpu({ software: true, limits: 'default' });

describeCodecOnGpu(raw, gpu, "the adapter's limits");
describeCodecOnGpu(raw, smallGpu, 'default limits', { manyChunks: true, isSecondDevice: true });

afterAll(() => {
  gpu.destroy();
  smallGpu.destroy();
  releaseNodeGpu();
});
