import { describePlainDecoder } from '../plain-decoder-testing.ts';
import { labels } from './index.ts';
import { decodePlainly } from './plain-decoder-testing.ts';

describePlainDecoder(labels, decodePlainly);
