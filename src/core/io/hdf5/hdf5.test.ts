import { describe, expect, test } from 'vitest';
import { type ByteSource, memorySource } from '../../shared/bytes.ts';
import { elementBytes, elementTypes, typedVoxels } from '../../shared/volume.ts';
import { faultOf, noise, readVoxels } from '../common/source-testing.ts';
import type { OpenOptions } from '../common/volume-reader.ts';
import { listVolumes, openVolume } from '../open-volume.ts';
import { h5Types, hdf5File } from './h5-testing.ts';

const scales = await import('h5wasm');
const open = (bytes: Uint8Array, options: OpenOptions = {}) => openVolume(memorySource('a.h5', bytes), options);
const list = async (bytes: Uint8Array) => (await listVolumes(memorySource('a.h5', bytes))) ?? [];

const shape = [5, 7, 6];
const values = noise(5 * 7 * 6 * 2);
const shorts = new Uint16Array(values.buffer);

function expectSame(actual: Uint8Array, expected: Uint8Array): void {
  expect(Buffer.compare(actual, expected)).toBe(0);
}

test.each(elementTypes)('reads %s, contiguous and in chunks', async (type) => {
  const bytes = noise(5 * 7 * 6 * elementBytes(type), 3);
  const data = typedVoxels(type, bytes);
  const file = await hdf5File((root) => {
    const dtype = h5Types[type] as string;
    root.create_dataset({ name: 'whole', data, shape, dtype });
    root.create_dataset({ name: 'chunks', data, shape, dtype, chunks: [2, 3, 4], compression: 'gzip' });
  });
  for (const dataset of ['/whole', '/chunks']) {
    const volume = await open(file, { dataset });
    expect(volume).toMatchObject({ format: 'hdf5', info: { dims: [6, 7, 5, 1], type, slope: 1, intercept: 0 } });
    expectSame(await readVoxels(volume), bytes);
  }
});

test('reads 64-bit integers that fit into 32 bits', async () => {
  const signed = BigInt64Array.of(-5n, 2n ** 31n - 1n, -(2n ** 31n), 0n);
  const file = await hdf5File((root) => {
    root.create_dataset({ name: 'fits', data: signed, shape: [1, 2, 2] });
    root.create_dataset({ name: 'large', data: BigUint64Array.of(1n, 2n ** 32n), shape: [1, 1, 2] });
  });
  const volume = await open(file, { dataset: '/fits' });
  expect(volume.info.type).toBe('i32');
  expect([...new Int32Array((await readVoxels(volume)).slice().buffer)]).toEqual([...signed].map(Number));
  const fault = await faultOf(open(file, { dataset: '/large' }).then(readVoxels));
  expect(fault).toMatchObject({ tag: 'unsupported' });
  expect(fault?.message).toContain('the value 4294967296 at [0, 0, 1] does not fit into u32');
});

test('reads integers as unsigned if netCDF’s attribute says so', async () => {
  const file = await hdf5File((root) => {
    const data = root.create_dataset({ name: 'counts', data: new Int16Array(values.buffer), shape, dtype: '<h' });
    data.create_attribute('_Unsigned', 'true');
  });
  const volume = await open(file);
  expect(volume.info.type).toBe('u16');
  expectSame(await readVoxels(volume), values);
});

test('lists datasets as a tree, whatever the links', async () => {
  const file = await hdf5File((root) => {
    const group = root.create_group('entry');
    group.create_dataset({ name: 'data', data: shorts, shape, chunks: [5, 7, 6], compression: 6 });
    group.create_dataset({ name: 'table', data: shorts, shape: [35, 6] });
    group.create_dataset({ name: 'list', data: shorts });
    root.create_dataset({ name: 'title', data: 'a text' });
    root.create_dataset({ name: 'words', data: ['a', 'b', 'c', 'd'], shape: [2, 2] });
    root.create_hard_link('/', 'entry/self');
    root.create_soft_link('/entry/loop', 'entry/loop');
    root.create_soft_link('/nowhere', 'broken');
    root.create_external_link('other.h5', '/data', 'elsewhere');
  });
  const entries = await list(file);
  expect(
    entries.map(({ id, group, shape, type, problem, isAlternative }) => ({ id, group, shape, type, problem, isAlternative })),
  ).toEqual([
    { id: '/entry/data', group: ['entry'], shape, type: 'u16', problem: undefined, isAlternative: undefined },
    { id: '/entry/table', group: ['entry'], shape: [35, 6], type: 'u16', problem: undefined, isAlternative: true },
    {
      id: '/words',
      group: [],
      shape: [2, 2],
      type: 'text',
      problem: 'values of type text are not supported',
      isAlternative: true,
    },
  ]);
  expect(entries[0]?.details).toBe('deflate · chunks 5×7×6');
  // The only volume opens by itself.
  expectSame(await readVoxels(await open(file)), values);
  expect((await open(file, { dataset: '/entry/table' })).info.dims).toEqual([6, 35, 1, 1]);
  expect(await faultOf(open(file, { dataset: '/words' }))).toMatchObject({ tag: 'unsupported' });
  expect(await faultOf(open(file, { dataset: '/nothing' }))).toMatchObject({ tag: 'invalid-input' });
});

