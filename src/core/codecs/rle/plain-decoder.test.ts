import { describePlainDecoder } from '../plain-decoder-testing.ts';
import { rle } from './index.ts';
import { decodePlainly } from './plain-decoder-testing.ts';

describePlainDecoder(rle, decodePlainly);
