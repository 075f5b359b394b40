import { openTestGpu } from '../../../testing/node-gpu-testing.ts';
import { describeCodecOnGpu } from '../gpu-codec-testing.ts';
import { raw } from './index.ts';

const gpu = await openTestGpu();

describeCodecOnGpu(raw, gpu, 'as dispatches are');
describeCodecOnGpu(raw, gpu, 'dispatches spread', { isBrief: true, isSpread: true });
