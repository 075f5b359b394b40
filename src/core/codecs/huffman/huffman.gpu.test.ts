import { openTestGpu } from '../../../testing/node-gpu-testing.ts';
import { describeCodecOnGpu } from '../gpu-codec-testing.ts';
import { huffman } from './index.ts';

const gpu = await openTestGpu();

describeCodecOnGpu(huffman, gpu, 'default dispatches');
describeCodecOnGpu(huffman, gpu, 'spread dispatches', { isBrief: true, isSpread: true });
