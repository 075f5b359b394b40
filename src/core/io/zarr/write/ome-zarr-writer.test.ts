import { describe, expect, test } from 'vitest';
import * as zarrita from 'zarrita';
import { memorySource } from '../../../shared/bytes.ts';
import type { HalvingMethod } from '../../../shared/halving.ts';
import {
  type Dims3,
  type ElementType,
  elementBytes,
  elementTypes,
  typedVoxels,
  type VolumeInfo,
  volumeBytes,
} from '../../../shared/volume.ts';
import { memoryTree } from '../../common/file-tree.ts';
import { faultOf, noise, readVoxels } from '../../common/source-testing.ts';
import { listVolumes, openVolume } from '../../open-volume.ts';
import { createOmeZarrWriter } from './ome-zarr-writer.ts';
import { ZipSinks } from './zip-sinks.ts';

type Files = Record<string, Uint8Array>;

const plain: VolumeInfo = {
  dims: [150, 37, 21, 1],
  type: 'u16',
  spacing: [0.5, 0.5, 0.75, 1],
  spatialUnit: 'um',
  timeUnit: 'unknown',
  affine: [0.5, 0, 0, 5, 0, 0.5, 0, -4, 0, 0, 0.75, 3],
  slope: 1,
  intercept: 0,
};

/** Voxels of a type with blocks of equal values, blocks of zero, and noise, but no NaN. */
function voxelsOf(info: VolumeInfo): Uint8Array<ArrayBuffer> {
  const bytes = noise(volumeBytes(info), 7);
  const values = typedVoxels(info.type, bytes);
  const third = Math.floor(values.length / 3);
  for (let at = 0; at < values.length; at++) {
    if (at < third) values[at] = 0;
    else if (at < 2 * third) values[at] = at % 977;
    else if (info.type === 'f32' || info.type === 'f64') values[at] = ((at * 7919) % 2003) / 7 - 100;
  }
  return bytes;
}

async function write(info: VolumeInfo, bytes: Uint8Array, method: HalvingMethod = 'mean', step = 10_007): Promise<Files> {
  const files: Files = {};
  const writer = await createOmeZarrWriter(
    info,
    async (path) => {
      const parts: Uint8Array[] = [];
      return {
        write: async (part) => void parts.push(part.slice()),
        close: async () => {
          expect(files[path]).toBeUndefined();
          files[path] = Buffer.concat(parts);
        },
        abort: async () => {},
      };
    },
    { name: 'scan', method },
  );
  for (let at = 0; at < bytes.byteLength; at += step) await writer.push(bytes.subarray(at, at + step));
  await writer.end();
  return files;
}

const open = (files: Files, dataset?: string) => openVolume(memoryTree('a.ome.zarr', files), { dataset });

function expectSame(actual: Uint8Array, expected: Uint8Array): void {
  expect(Buffer.compare(actual, expected)).toBe(0);
}

/** An array in C order, read with zarrita and without Stria's code. */
async function readByZarrita(files: Files, path: string): Promise<{ shape: number[]; bytes: Uint8Array }> {
  const store = {
    get: async (key: string) => files[key.slice(1)],
    getRange: async (key: string, range: { offset?: number; length?: number; suffixLength?: number }) => {
      const file = files[key.slice(1)];
      const { offset = 0, length = 0, suffixLength } = range;
      return (
        file && new Uint8Array(suffixLength === undefined ? file.subarray(offset, offset + length) : file.subarray(-suffixLength))
      );
    },
  };
  const array = await zarrita.open.v3(zarrita.root(store as never).resolve(path), { kind: 'array' });
  const { data, shape, stride } = await zarrita.get(array as zarrita.Array<'uint16', zarrita.Readable>);
  expect(stride.at(-1)).toBe(1);
  return { shape, bytes: new Uint8Array(data.buffer, data.byteOffset, data.byteLength) };
}

