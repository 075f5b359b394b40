import { describePlainDecoder } from '../plain-decoder-testing.ts';
import { predict } from './index.ts';
import { decodePlainly } from './plain-decoder-testing.ts';

describePlainDecoder(predict, decodePlainly);
