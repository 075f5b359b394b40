import fc from 'fast-check';
import { expect, test } from 'vitest';
import { piecesOf } from './box-pieces.ts';

test('pieces follow each other from whole voxel to whole voxel, and none is longer than allowed', () => {
  const lengths = fc.record({ byteLength: fc.integer({ min: 0, max: 10_000 }), words: fc.integer({ min: 1, max: 300 }) });
  fc.assert(
    fc.property(lengths, ({ byteLength, words }) => {
      let end = 0;
      for (const { at, length } of piecesOf(byteLength, 8 * words)) {
        expect(at).toBe(end);
        expect(at % 8).toBe(0);
        expect(length).toBeGreaterThan(0);
        expect(length).toBeLessThanOrEqual(8 * words);
        end += length;
      }
      expect(end).toBe(byteLength);
    }),
  );
});
