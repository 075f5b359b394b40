import { expect, test } from 'vitest';
import { ContainerBricks } from '../../bricks/container-bricks.ts';
import { MadeBricks } from '../../bricks/made-bricks.ts';
import { VoxelBricks } from '../../bricks/voxel-bricks.ts';
import { createCpuBackend } from '../../cpu/cpu-backend.ts';
import { inlinePool } from '../../cpu/inline-pool.ts';
import { ContainerReader } from '../../format/container-reader.ts';
import { memoryTree } from '../../io/common/file-tree.ts';
import type { OpenVolume } from '../../io/common/volume-reader.ts';
import { hdf5File } from '../../io/hdf5/h5-testing.ts';
import { describedTiff, omeXml, type TestImage } from '../../io/ome-tiff/ome-tiff-testing.ts';
import { openVolume } from '../../io/open-volume.ts';
import { tiffFile } from '../../io/tiff/tiff-testing.ts';
import { zarrArray } from '../../io/zarr/zarr-testing.ts';
import { memorySource } from '../../shared/bytes.ts';
import { StriaError } from '../../shared/errors.ts';
import { auto, watchedSink } from '../../stream/engine-testing.ts';
import { makeFittingLevels } from '../../stream/made-levels/fitting-levels.ts';
import { levelsToMake, makeLevels } from '../../stream/made-levels/make-levels.ts';
import { randomAccess } from '../../stream/made-levels/random-access.ts';
import { testInfo, testVoxels } from '../resident-testing.ts';
import { findKeptLevels, withKeptLevels } from './kept-levels.ts';
import { cut } from './level-testing.ts';
import { leveledContainer } from './leveled-container.ts';
import { leveledFile } from './leveled-file.ts';
import { MadeVoxels, unmadeLevels } from './made-voxels.ts';

// Files that store chunks and have no levels: their levels are those of a plain file with the same voxels.

const backend = createCpuBackend(inlinePool());
const settings = { backend, choice: auto };
const info = testInfo([150, 70, 66, 2], 'u16');
const bytes = testVoxels(info);
const [width, height, depth, times] = info.dims;
const shape = [times, depth, height, width];

const hdf5 = (chunks?: readonly number[]) => async (): Promise<OpenVolume> => {
  const file = await hdf5File((root) => {
    const data = new Uint16Array(bytes.buffer);
    const stored = chunks ? { chunks: [...chunks], compression: 4 } : {};
    root.create_dataset({ name: 'scan', data, shape, dtype: '<H', ...stored });
  });
  return openVolume(memorySource('a.h5', file));
};
const zarr = async (): Promise<OpenVolume> => {
  const array = { version: 3, shape, chunks: [1, 32, 32, 64], dtype: '<u2', values: bytes, compressor: 'gzip' } as const;
  return openVolume(memoryTree('a.zarr', await zarrArray('', array)));
};
const tiff = async (): Promise<OpenVolume> => {
  const image: TestImage = { sizes: [width, height, depth, 1, times], type: 'u16' };
  const planes = Array.from({ length: depth * times }, (_, plane) =>
    bytes.slice(plane * width * height * 2, (plane + 1) * width * height * 2),
  );
  const file = describedTiff(image, omeXml([image]), planes, { compression: 'deflate', rowsPerStrip: 16 });
  return openVolume(memorySource('a.ome.tif', file));
};
const pictures = (isPlanar: boolean) => async (): Promise<OpenVolume> => {
  // The samples of a pixel are time points.
  const planeBytes = 2 * width * height;
  const planeAt = (plane: number) => [...bytes.subarray(plane * planeBytes, (plane + 1) * planeBytes)];
  const pages = Array.from({ length: depth }, (_, z) => Uint8Array.from([...planeAt(z), ...planeAt(depth + z)]));
  const file = tiffFile({ width, height, type: 'u16', channels: 2, isPlanar, compression: 'lzw', rowsPerStrip: 16 }, pages);
  return openVolume(memorySource('a.tif', file));
};
const raw = () => openVolume(memorySource('a.raw', bytes), { raw: { dims: info.dims, type: 'u16' } });