/** The next level, computed by definition. */
function halfOf(values: readonly number[], [nx, ny, nz]: Dims3, [sx, sy, sz]: Dims3, type: ElementType, method: HalvingMethod) {
  const dims: Dims3 = [Math.ceil(nx / sx), Math.ceil(ny / sy), Math.ceil(nz / sz)];
  const frames = values.length / (nx * ny * nz);
  const result: number[] = [];
  for (let frame = 0; frame < frames; frame++)
    for (let z = 0; z < dims[2]; z++)
      for (let y = 0; y < dims[1]; y++)
        for (let x = 0; x < dims[0]; x++) {
          const near: number[] = [];
          for (let k = 0; k < sz; k++)
            for (let j = 0; j < sy; j++)
              for (let i = 0; i < sx; i++) {
                const [fx, fy, fz] = [x * sx + i, y * sy + j, z * sz + k];
                if (fx < nx && fy < ny && fz < nz) near.push(values[((frame * nz + fz) * ny + fy) * nx + fx] as number);
              }
          const mean = near.reduce((sum, value) => sum + value, 0) / near.length;
          if (method === 'mean') result.push(type.startsWith('f') ? mean : Math.sign(mean) * Math.round(Math.abs(mean)));
          else {
            const count = (value: number) => near.filter((other) => other === value).length;
            result.push(near.find((value) => near.every((other) => count(other) <= count(value))) as number);
          }
        }
  return {
    dims,
    values: [...typedVoxels(type, new Uint8Array(result.length * elementBytes(type))).map((_, at) => result[at] as number)],
  };
}

describe.each(elementTypes)('%s', (type) => {
  test.each(['mean', 'mode'] as const)('can be read, and each level is the %s of the previous one', async (method) => {
    const info = { ...plain, type };
    const bytes = voxelsOf(info);
    const files = await write(info, bytes, method);
    const volume = await open(files, '0');
    expect(volume.info).toMatchObject({ ...info, type });
    expectSame(await readVoxels(volume), bytes);
    expect(await readByZarrita(files, '0')).toMatchObject({ shape: [21, 37, 150] });
    expectSame((await readByZarrita(files, '0')).bytes, bytes);

    const half = halfOf([...typedVoxels(type, bytes)], [150, 37, 21], [2, 2, 2], type, method);
    const second = await open(files, '1');
    expect(second.info).toMatchObject({ dims: [75, 19, 11, 1], spacing: [1, 1, 1.5, 1] });
    expect(second.info.affine).toEqual([1, 0, 0, 5.25, 0, 1, 0, -3.75, 0, 0, 1.5, 3.375]);
    expect([...typedVoxels(type, await readVoxels(second))]).toEqual(half.values);
    expectSame((await readByZarrita(files, '1')).bytes, await readVoxels(second));
  });
});

test('the axis of thick slices is halved once the others have voxels as long', async () => {
  const info = { ...plain, dims: [300, 260, 9, 1] as const, type: 'i16' as const, spacing: [1, 1, 3, 1] as const };
  const files = await write({ ...info, affine: [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 3, 0] }, voxelsOf(info));
  const choices = (await listVolumes(memoryTree('a', files))) ?? [];
  expect(choices.map(({ shape }) => shape)).toEqual([
    [9, 260, 300],
    [9, 130, 150],
    [5, 65, 75],
  ]);
  const first = halfOf([...typedVoxels('i16', voxelsOf(info))], [300, 260, 9], [2, 2, 1], 'i16', 'mean');
  const second = halfOf(first.values, first.dims, [2, 2, 2], 'i16', 'mean');
  expect([...typedVoxels('i16', await readVoxels(await open(files, '2')))]).toEqual(second.values);
  expect((await open(files, '2')).info.spacing).toEqual([4, 4, 6, 1]);
});

