import { expect, test } from 'vitest';
import { readBlock } from './read-block.ts';
import { testInfo } from './resident-testing.ts';
import type { ExactVoxels } from './volume-source.ts';

/** 5 × 4 × 3 voxels counted from 0, given as padded planes that extend beyond any box. */
const volume: ExactVoxels = {
  info: testInfo([5, 4, 3, 1], 'i16'),
  readBox: async (_box, visit) => {
    for (let z = 0; z < 3; z++) {
      const values = Int16Array.from({ length: 7 * 4 }, (_, at) =>
        at % 7 < 5 ? (z * 4 + Math.floor(at / 7)) * 5 + (at % 7) : -1,
      );
      visit({ first: [0, 0, z], size: [5, 4, 1], values, rowLength: 7 });
    }
  },
};

test('a block has the voxels of its box alone, in new memory or in given memory', async () => {
  const box = { first: [1, 2, 1], size: [3, 2, 2], timePoint: 0 } as const;
  const expected = Int16Array.of(31, 32, 33, 36, 37, 38, 51, 52, 53, 56, 57, 58);
  expect(await readBlock(volume, box)).toEqual(expected);
  const bytes = new Uint8Array(100);
  await readBlock(volume, box, { bytes: bytes.subarray(10, 34) });
  expect(new Int16Array(bytes.buffer)).toEqual(Int16Array.from({ length: 50 }, (_, at) => expected[at - 5] ?? 0));
});

test('reading a block can be cancelled', async () => {
  const box = { first: [0, 0, 0], size: [5, 4, 3], timePoint: 0 } as const;
  await expect(readBlock(volume, box, { signal: AbortSignal.abort() })).rejects.toMatchObject({ tag: 'aborted' });
});
