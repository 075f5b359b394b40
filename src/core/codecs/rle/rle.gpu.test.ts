import { openTestGpu } from '../../../testing/node-gpu-testing.ts';
import { describeCodecOnGpu } from '../gpu-codec-testing.ts';
import { rle } from './index.ts';

const gpu = await openTestGpu();

describeCodecOnGpu(rle, gpu, 'default dispatches');
describeCodecOnGpu(rle, gpu, 'spread dispatches', { isBrief: true, isSpread: true });
