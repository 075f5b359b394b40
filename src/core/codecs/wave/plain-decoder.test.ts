import { describePlainDecoder } from '../plain-decoder-testing.ts';
import { wave } from './index.ts';
import { decodePlainly } from './plain-decoder-testing.ts';

describePlainDecoder(wave, decodePlainly);