test('uses the requested axes', async () => {
  const file = await hdf5File((root) => {
    root.create_dataset({ name: 'a', data: shorts, shape });
  });
  const volume = await open(file, { axes: 'xyz' });
  expect(volume.info.dims).toEqual([5, 7, 6, 1]);
  const read = new Uint16Array((await readVoxels(volume)).slice().buffer);
  expect(read[3 + 5 * (2 + 7 * 4)]).toBe(shorts[(3 * 7 + 2) * 6 + 4]);
  expect((await open(file, { axes: 'cyx' })).info.channels).toHaveLength(5);
  expect(await faultOf(open(file, { axes: 'yx' }))).toMatchObject({ tag: 'invalid-input' });
});

describe('spacing', () => {
  test('of element_size_um', async () => {
    const file = await hdf5File((root) => {
      root.create_dataset({ name: 'a', data: shorts, shape }).create_attribute('element_size_um', [3, 0.5, 0.25], [3], '<d');
    });
    expect((await open(file)).info).toMatchObject({ spacing: [0.25, 0.5, 3, 1], spatialUnit: 'um' });
  });

  test('of NeXus, which has axes in separate datasets', async () => {
    const file = await hdf5File((root) => {
      const group = root.create_group('data');
      const counts = group.create_dataset({ name: 'counts', data: shorts, shape });
      counts.create_attribute('units', 'counts');
      counts.create_attribute('scale_factor', 0.5);
      counts.create_attribute('add_offset', -3);
      group.create_attribute('axes', ['frames', 'v', 'x']);
      group.create_dataset({ name: 'x', data: Float64Array.of(1, 1.5, 2, 2.5, 3, 3.5) }).create_attribute('units', 'cm');
      group.create_dataset({ name: 'v', data: Float64Array.of(7, 6, 5, 4, 3, 2, 1) });
    });
    const volume = await open(file);
    expect(volume.valueUnit).toBe('counts');
    expect(volume.info).toMatchObject({ slope: 0.5, intercept: -3, dims: [6, 7, 5, 1], spacing: [0.5, 1, 1, 1] });
    expect(volume.tags?.find(({ name }) => name === 'units')).toMatchObject({ id: '/data/counts/@units', value: 'counts' });
  });

  test.each([
    ['_FillValue', -32768, ['a.h5, /a: the stored value -32768 marks missing values (_FillValue).']],
    ['missing_value', -9999.5, ['a.h5, /a: the stored value -9999.5 marks missing values (missing_value).']],
    ['_FillValue', Number.NaN, []],
    ['units', 'K', []],
  ] as const)('and a remark on missing values: %s %s', async (name, value, expected) => {
    const file = await hdf5File((root) => {
      root.create_dataset({ name: 'a', data: shorts, shape }).create_attribute(name, value);
    });
    const remarks: string[] = [];
    await open(file, { onRemark: (text) => remarks.push(text) });
    expect(remarks.map((text) => text.replace(/ Stria .*/, ''))).toEqual(expected);
  });

  test('and names of netCDF, with dimension scales', async () => {
    const file = await hdf5File((root) => {
      const data = root.create_dataset({ name: 'temperature', data: shorts, shape });
      root.create_dataset({ name: 'time', data: Float64Array.of(0, 30, 60, 90, 120) }).create_attribute('units', 's');
      root.create_dataset({ name: 'y', data: Float64Array.of(6, 5, 4, 3, 2, 1, 0) }).create_attribute('units', 'mm');
      root.create_dataset({ name: 'x', data: Float64Array.of(0, 2, 4, 6, 8, 10) }).create_attribute('units', 'mm');
      for (const [axis, name] of ['time', 'y', 'x'].entries()) {
        const { Module } = scales;
        Module.set_scale(root.file_id, `/${name}`, name);
        Module.attach_scale(root.file_id, data.path, `/${name}`, axis);
      }
    });
    expect((await open(file)).info).toMatchObject({
      dims: [6, 7, 1, 5],
      spacing: [2, 1, 1, 30],
      spatialUnit: 'mm',
      timeUnit: 's',
      affine: [2, 0, 0, 0, 0, -1, 0, 6, 0, 0, 1, 0],
    });
  });

  test('of voxels whose last axis is their colours', async () => {
    const file = await hdf5File((root) => {
      const data = root.create_dataset({ name: 'data', data: noise(5 * 16 * 18 * 3), shape: [5, 16, 18, 3] });
      data.create_attribute('element_size_um', new Float64Array([2, 0.5, 0.25]), [3], '<d');
    });
    expect((await open(file)).info).toMatchObject({ dims: [18, 16, 5, 3], spacing: [0.25, 0.5, 2, 1], spatialUnit: 'um' });
  });

  const mincFile = (directions: Readonly<Record<string, readonly number[]>> = {}) =>
    hdf5File((root) => {
      const minc = root.create_group('minc-2.0');
      const image = minc.create_group('image').create_group('0');
      image.create_dataset({ name: 'image', data: shorts, shape }).create_attribute('dimorder', 'zspace,yspace,xspace');
      const dimensions = minc.create_group('dimensions');
      for (const [name, step] of [
        ['xspace', -1],
        ['yspace', 2],
        ['zspace', 3],
      ] as const) {
        const dimension = dimensions.create_dataset({ name, data: 0 });
        dimension.create_attribute('step', step, [], '<d');
        dimension.create_attribute('start', 10, [], '<d');
        dimension.create_attribute('units', 'mm');
        const direction = directions[name];
        if (direction) dimension.create_attribute('direction_cosines', new Float64Array(direction), [3], '<d');
      }
    });

  test('of MINC 2', async () => {
    expect((await open(await mincFile())).info).toMatchObject({
      spacing: [1, 2, 3, 1],
      spatialUnit: 'mm',
      affine: [-1, 0, 0, 10, 0, 2, 0, 10, 0, 0, 3, 10],
    });
    // Turned by the angle of 3-4-5 about z: steps and starts are distances along the turned axes.
    const turned = await open(await mincFile({ xspace: [0.8, 0.6, 0], yspace: [-0.6, 0.8, 0], zspace: [0, 0, 1] }));
    const expected = [-0.8, -1.2, 0, 2, -0.6, 1.6, 0, 14, 0, 0, 3, 10];
    for (const [at, value] of turned.info.affine.entries()) expect(value).toBeCloseTo(expected[at] as number, 12);
    // Directions that do not span space are ignored.
    const flat = await open(await mincFile({ xspace: [1, 0, 0], yspace: [1, 0, 0] }));
    expect(flat.info.affine).toEqual([-1, 0, 0, 10, 0, 2, 0, 10, 0, 0, 3, 10]);
  });

  test('and the range of its values', async () => {
    const file = (minima: readonly number[], maxima: readonly number[], dtype = '<H') =>
      hdf5File((root) => {
        const image = root.create_group('minc-2.0').create_group('image').create_group('0');
        const data = dtype === '<f' ? Float32Array.from(shorts) : shorts;
        const dataset = image.create_dataset({ name: 'image', data, shape, dtype });
        dataset.create_attribute('dimorder', 'zspace,yspace,xspace');
        dataset.create_attribute('valid_range', Float64Array.of(0, 4096), [2], '<d');
        for (const [name, values] of [
          ['image-min', minima],
          ['image-max', maxima],
        ] as const) {
          const [only = 0] = values;
          if (values.length === 1) image.create_dataset({ name, data: only, dtype: '<d' });
          else image.create_dataset({ name, data: Float64Array.from(values), dtype: '<d' });
        }
      });
    const scalingOf = async (bytes: Uint8Array) => (await open(bytes)).info;
    expect(await scalingOf(await file([-1], [1]))).toMatchObject({ slope: 2 / 4096, intercept: -1 });
    expect(await scalingOf(await file([3, 3, 3, 3, 3], [11, 11, 11, 11, 11]))).toMatchObject({ slope: 8 / 4096, intercept: 3 });
    // Slices with ranges of their own keep their stored values, and floats are physical.
    expect(await scalingOf(await file([0, 0, 0, 0, 0], [1, 2, 3, 4, 5]))).toMatchObject({ slope: 1, intercept: 0 });
    expect(await scalingOf(await file([-1], [1], '<f'))).toMatchObject({ slope: 1, intercept: 0 });
  });
});

