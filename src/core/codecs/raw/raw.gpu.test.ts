import { openTestGpu } from '../../../testing/node-gpu-testing.ts';
import { describeCodecOnGpu } from '../gpu-codec-testing.ts';
import { raw } from './index.ts';

const gpu = await openTestGpu();

describeCodecOnGpu(raw, gpu, 'default dispatches');
describeCodecOnGpu(raw, gpu, 'spread dispatches', { isBrief: true, isSpread: true });