test('channels and time points keep their order, names, colours and windows', async () => {
  const info: VolumeInfo = {
    ...plain,
    dims: [33, 20, 3, 10],
    spacing: [1, 1, 2, 0.25],
    affine: [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 2, 0],
    timeUnit: 'ms',
    channels: [
      { name: 'DAPI', color: '#0080ff', window: [10, 200] },
      { name: 'GFP', color: '#00ff00' },
    ],
  };
  const bytes = voxelsOf(info);
  const files = await write(info, bytes);
  const volume = await open(files);
  expect(volume.info).toMatchObject({ ...info, channels: [info.channels?.[0], { name: 'GFP', color: '#00ff00' }] });
  expectSame(await readVoxels(volume), bytes);
  const { shape, bytes: stored } = await readByZarrita(files, '0');
  expect(shape).toEqual([5, 2, 3, 20, 33]);
  // Time point 3 of channel 1 has index 1 × 5 + 3 in the volume, and 3 × 2 + 1 in the array.
  const frame = 33 * 20 * 3 * 2;
  expectSame(stored.subarray(7 * frame, 8 * frame), bytes.subarray(8 * frame, 9 * frame));
  const { attributes } = JSON.parse(Buffer.from(files['zarr.json'] as Uint8Array).toString());
  expect(attributes.ome.multiscales[0].axes.map(({ name }: { name: string }) => name)).toEqual(['t', 'c', 'z', 'y', 'x']);
  expect(attributes.ome.omero.channels[0].window).toMatchObject({ start: 10, end: 200 });
  const second = typedVoxels('u16', bytes.subarray(5 * frame));
  expect(attributes.ome.omero.channels[1].window).toMatchObject({ min: Math.min(...second), max: Math.max(...second) });
});

test.each([
  [[1, 1, 1, 1], 'f64'],
  [[700, 3, 1, 1], 'u8'],
  [[5, 4, 3, 3000], 'i8'],
  [[129, 1, 1, 7], 'u32'],
  [[2, 300, 65, 2], 'f32'],
] as const)('%j of %s comes back', async (dims, type) => {
  const info = { ...plain, dims, type };
  const bytes = voxelsOf(info);
  const files = await write(info, bytes, 'mean', 65_537);
  const volume = await open(files);
  expect(volume.info.dims).toEqual(dims);
  expectSame(await readVoxels(volume), bytes);
  // Time points, 3000 of them, share shards.
  expect(Object.keys(files).length).toBeLessThan(20);
});

test('labels have no windows, so that they are shown as labels', async () => {
  const volume = await open(await write(plain, voxelsOf(plain), 'mode'));
  expect(volume.windows).toBeUndefined();
  expect(volume.info.channels).toBeUndefined();
});

test('infinities and NaN are kept, and do not become windows', async () => {
  const info: VolumeInfo = { ...plain, dims: [3, 2, 1, 1], type: 'f32' };
  const values = Float32Array.of(Number.NaN, Number.POSITIVE_INFINITY, -0, 2, Number.NEGATIVE_INFINITY, -7);
  const files = await write(info, new Uint8Array(values.buffer));
  expectSame(await readVoxels(await open(files)), new Uint8Array(values.buffer));
  const { attributes } = JSON.parse(Buffer.from(files['zarr.json'] as Uint8Array).toString());
  expect(attributes.ome.omero.channels[0].window).toEqual({ min: -7, max: 2, start: -7, end: 2 });
});

test('Stria reads back metadata that OME-Zarr cannot store', async () => {
  const affine = [0, -0.5, 0, 90, 0.5, 0, 0, -126, 0, 0, 0.75, -72];
  const info: VolumeInfo = {
    ...plain,
    affine,
    slope: 2,
    intercept: -1024,
    valueUnit: 'HU',
    windows: [{ name: 'Bone', low: -500, high: 1500 }],
  };
  const files = await write(info, voxelsOf(info));
  const volume = await open(files, '0');
  expect(volume.info).toMatchObject({ affine, slope: 2, intercept: -1024, valueUnit: 'HU', spacing: info.spacing });
  expect(volume.windows?.[0]).toMatchObject({ low: -500, high: 1500 });
  // The first voxel of the second level is at the centre of eight.
  expect((await open(files, '1')).info.affine).toEqual([0, -1, 0, 89.75, 1, 0, 0, -125.75, 0, 0, 1.5, -71.625]);
});

