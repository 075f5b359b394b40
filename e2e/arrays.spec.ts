import { readFileSync } from 'node:fs';
import { zipSync } from 'fflate';
import { hdf5File } from '../src/core/io/hdf5/h5-testing.ts';
import { zarrArray } from '../src/core/io/zarr/zarr-testing.ts';
import { expectOpen, volumeFacts, voxelsInGpu } from './support/app.ts';
import { expect, test } from './support/test.ts';
import { shapes } from './support/volumes.ts';

test('HDF5 and Zarr open: their decoders are loaded in the worker', async ({ stria }) => {
  const { page } = stria;
  const { bytes } = shapes(32);
  const expectVoxels = async (name: string, format: string) => {
    await expectOpen(page, name);
    expect((await voxelsInGpu(page)).equals(bytes), `voxels of ${name}`).toBe(true);
    expect(await volumeFacts(page)).toMatchObject({ Format: format });
  };
  const shape = [32, 32, 32];
  const hdf5 = await hdf5File((file) => {
    file.create_dataset({ name: 'volume', data: new Uint8Array(bytes), shape, chunks: [16, 16, 16], compression: 4 });
  });
  await stria.dropFiles([stria.write('cells.h5', Buffer.from(hdf5))]);
  await expectVoxels('cells.h5', 'HDF5');

  const values = new Uint8Array(bytes);
  const zarr = await zarrArray('', {
    version: 3,
    shape,
    chunks: [8, 16, 16],
    dtype: '|u1',
    values,
    perShard: [2, 2, 2],
    compressor: 'zstd',
  });
  await stria.dropFiles([stria.write('cells.zarr.zip', Buffer.from(zipSync(zarr)))]);
  await expectVoxels('cells.zarr.zip', 'OME-Zarr');

  // Filters are plugins of the library, which the page's policy must allow.
  for (const name of ['lzf.h5', 'bitshuffle.h5']) {
    await stria.dropFiles([stria.write(name, readFileSync(`testdata/hdf5/${name}`))]);
    await expectOpen(page, name);
    const voxels = await voxelsInGpu(page);
    expect([voxels.readUInt16LE(0), voxels.readUInt16LE(2 * 19), voxels.readUInt16LE(2 * (20 * 12 + 20))]).toEqual([0, 57, 101]);
  }
});
