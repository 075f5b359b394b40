import { openTestGpu } from '../../../testing/node-gpu-testing.ts';
import { describeCodecOnGpu } from '../gpu-codec-testing.ts';
import { huffman } from './index.ts';

const gpu = await openTestGpu();

describeCodecOnGpu(huffman, gpu, 'as dispatches are');
describeCodecOnGpu(huffman, gpu, 'dispatches spread', { isBrief: true, isSpread: true });
