import { expect, test } from 'vitest';
import { swapBytes } from './volume.ts';

test.each([1, 2, 4, 8] as const)(
  'values of %i bytes are reversed wherever they begin, and the bytes behind the last stay',
  (width) => {
    for (let offset = 0; offset < 9; offset++) {
      for (let length = 0; length < 40; length++) {
        const all = Uint8Array.from({ length: 60 }, (_, at) => 7 * at + 1);
        const expected = [...all];
        for (let at = offset; at + width <= offset + length; at += width) {
          expected.splice(at, width, ...expected.slice(at, at + width).reverse());
        }
        swapBytes(all.subarray(offset, offset + length), width);
        expect([...all]).toEqual(expected);
      }
    }
  },
);
