import { openTestGpu } from '../../../cli/node-gpu-testing.ts';
import { describeCodecOnGpu } from '../describe-codec-gpu.ts';
import { raw } from './index.ts';

const gpu = await openTestGpu();
const smallGpu = await openTestGpu('default');

describeCodecOnGpu(raw, gpu, "the adapter's limits");
describeCodecOnGpu(raw, smallGpu, 'default limits', { isSecondDevice: true });
