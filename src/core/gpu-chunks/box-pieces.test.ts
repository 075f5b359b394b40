import fc from 'fast-check';
import { expect, test } from 'vitest';
import { piecesOf } from './box-pieces.ts';

test('pieces follow each other from whole voxel to whole voxel, and none is longer than allowed', () => {
  const lengths = fc.record({ byteLength: fc.integer({ min: 0, max: 10_000 }), words: fc.integer({ min: 1, max: 300 }) });
  fc.assert(
    fc.property(lengths, ({ byteLength, words }) => {
      let end = 0;
      for (const { at, length } of piecesOf(byteLength, 8 * words)) {
        if (at !== end || at % 8 !== 0 || length <= 0 || length > 8 * words) expect.fail(`${length} bytes at ${at} after ${end}`);
        end += length;
      }
      expect(end).toBe(byteLength);
    }),
  );
});
