import { describeCodec } from '../../codec/codec-testing.ts';
import { wave } from './index.ts';

describeCodec(wave, [], { canonical: false });
