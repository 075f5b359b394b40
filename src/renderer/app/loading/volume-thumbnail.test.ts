import { gzipSync } from 'fflate';
import { expect, test } from 'vitest';
import { memoryTree } from '../../../core/io/common/file-tree.ts';
import { niftiFile } from '../../../core/io/common/source-testing.ts';
import type { OpenVolume } from '../../../core/io/common/volume-reader.ts';
import { openVolume } from '../../../core/io/open-volume.ts';
import { memorySource } from '../../../core/shared/bytes.ts';
import { thumbnailOf } from './volume-thumbnail.ts';

/** Each voxel is 10 × its z, plus its x, plus 100 in the second row. */
const [nx, ny, nz] = [4, 2, 6];
const voxels = Uint8Array.from(
  { length: nx * ny * nz },
  (_, at) => 10 * Math.floor(at / nx / ny) + (at % nx) + 100 * (Math.floor(at / nx) % ny),
);

/** The values at the corners of a thumbnail, if 0 to 255 is shown as it is. */
async function corners(volume: OpenVolume) {
  const shown = { ...volume, info: { ...volume.info, windows: [{ name: '', low: 0, high: 255 }] } };
  const thumbnail = await thumbnailOf(shown);
  if (!thumbnail) throw new Error('no thumbnail');
  const { width, height, gray } = thumbnail;
  return { size: [width, height], values: [gray[0], gray[width - 1], gray.at(-width), gray.at(-1)] };
}

const file = (fields = {}) => niftiFile({ dim: [3, nx, ny, nz], datatype: 2, ...fields }, voxels);

test('is the middle slice, with its aspect ratio in space', async () => {
  const volume = await openVolume(memorySource('a.nii', file({ pixdim: [1, 1, 2, 3] })));
  expect(await corners(volume)).toEqual({ size: [128, 128], values: [30, 33, 130, 133] });
});

test('is oriented as in the views: right on the left, front at the top', async () => {
  const sform = { code: 1, rows: [1, 0, 0, -5, 0, 1, 0, -6, 0, 0, 1, -7] };
  expect(await corners(await openVolume(memorySource('a.nii', file({ sform }))))).toEqual({
    size: [128, 64],
    values: [133, 130, 33, 30],
  });
});

test('voxels of a compressed file are read in order, and only as far as needed', async () => {
  const volume = await openVolume(memorySource('a.nii.gz', gzipSync(file())));
  expect(volume.fill).toBeUndefined();
  expect((await corners(volume)).values).toEqual([30, 33, 130, 133]);
});

test('without a window in the file, the values of the picture determine it, even if some are not numbers', async () => {
  const floats = Float32Array.from({ length: nx * ny * nz }, (_, at) => (at % 5 === 0 ? Number.NaN : at));
  const bytes = niftiFile({ dim: [3, nx, ny, nz], datatype: 16 }, new Uint8Array(floats.buffer));
  const thumbnail = await thumbnailOf(await openVolume(memorySource('a.nii', bytes)));
  expect([Math.min(...(thumbnail?.gray ?? [])), Math.max(...(thumbnail?.gray ?? []))]).toEqual([0, 255]);
});

test('a volume that is too large has none', async () => {
  const { info, ...rest } = await openVolume(memoryTree('folder', { 'a.nii': file() }));
  expect(await thumbnailOf({ ...rest, info: { ...info, dims: [10_000, 10_000, 1, 1] } })).toBeUndefined();
  const { fill: _, ...inOrder } = rest;
  expect(await thumbnailOf({ ...inOrder, info: { ...info, dims: [1000, 1000, 2000, 1] } })).toBeUndefined();
});
