import { openTestGpu } from '../../../testing/node-gpu-testing.ts';
import { describeCodecOnGpu } from '../gpu-codec-testing.ts';
import { wave } from './index.ts';

const gpu = await openTestGpu();

describeCodecOnGpu(wave, gpu, 'as dispatches are');
describeCodecOnGpu(wave, gpu, 'dispatches spread', { isBrief: true, isSpread: true });
