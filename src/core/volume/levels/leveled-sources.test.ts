import type { RequestListener } from 'node:http';
import { describe, expect, test } from 'vitest';
import { served } from '../../../testing/web-server-testing.ts';
import { joinBytes } from '../../io/common/byte-stream.ts';
import { type FileTree, memoryTree } from '../../io/common/file-tree.ts';
import { faultOf, noise, readVoxels } from '../../io/common/source-testing.ts';
import { describedTiff, omeTiff, omeXml, planesInOrder, type TestImage } from '../../io/ome-tiff/ome-tiff-testing.ts';
import { openVolume } from '../../io/open-volume.ts';
import type { TestTiff } from '../../io/tiff/tiff-testing.ts';
import { type TestFiles, zarrArray, zarrGroup } from '../../io/zarr/zarr-testing.ts';
import { openAddress } from '../../remote/open-address.ts';
import { memorySource } from '../../shared/bytes.ts';
import { StriaError } from '../../shared/errors.ts';
import { type Dims4, typedVoxels, type VolumeInfo } from '../../shared/volume.ts';
import type { LevelBox, StreamedLevels } from '../../shared/volume-level.ts';
import { testInfo, testVoxels } from '../resident-testing.ts';
import { boxesOf, cut } from './level-testing.ts';
import { leveledFile } from './leveled-file.ts';

type Shape = readonly [t: number, c: number, z: number, y: number, x: number];
/** The lengths of the second shape are rounded down, those of the third are rounded up. */
const shapes: readonly Shape[] = [
  [2, 2, 9, 21, 30],
  [2, 2, 4, 10, 15],
  [2, 2, 3, 6, 8],
];
const values = shapes.map((shape, level) =>
  noise(
    shape.reduce((product, length) => product * length, 2),
    7 + level,
  ),
);

/** The bytes in the order of a volume, with channels slowest. */
function inVolumeOrder(bytes: Uint8Array, [times, channels, z, y, x]: Shape): Uint8Array {
  const part = bytes.byteLength / (times * channels);
  expect(part).toBe(2 * x * y * z);
  const parts = Array.from({ length: times * channels }, (_, at) => {
    const from = (at % times) * channels + Math.floor(at / times);
    return bytes.subarray(from * part, (from + 1) * part);
  });
  return joinBytes(parts);
}

async function omeZarr(version: 2 | 3, perShard?: readonly number[]): Promise<TestFiles> {
  const datasets = shapes.map((_, level) => ({
    path: `s${level}`,
    coordinateTransformations: [{ type: 'scale', scale: [1, 1, 2 ** level, 0.5 * 2 ** level, 0.5 * 2 ** level] }],
  }));
  const axes = ['t', 'c', 'z', 'y', 'x'].map((name) => ({ name }));
  const multiscales = [{ version: '0.4', axes, datasets }];
  const files = zarrGroup('', version, version === 2 ? { multiscales } : { ome: { version: '0.5', multiscales } });
  for (const [level, shape] of shapes.entries()) {
    const array = { version, shape, chunks: [1, 1, 4, 8, 8], dtype: '<u2', values: values[level] as Uint8Array } as const;
    const order = version === 2 && level === 0 ? ({ order: 'F' } as const) : {};
    Object.assign(files, await zarrArray(`s${level}/`, { ...array, ...order, perShard, compressor: 'gzip' }));
  }
  return files;
}

async function leveledOf(input: FileTree): Promise<{ info: VolumeInfo; leveled: StreamedLevels; bytes: Uint8Array }> {
  const volume = await openVolume(input);
  return { info: volume.info, leveled: (await volume.leveled?.()) as StreamedLevels, bytes: await readVoxels(volume) };
}

async function joined(pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const parts: number[] = [];
  for await (const piece of pieces) parts.push(...piece);
  return Uint8Array.from(parts);
}

async function expectBoxes(leveled: StreamedLevels, info: VolumeInfo, bytes: Uint8Array): Promise<void> {
  for (const [level, { dims }] of leveled.levels.entries()) {
    const whole = level === 0 ? bytes : await joined(leveled.voxels(level));
    for (const timePoint of [0, dims[3] - 1]) {
      for (const box of boxesOf(dims, level, timePoint)) {
        if (box.size.some((length) => length < 1)) continue;
        const expected = cut(whole, { dims, type: info.type }, box);
        if (Buffer.compare(await leveled.read(box), expected) !== 0) expect(box).toBe('read exactly');
      }
    }
  }
}