test('combines the time points and channels of an Imaris file, without their padding', async () => {
  const letters = (text: string) => [...text];
  const at = (level: number, time: number, channel: number, z: number, y: number, x: number) =>
    ((level * 7 + time * 5 + channel * 3 + z) * 50 + y * 9 + x) & 255;
  const file = await hdf5File((root) => {
    const data = root.create_group('DataSet');
    for (const [level, [ny, nx]] of [
      [5, 6],
      [3, 3],
    ].entries()) {
      for (const time of [0, 1]) {
        const point = (
          time === 0 ? data.create_group(`ResolutionLevel ${level}`) : (data.get(`ResolutionLevel ${level}`) as typeof data)
        ).create_group(`TimePoint ${time}`);
        for (const channel of [0, 1, 2]) {
          const group = point.create_group(`Channel ${channel}`);
          for (const [name, size] of [
            ['X', nx],
            ['Y', ny],
            ['Z', 3],
          ] as const) {
            group.create_attribute(`ImageSize${name}`, letters(String(size)), null, 'S1');
          }
          const padded = new Uint8Array(4 * 8 * 8);
          for (let z = 0; z < 3; z++)
            for (let y = 0; y < (ny as number); y++)
              for (let x = 0; x < (nx as number); x++) padded[(z * 8 + y) * 8 + x] = at(level, time, channel, z, y, x);
          group.create_dataset({ name: 'Data', data: padded, shape: [4, 8, 8], chunks: [4, 4, 4], compression: 2 });
        }
      }
    }
    const info = root.create_group('DataSetInfo');
    const image = info.create_group('Image');
    for (const [name, value] of Object.entries({
      ExtMin0: '0',
      ExtMax0: '12',
      ExtMin1: '0',
      ExtMax1: '5',
      ExtMin2: '-3',
      ExtMax2: '3',
      Unit: 'um',
    })) {
      image.create_attribute(name, letters(value), null, 'S1');
    }
    const channel = info.create_group('Channel 0');
    channel.create_attribute('Name', letters('DAPI'), null, 'S1');
    channel.create_attribute('Color', letters('0.000 0.502 1.000'), null, 'S1');
    channel.create_attribute('ColorRange', letters('0.000 100.000'), null, 'S1');
  });
  expect((await list(file)).map(({ id, shape }) => [id, shape])).toEqual([
    ['/DataSet/ResolutionLevel 0', [2, 3, 3, 5, 6]],
    ['/DataSet/ResolutionLevel 1', [2, 3, 3, 3, 3]],
  ]);
  const volume = await open(file);
  expect(volume.info).toMatchObject({
    dims: [6, 5, 3, 6],
    spacing: [2, 1, 2, 1],
    spatialUnit: 'um',
    affine: [2, 0, 0, 1, 0, 1, 0, 0.5, 0, 0, 2, -2],
    channels: [{ name: 'DAPI', color: '#0080ff', window: [0, 100] }, { name: 'Channel 2' }, { name: 'Channel 3' }],
  });
  const read = await readVoxels(volume);
  let index = 0;
  for (let c = 0; c < 3; c++)
    for (let t = 0; t < 2; t++)
      for (let z = 0; z < 3; z++)
        for (let y = 0; y < 5; y++)
          for (let x = 0; x < 6; x++) if (read[index++] !== at(0, t, c, z, y, x)) expect.fail(`${[c, t, z, y, x]}`);
  expect((await open(file, { dataset: '/DataSet/ResolutionLevel 1' })).info.dims).toEqual([3, 3, 3, 6]);
  expect((await open(file, { levelBytes: 300 })).info.dims).toEqual([3, 3, 3, 6]);
});

test('reads a file with a user block, as MATLAB writes it', async () => {
  const file = await hdf5File((root) => {
    root.create_dataset({ name: 'volume', data: shorts, shape });
  });
  expectSame(await readVoxels(await open(Buffer.concat([new Uint8Array(512), file]))), values);
});

test('reads only the parts of a file that it needs', async () => {
  const large = noise(8 * 2 ** 20);
  const file = await hdf5File((root) => {
    root.create_dataset({ name: 'large', data: large, shape: [8, 1024, 1024] });
    root.create_dataset({ name: 'small', data: shorts, shape });
    root.create_dataset({ name: 'more', data: large, shape: [8, 1024, 1024] });
  });
  let bytesRead = 0;
  const source: ByteSource = {
    name: 'a.h5',
    size: file.byteLength,
    read: async (offset, length) => {
      bytesRead += length;
      return file.slice(offset, offset + length) as Uint8Array<ArrayBuffer>;
    },
  };
  const volume = await openVolume(source, { dataset: '/small' });
  expectSame(await readVoxels(volume), values);
  expect(bytesRead).toBeLessThan(14 * 2 ** 20);
  const whole = await openVolume(source, { dataset: '/more' });
  expectSame(await readVoxels(whole), large);
});