test('an invalid affine or scaling in the metadata is ignored', async () => {
  const files = await write({ ...plain, slope: 2 }, voxelsOf(plain));
  const text = Buffer.from(files['zarr.json'] as Uint8Array).toString();
  const hostile = { slope: 'x', intercept: [1], valueUnit: 'x'.repeat(1000), affine: [1, 2, 3] };
  const document = JSON.parse(text);
  document.attributes.stria = hostile;
  const volume = await open({ ...files, 'zarr.json': Buffer.from(JSON.stringify(document)) }, '0');
  expect(volume.info).toMatchObject({ slope: 1, intercept: 0, affine: plain.affine });
  expect(volume.info.valueUnit).toBeUndefined();
});

test('it opens from a ZIP, which lists each file once', async () => {
  const bytes = voxelsOf(plain);
  const parts: Uint8Array[] = [];
  const zip = new ZipSinks({
    write: async (part) => void parts.push(part.slice()),
    close: async () => {},
    abort: async () => {},
  });
  const writer = await createOmeZarrWriter(plain, zip.open, { name: 'scan', method: 'mean' });
  await writer.push(bytes);
  await writer.end();
  await zip.end();
  const volume = await openVolume(memorySource('a.zip', Buffer.concat(parts)), { dataset: '0' });
  expectSame(await readVoxels(volume), bytes);
});

test('shards and chunks follow Zarr v3 and have bounded sizes', async () => {
  const files = await write(plain, voxelsOf(plain));
  const document = JSON.parse(Buffer.from(files['0/zarr.json'] as Uint8Array).toString());
  expect(document).toMatchObject({
    zarr_format: 3,
    node_type: 'array',
    shape: [21, 37, 150],
    data_type: 'uint16',
    fill_value: 0,
    dimension_names: ['z', 'y', 'x'],
    codecs: [{ name: 'sharding_indexed', configuration: { index_codecs: [{ name: 'bytes' }, { name: 'crc32c' }] } }],
  });
  const inner = document.codecs[0].configuration.chunk_shape as number[];
  const outer = document.chunk_grid.configuration.chunk_shape as number[];
  expect(outer.every((length, axis) => length % (inner[axis] ?? 0) === 0)).toBe(true);
  expect(inner.reduce((product, length) => product * length)).toBeLessThanOrEqual(64 ** 3 * 2);
});

test('a cancel or a failing sink ends the writing', async () => {
  const info: VolumeInfo = { ...plain, dims: [200, 200, 128, 1] };
  const bytes = new Uint8Array(volumeBytes(info)).map((_, at) => at % 251);
  const controller = new AbortController();
  let written = 0;
  const sink = { write: async () => void written++, close: async () => {}, abort: async () => {} };
  const cancelled = await createOmeZarrWriter(
    info,
    async () => sink,
    { name: 'a', method: 'mean' },
    { signal: controller.signal },
  );
  await cancelled.push(bytes.subarray(0, bytes.byteLength / 2));
  expect(written).toBeGreaterThan(0);
  controller.abort();
  const before = written;
  expect(await faultOf(cancelled.push(bytes.subarray(bytes.byteLength / 2)))).toMatchObject({ tag: 'aborted' });
  expect(written).toBe(before);
  const full = { ...sink, write: () => Promise.reject(new Error('the disk is full')) };
  const failing = await createOmeZarrWriter(info, async () => full, { name: 'a', method: 'mean' });
  await expect(failing.push(bytes)).rejects.toThrow('the disk is full');
});

test('a plane beyond the limit is refused before anything is written', async () => {
  const info: VolumeInfo = { ...plain, dims: [40_000, 40_000, 1, 1] };
  const opened: string[] = [];
  const sinks = (path: string) => Promise.reject(opened.push(path));
  const fault = await faultOf(createOmeZarrWriter(info, sinks, { name: 'a', method: 'mean' }));
  expect(fault).toMatchObject({ tag: 'unsupported' });
  expect(fault?.message).toContain('512 MiB');
  expect(opened).toEqual([]);
});