describe.each([
  ['2', () => omeZarr(2)],
  ['3 in shards', () => omeZarr(3, [1, 2, 2, 1, 2])],
] as const)('an OME-Zarr of version %s', (_, filesOf) => {
  test('is read in boxes at each of its levels', async () => {
    const { info, leveled, bytes } = await leveledOf(memoryTree('a.zarr', await filesOf()));
    expect(leveled.levels).toEqual([
      { dims: [30, 21, 9, 4], factors: [1, 1, 1] },
      { dims: [15, 11, 5, 4], factors: [2, 2, 2] },
      { dims: [8, 6, 3, 4], factors: [4, 4, 4] },
    ]);
    expect(bytes).toEqual(inVolumeOrder(values[0] as Uint8Array, shapes[0] as Shape));
    await expectBoxes(leveled, info, bytes);
    // Where lengths were rounded down, the last voxel is repeated.
    const stored = typedVoxels('u16', inVolumeOrder(values[1] as Uint8Array, shapes[1] as Shape));
    const shown = typedVoxels('u16', await joined(leveled.voxels(1)));
    for (const [x, y, z, t] of [
      [14, 9, 3, 1],
      [3, 10, 2, 0],
      [14, 10, 4, 3],
    ] as const) {
      expect(shown[((t * 5 + z) * 11 + y) * 15 + x]).toBe(stored[((t * 4 + Math.min(z, 3)) * 10 + Math.min(y, 9)) * 15 + x]);
    }
    expect(await joined(leveled.voxels(2))).toEqual(inVolumeOrder(values[2] as Uint8Array, shapes[2] as Shape));
  });
});

test('only the chunks that a box touches are read, once; a level with other values or sizes is left out', async () => {
  const files = await omeZarr(2);
  const metadata = JSON.parse(new TextDecoder().decode(files['s2/.zarray']));
  files['s2/.zarray'] = new TextEncoder().encode(JSON.stringify({ ...metadata, dtype: '<i2' }));
  const tree = memoryTree('a.zarr', files);
  const found: string[] = [];
  const { leveled } = await leveledOf({
    ...tree,
    find: (path, job) => {
      if (/\.\d+$/.test(path)) found.push(path);
      return tree.find(path, job);
    },
  });
  expect(leveled.levels).toHaveLength(2);
  found.length = 0;
  const voxel: LevelBox = { level: 0, first: [9, 20, 8], size: [1, 1, 1], timePoint: 3 };
  const first = await leveled.read(voxel);
  expect(found).toEqual(['s0/1.1.2.2.1']);
  expect(await leveled.read(voxel)).toEqual(first);
  expect(await leveled.read({ ...voxel, first: [9, 20, 7], size: [1, 1, 2] })).toHaveLength(4);
  expect(found).toEqual(['s0/1.1.2.2.1', 's0/1.1.1.2.1']);
});

test('a reader that fails at random returns the file’s values or an error, and cancelling ends reading', async () => {
  const tree = memoryTree('a.zarr', await omeZarr(3));
  let state = 5;
  let isFailing = false;
  const { leveled, bytes, info } = await leveledOf({
    ...tree,
    find: async (path, job) => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      if (isFailing && state / 2 ** 32 < 0.2) throw new StriaError('not-readable', 'the disk did not answer');
      return tree.find(path, job);
    },
  });
  isFailing = true;
  let failures = 0;
  for (const box of Array.from({ length: 8 }, () => boxesOf(info.dims, 0, 1)).flat()) {
    const found = await leveled.read(box).catch((error: StriaError) => error);
    if (found instanceof StriaError) {
      failures++;
      expect(found.tag).toBe('not-readable');
    } else if (Buffer.compare(found, cut(bytes, info, box)) !== 0) expect(box).toBe('read exactly');
  }
  expect(failures).toBeGreaterThan(0);
  const controller = new AbortController();
  controller.abort();
  const all: LevelBox = { level: 0, first: [0, 0, 0], size: [30, 21, 9], timePoint: 0 };
  expect(await faultOf(leveled.read(all, { signal: controller.signal }))).toMatchObject({ tag: 'aborted' });
});

