import { describeCodec } from '../../codec/codec-testing.ts';
import { raw } from './index.ts';

describeCodec(raw, [
  {
    name: 'SPEC.md, worked example',
    shape: [3, 2, 1],
    elementBytes: 2,
    voxels: '01 00 02 00 03 00 00 01 01 01 ff ff',
    parameters: '',
    payload: '01 00 02 00 03 00 00 01 01 01 ff ff',
  },
]);
