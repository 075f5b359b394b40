import { openTestGpu } from '../../../cli/node-gpu-testing.ts';
import { describeCodecOnGpu } from '../describe-codec-gpu.ts';
import { huffman } from './index.ts';

const gpu = await openTestGpu();
const smallGpu = await openTestGpu('default');

describeCodecOnGpu(huffman, gpu, "the adapter's limits");
describeCodecOnGpu(huffman, smallGpu, 'default limits', { isSecondDevice: true });
