import { expect, test } from 'vitest';
import { makeChunk } from '../../codec/chunk-testing.ts';
import { describePlainDecoder } from '../plain-decoder-testing.ts';
import { rice } from './index.ts';
import { decodePlainly } from './plain-decoder-testing.ts';

describePlainDecoder(rice, decodePlainly);

test('every predictor turns the same residuals into the same elements as the reference', () => {
  for (const elementBytes of [1, 2] as const) {
    for (const [form, shape] of [
      [16, [11, 9, 7]],
      [17, [23, 17, 1]],
    ] as const) {
      const chunk = makeChunk(shape, elementBytes, (x, y, z, random) => 50 * x + 7 * y - 5 * z + (random() % 9));
      const parameters = Uint8Array.of(form);
      const payload = rice.reference.encode(chunk, parameters);
      for (let predictor = 0; predictor < 16; predictor++) {
        // A directory of one word, then the brick, whose bits 8 to 11 hold the predictor.
        const changed = payload.with(5, ((payload[5] as number) & 0xf0) | predictor);
        const expected = rice.reference.decode(changed, chunk, parameters);
        expect([...decodePlainly(changed, chunk, parameters)], `predictor ${predictor}`).toEqual([...expected]);
      }
    }
  }
});