async function levelsOf(volume: OpenVolume): Promise<Uint8Array<ArrayBuffer>> {
  const sink = watchedSink();
  await makeLevels(volume, { name: 'a' }, sink, settings);
  return sink.bytes();
}

async function timePointOf(volume: OpenVolume, timePoint: number): Promise<Uint8Array<ArrayBuffer>> {
  const sink = watchedSink();
  expect(await makeFittingLevels(volume, { name: 'a' }, () => sink, { ...settings, timePoint })).toEqual({ firstLevel: 1 });
  return sink.bytes();
}

/** What makes the levels of formats comparable: HDF5 and Zarr name other units than a raw file. */
async function levelVoxels(container: Uint8Array): Promise<readonly Uint8Array[]> {
  const reader = await ContainerReader.open(memorySource('levels', container));
  const { levels, read } = leveledContainer(reader, await reader.levels());
  const all = levels.flatMap(({ dims: [x, y, z, t] }, level) =>
    Array.from({ length: t }, (_, timePoint) => read({ level, first: [0, 0, 0], size: [x, y, z], timePoint })),
  );
  return Promise.all(all);
}

test.each([
  ['an HDF5 in chunks', hdf5([1, 16, 64, 48])],
  ['a contiguous HDF5', hdf5()],
  ['a Zarr array', zarr],
  ['an OME-TIFF in strips', tiff],
  ['a TIFF of several pictures, whose pixels have two samples', pictures(false)],
  ['a TIFF with a plane for each sample', pictures(true)],
] as const)('levels of %s are those of a plain file with its voxels', async (_, open) => {
  const [volume, plain] = [await open(), await raw()];
  expect([volume.info.dims, volume.fill]).toEqual([info.dims, undefined]);
  const levels = await levelsOf(volume);
  const expected = await levelVoxels(await levelsOf(plain));
  expect(await levelVoxels(levels)).toEqual(expected);
  expect(await levelVoxels(await timePointOf(volume, 1))).toEqual(expected.filter((_, at) => at % 2 === 1));

  // They are found beside the file, and used.
  const kept = await findKeptLevels(volume, { name: 'a.h5' }, async (name) => memorySource(name, levels), undefined);
  if (!kept || kept.fault) throw new Error('they were not found');
  const leveled = withKeptLevels((await volume.leveled?.()) as never, kept.levels);
  const { dims } = leveled.levels[1] as (typeof leveled.levels)[number];
  const [x, y, z] = dims;
  expect(await leveled.read({ level: 1, first: [0, 0, 0], size: [x, y, z], timePoint: 1 })).toEqual(expected[1]);
  const box = { level: 0, first: [3, 5, 60], size: [100, 60, 6], timePoint: 1 } as const;
  expect(Buffer.from(await leveled.read(box)).equals(cut(bytes, info, box))).toBe(true);
  leveled.close();
});

test('bytes from any place are read from boxes', async () => {
  const access = await randomAccess(await hdf5([1, 16, 64, 48])());
  if (!access) throw new Error('none');
  const rowBytes = 2 * width;
  for (const [start, length] of [
    [0, 2],
    [rowBytes * 69 + 4, 3 * rowBytes],
    [rowBytes * height * depth - 10, 2 ** 16],
    [bytes.byteLength - 8, 8],
  ] as const) {
    const target = new Uint8Array(length);
    await access.fill(target, start);
    expect(Buffer.from(target).equals(bytes.subarray(start, start + length)), `${start}`).toBe(true);
  }
  access.close();
});

