import { openTestGpu } from '../../../cli/node-gpu-testing.ts';
import { describeCodecOnGpu } from '../describe-codec-gpu.ts';
import { raw } from './index.ts';

const gpu = await openTestGpu();

describeCodecOnGpu(raw, gpu, 'as dispatches are');
describeCodecOnGpu(raw, gpu, 'dispatches spread', { isBrief: true, isSpread: true });
