import { afterAll } from 'vitest';
import { openNodeGpu, releaseNodeGpu } from '../../../cli/node-gpu.ts';
import { describeCodecOnGpu } from '../describe-codec-gpu.ts';
import { huffman } from './index.ts';

const gpu = await openNodeGpu({ software: true });
const smallGpu = await openNodeGpu({ software: true, limits: 'default' });

describeCodecOnGpu(huffman, gpu, "the adapter's limits");
describeCodecOnGpu(huffman, smallGpu, 'default limits', { isSecondDevice: true });

afterAll(() => {
  gpu.destroy();
  smallGpu.destroy();
  releaseNodeGpu();
});