test('bricks of the volume can be read before levels are made, and coarser ones afterwards', async () => {
  const [volume, plain] = [await hdf5([1, 16, 64, 48])(), await raw()];
  const leveled = await volume.leveled?.();
  if (!leveled) throw new Error('none');
  const file = new VoxelBricks(volume.info, unmadeLevels(leveled, levelsToMake(volume.info)), {
    areChunked: true,
    readsAtOnce: 1,
  });
  const skipping = leveledFile(plain, levelsToMake(info));
  if (!skipping) throw new Error('none');
  const [bricks, expected] = [new MadeBricks(file), new MadeBricks(new VoxelBricks(info, skipping, { areChunked: false }))];
  const fine = { level: 0, number: 4 };
  const coarse = { level: 1, number: bricks.levels[1]?.grid.chunksPerTimePoint ?? 0 };
  expect(await bricks.read([fine])).toEqual(await expected.read([fine]));
  const [refused] = await bricks.read([coarse]);
  expect(refused).toMatchObject({ tag: 'unsupported', message: 'the levels of this file have not been made' });
  for (const [each, from] of [
    [bricks, volume],
    [expected, plain],
  ] as const) {
    const made = await ContainerReader.open(memorySource('levels', await timePointOf(from, 1)));
    each.add({ timePoint: 1, firstLevel: 1, bricks: await ContainerBricks.open(made) });
  }
  const [made] = await bricks.read([coarse]);
  expect(made).not.toBeInstanceOf(StriaError);
  expect([made]).toEqual(await expected.read([coarse]));
  leveled.close();
});

test('boxes are read from levels that are made, and from the file if those are lost', async () => {
  const plain = await raw();
  const skipping = leveledFile(plain, levelsToMake(info));
  if (!skipping) throw new Error('none');
  const boxes = new MadeVoxels(skipping);
  const box = { level: 1, first: [2, 3, 4], size: [30, 20, 2], timePoint: 1 } as const;
  const before = await boxes.read(box);
  expect(before).toEqual(await skipping.read(box));
  const reader = await ContainerReader.open(memorySource('levels', await timePointOf(plain, 1)));
  const made = leveledContainer(reader, await reader.levels());
  boxes.add(1, 1, Promise.resolve(made));
  const means = await boxes.read(box);
  expect(means).toEqual(await made.read({ ...box, level: 0, timePoint: 0 }));
  expect(means).not.toEqual(before);
  expect(await boxes.read({ ...box, timePoint: 0 })).toEqual(await skipping.read({ ...box, timePoint: 0 }));
  boxes.add(1, 1, Promise.reject(new StriaError('not-readable', 'gone')));
  expect(await boxes.read(box)).toEqual(before);
  boxes.add(1, 1, Promise.resolve(made));
  boxes.drop(1);
  expect(await boxes.read(box)).toEqual(before);
  await expect(boxes.read({ ...box, first: [1000, 0, 0] })).rejects.toMatchObject({ tag: 'invalid-input' });
});

test('a damaged chunk is an error of the levels, and a file with levels of its own gets none', async () => {
  const chunks = [1, 16, 64, 48];
  const file = await hdf5File((root) => {
    const data = new Uint16Array(bytes.buffer);
    root.create_dataset({ name: 'scan', data, shape, dtype: '<H', chunks, compression: 4 });
  });
  // The compressed chunks take most of the file.
  file.fill(0xff, file.byteLength >> 1, (file.byteLength >> 1) + 2000);
  const sink = watchedSink();
  const making = makeLevels(await openVolume(memorySource('a.h5', file)), { name: 'a.h5' }, sink, settings);
  await expect(making).rejects.toMatchObject({ tag: 'corrupt' });
  expect([sink.closed, sink.aborted]).toEqual([0, 1]);

  const leveled = async () => ({ levels: levelsToMake(info), close() {} }) as never;
  const other = makeLevels({ ...(await zarr()), leveled }, { name: 'a.zarr' }, watchedSink(), settings);
  await expect(other).rejects.toMatchObject({ tag: 'unsupported', message: expect.stringContaining('levels of its own') });
});