test('at an address whose server drops every tenth request, boxes of a Zarr are exact', async () => {
  const files = await omeZarr(3, [1, 1, 2, 2, 2]);
  let requests = 0;
  const serve: RequestListener = (request, response) => {
    if (++requests % 10 === 0) return void request.socket.destroy();
    const bytes = files[(request.url ?? '').slice('/a.zarr/'.length)];
    const range = /bytes=(\d+)-(\d+)/.exec(request.headers.range ?? '');
    if (!bytes || !range) return void response.writeHead(bytes ? 200 : 404).end(bytes);
    const [start, end] = [Number(range[1]), Math.min(Number(range[2]), bytes.byteLength - 1)];
    response.writeHead(206, { 'content-range': `bytes ${start}-${end}/${bytes.byteLength}` }).end(bytes.slice(start, end + 1));
  };
  await served(serve, async (address) => {
    const input = (await openAddress(`${address}/a.zarr`, { retryMs: 1 })) as FileTree;
    const { leveled, info, bytes } = await leveledOf(input);
    await expectBoxes(leveled, info, bytes);
    expect(requests).toBeGreaterThan(30);
  });
});

const large: TestImage = { sizes: [45, 26, 3, 2, 2] };
const half: TestImage = { sizes: [22, 13, 3, 2, 2] };
const below = { spec: { width: 22, height: 13, type: 'u16', tile: [16, 16] }, pages: planesInOrder(half) } as const;

test.each([
  ['tiles', { tile: [16, 16], compression: 'deflate', predictor: 2 }],
  ['strips', { rowsPerStrip: 4, compression: 'lzw' }],
  ['strips of one row', { rowsPerStrip: 1, compression: 'packbits' }],
  ['one strip that is not compressed, big-endian', { endian: 'big', isBig: true }],
] as const)('an OME-TIFF in %s is read in boxes at each of its levels', async (_, spec: Partial<TestTiff>) => {
  const file = omeTiff(large, {
    ...spec,
    levels: [{ ...below, spec: { ...below.spec, endian: spec.endian ?? 'little', isBig: spec.isBig ?? false } }],
  });
  const volume = await openVolume(memorySource('a.ome.tif', file));
  const leveled = (await volume.leveled?.()) as StreamedLevels;
  expect(leveled.levels).toEqual([
    { dims: [45, 26, 3, 4], factors: [1, 1, 1] },
    { dims: [23, 13, 3, 4], factors: [2, 2, 1] },
  ]);
  await expectBoxes(leveled, volume.info, await readVoxels(volume));
});

test.each([false, true])('a TIFF whose pixels have several samples is read in boxes (separate planes: %s)', async (isPlanar) => {
  const image: TestImage = { sizes: [19, 11, 3, 3, 1], type: 'u8', channels: '<Channel SamplesPerPixel="3"/>' };
  const pages = [1, 2, 3].map((seed) => noise(19 * 11 * 3, seed));
  const file = describedTiff(image, omeXml([image]), pages, { channels: 3, isPlanar, tile: [16, 16] });
  const volume = await openVolume(memorySource('a.ome.tif', file));
  expect(volume.info.dims).toEqual([19, 11, 3, 3]);
  await expectBoxes((await volume.leveled?.()) as StreamedLevels, volume.info, await readVoxels(volume));
});

test('a plain file has every second voxel as a level, read without the voxels between', async () => {
  const dims: Dims4 = [130, 70, 67, 2];
  const info = testInfo(dims, 'i16');
  const bytes = testVoxels(info);
  const source = leveledFile(await openVolume(memorySource('a.raw', bytes), { raw: { dims, type: 'i16' } })) as StreamedLevels;
  expect(source.levels.slice(1)).toEqual([{ dims: [65, 35, 34, 2], factors: [2, 2, 2] }]);
  const coarse = typedVoxels('i16', await joined(source.voxels(1)));
  const fine = typedVoxels('i16', bytes);
  let wrong = 0;
  for (let at = 0; at < coarse.length; at++) {
    const [x, y, z, t] = [at % 65, Math.floor(at / 65) % 35, Math.floor(at / (65 * 35)) % 34, Math.floor(at / (65 * 35 * 34))];
    if (coarse[at] !== fine[((t * 67 + 2 * z) * 70 + 2 * y) * 130 + 2 * x]) wrong++;
  }
  expect([coarse.length, wrong]).toEqual([65 * 35 * 34 * 2, 0]);
  await expectBoxes(source, info, bytes);
});

test('the first picture of a large plain file takes a small part of it', async () => {
  const info = testInfo([2 ** 17, 4096, 64, 1], 'u8');
  let read = 0;
  const source = leveledFile({
    info,
    fill: async (target) => {
      read += target.byteLength;
    },
  }) as StreamedLevels;
  const last = source.levels.length - 1;
  for await (const _ of source.voxels(last));
  expect(read / 2 ** 35).toBeLessThan(0.01);
});
