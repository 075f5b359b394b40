import { openTestGpu } from '../../../cli/node-gpu-testing.ts';
import { describeCodecOnGpu } from '../describe-codec-gpu.ts';
import { labels } from './index.ts';

const gpu = await openTestGpu();
const smallGpu = await openTestGpu('default');

describeCodecOnGpu(labels, gpu, "the adapter's limits");
describeCodecOnGpu(labels, smallGpu, 'default limits', { isSecondDevice: true });
