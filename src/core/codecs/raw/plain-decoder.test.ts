import { describePlainDecoder } from '../plain-decoder-testing.ts';
import { raw } from './index.ts';
import { decodePlainly } from './plain-decoder-testing.ts';

describePlainDecoder(raw, decodePlainly);
