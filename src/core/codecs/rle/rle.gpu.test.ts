import { openTestGpu } from '../../../testing/node-gpu-testing.ts';
import { describeCodecOnGpu } from '../gpu-codec-testing.ts';
import { rle } from './index.ts';

const gpu = await openTestGpu();

describeCodecOnGpu(rle, gpu, 'as dispatches are');
describeCodecOnGpu(rle, gpu, 'dispatches spread', { isBrief: true, isSpread: true });
