import { expect, test } from 'vitest';
import { noise } from '../common/source-testing.ts';
import { transposeBytes } from './transpose.ts';

test('rows of bytes become elements, of any length and at any address', () => {
  for (const elementBytes of [1, 2, 3, 4, 8]) {
    for (const offset of [0, 1, 2, 4]) {
      for (const length of [0, 1, 64, 67]) {
        const rows = noise(length, 3);
        const content = new Uint8Array(offset + length).subarray(offset);
        transposeBytes(rows, content, elementBytes);
        const count = Math.floor(length / elementBytes);
        const whole = count * elementBytes;
        const expected = rows.map((last, at) =>
          at < whole ? (rows[(at % elementBytes) * count + Math.floor(at / elementBytes)] as number) : last,
        );
        expect(content).toEqual(expected);
      }
    }
  }
});
