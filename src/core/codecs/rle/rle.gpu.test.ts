import { openTestGpu } from '../../../cli/node-gpu-testing.ts';
import { describeCodecOnGpu } from '../describe-codec-gpu.ts';
import { rle } from './index.ts';

const gpu = await openTestGpu();
const smallGpu = await openTestGpu('default');

describeCodecOnGpu(rle, gpu, "the adapter's limits");
describeCodecOnGpu(rle, smallGpu, 'default limits', { isSecondDevice: true });
