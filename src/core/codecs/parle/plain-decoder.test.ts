import { describePlainDecoder } from '../plain-decoder-testing.ts';
import { parle } from './index.ts';
import { decodePlainly } from './plain-decoder-testing.ts';

describePlainDecoder(parle, decodePlainly);
