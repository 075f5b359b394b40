import { expect, test } from 'vitest';
import { infoOf } from '../../stream/engine-testing.ts';
import { repeatedVoxels } from './repeated-voxels.ts';

/** A volume whose voxels come in pieces of seven bytes. */
function volumeOf(type: 'u8' | 'i16' | 'f64', dims: [number, number, number, number], bytes: Uint8Array) {
  return {
    info: infoOf(dims, type),
    async *voxels() {
      for (let at = 0; at < bytes.byteLength; at += 7) yield bytes.slice(at, at + 7);
    },
  };
}

test('the first time point is repeated along each axis and cut off', async () => {
  const [x, y, z] = [5, 3, 2];
  const values = Int16Array.from({ length: x * y * z * 2 }, (_, at) => at - 20);
  const volume = volumeOf('i16', [x, y, z, 2], new Uint8Array(values.buffer));
  const repeated = new Int16Array((await repeatedVoxels(volume, [12, 7, 5], {})).buffer);
  const expected = Int16Array.from({ length: 12 * 7 * 5 }, (_, at) => {
    const [column, row, slice] = [at % 12, Math.floor(at / 12) % 7, Math.floor(at / 84)];
    return values[((slice % z) * y + (row % y)) * x + (column % x)] as number;
  });
  expect(repeated).toEqual(expected);
});

test('a volume larger than the cube is cut off', async () => {
  const volume = volumeOf(
    'u8',
    [4, 4, 4, 1],
    Uint8Array.from({ length: 64 }, (_, at) => at),
  );
  expect([...(await repeatedVoxels(volume, [2, 2, 2], {}))]).toEqual([0, 1, 4, 5, 16, 17, 20, 21]);
});

test('voxels of 64 bits are refused', async () => {
  await expect(repeatedVoxels(volumeOf('f64', [1, 1, 1, 1], new Uint8Array(8)), [8, 8, 8], {})).rejects.toThrow(
    /at most 32 bits, not f64/,
  );
});
