import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { memorySource } from '../../shared/bytes.ts';
import { type Dims4, elementTypes, type VolumeInfo, volumeBytes } from '../../shared/volume.ts';
import { joinBytes } from '../common/byte-stream.ts';
import { expectCutsNoticed, expectMutantsHandled } from '../common/hostile-testing.ts';
import { faultOf, noise, readVoxels, rebuild, testVoxels, trickling } from '../common/source-testing.ts';
import { describeExport } from '../export-volume.ts';
import { openVolume } from '../open-volume.ts';
import { npyReader } from './npy-reader.ts';

const dims: Dims4 = [5, 3, 7, 2];
const codes = { u8: 'u1', i8: 'i1', u16: 'u2', i16: 'i2', u32: 'u4', i32: 'i4', f32: 'f4', f64: 'f8' } as const;

/** A file as numpy.lib.format writes it. */
function npy(dictionary: string, voxels: Uint8Array, version: 1 | 2 | 3 = 1): Uint8Array {
  const prefix = version === 1 ? 10 : 12;
  const text = `${dictionary.padEnd(64 * Math.ceil((prefix + dictionary.length + 1) / 64) - prefix - 1, ' ')}\n`;
  const head = Buffer.alloc(prefix);
  head.write('\x93NUMPY', 'latin1');
  head[6] = version;
  if (version === 1) head.writeUInt16LE(text.length, 8);
  else head.writeUInt32LE(text.length, 8);
  return joinBytes([head, new TextEncoder().encode(text), voxels]);
}

const words = (descr: string, shape: string, fortran = 'False') =>
  `{'descr': ${descr}, 'fortran_order': ${fortran}, 'shape': ${shape}, }`;

const open = (bytes: Uint8Array, name = 'a.npy') => openVolume(trickling(memorySource(name, bytes), 53));
const infoOf = async (dictionary: string) => (await open(npy(dictionary, noise(240)))).info;

describe.each(['little', 'big'] as const)('%s-endian', (endian) => {
  test.each(elementTypes)('%s in both orders and all versions', async (type) => {
    const { stored, read } = testVoxels(dims, type, endian);
    const order = type.endsWith('8') ? '|' : endian === 'big' ? '>' : '<';
    const descr = `'${order}${codes[type]}'`;
    for (const dictionary of [words(descr, '(2, 7, 3, 5)'), words(descr, '(5, 3, 7, 2)', 'True')]) {
      for (const version of [1, 2, 3] as const) {
        const bytes = npy(dictionary, joinBytes([stored, noise(5)]), version);
        for (const [name, file] of [
          ['a.npy', bytes],
          ['a.npy.gz', gzipSync(bytes)],
          ['download', bytes],
        ] as const) {
          const volume = await open(file, name);
          expect(volume.info).toMatchObject({ dims, type, spatialUnit: 'unknown' });
          expect(await readVoxels(volume)).toEqual(read);
          expect(rebuild(await volume.source(), read, type)).toEqual([{ name: name.replace('.gz', ''), bytes }]);
        }
      }
    }
  });
});

test('axes: the fastest is x, and those after the fourth are folded', async () => {
  expect((await infoOf(words("'|u1'", '(6,)'))).dims).toEqual([6, 1, 1, 1]);
  expect((await infoOf(words("'|u1'", '(6, 5)'))).dims).toEqual([5, 6, 1, 1]);
  expect((await infoOf(words("'|u1'", '()'))).dims).toEqual([1, 1, 1, 1]);
  expect((await infoOf(words("'|u1'", '(2, 3, 4, 5, 2)'))).dims).toEqual([2, 5, 4, 6]);
  expect((await infoOf(words("'|u1'", '(2, 3, 4, 5, 2)', 'True'))).dims).toEqual([2, 3, 4, 10]);
});

test('bools become u8, and headers from other programs are accepted', async () => {
  expect(await infoOf(words("'|b1'", '(2, 3)'))).toMatchObject({ type: 'u8', dims: [3, 2, 1, 1] });
  const other = `{"shape":(2L, 3L),"fortran_order":True,"descr":"<i2"}`;
  expect(await infoOf(other)).toMatchObject({ type: 'i16', dims: [2, 3, 1, 1] });
});

test('half floats become floats', async () => {
  const volume = await open(npy(words("'>f2'", '(1, 2)'), Uint8Array.of(0x3c, 0, 0xc0, 0)));
  expect(volume).toMatchObject({ info: { type: 'f32', dims: [2, 1, 1, 1] }, stored: { samples: 1, as: 'f16' } });
  expect(await readVoxels(volume)).toEqual(new Uint8Array(Float32Array.of(1, -2).buffer));
});

const plainInfo: VolumeInfo = {
  dims,
  type: 'u16',
  spacing: [1, 1, 1, 1],
  spatialUnit: 'unknown',
  timeUnit: 'unknown',
  affine: [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0],
  slope: 1,
  intercept: 0,
};

test('a written file can be read', async () => {
  for (const volume of [plainInfo, { ...plainInfo, dims: [5, 3, 7, 1] } as const]) {
    const voxels = noise(volumeBytes(volume));
    const [file] = rebuild(describeExport(volume, 'npy', 'a', 'big'), voxels, 'u16');
    const back = await open(file?.bytes ?? new Uint8Array());
    expect(back.info).toEqual(volume);
    expect(await readVoxels(back)).toEqual(voxels);
  }
  const before = describeExport(plainInfo, 'npy', 'a').parts[0]?.before;
  expect(before).toEqual(npy(words("'<u2'", '(2, 7, 3, 5)'), new Uint8Array()));
});

test('channels are written as the first axis, and read as channels if the axes are given', async () => {
  const channels = [{ name: 'a' }, { name: 'b' }, { name: 'c' }];
  for (const [points, shape, axes] of [
    [1, '(3, 7, 3, 5)', 'czyx'],
    [2, '(3, 2, 7, 3, 5)', 'ctzyx'],
  ] as const) {
    const info: VolumeInfo = { ...plainInfo, dims: [5, 3, 7, 3 * points], channels };
    const voxels = noise(volumeBytes(info));
    const [file] = rebuild(describeExport(info, 'npy', 'a'), voxels, 'u16');
    const bytes = file?.bytes ?? new Uint8Array();
    expect(bytes).toEqual(npy(words("'<u2'", shape), voxels));
    const volume = await openVolume(memorySource('a.npy', bytes), { axes });
    expect(volume.info).toMatchObject({ dims: info.dims, channels: [{ name: 'Component 1' }, {}, {}] });
    expect(await readVoxels(volume)).toEqual(voxels);
    expect((await open(bytes)).info.channels).toBeUndefined();
  }
});

test('channels as the last axis are values side by side', async () => {
  const values = noise(2 * 3 * 4 * 3);
  const colours = npy(words("'|u1'", '(2, 3, 4, 3)'), values);
  const volume = await openVolume(memorySource('a.npy', colours), { axes: 'zyxc' });
  const channels = [{ name: 'Red' }, { name: 'Green' }, { name: 'Blue' }];
  expect(volume).toMatchObject({ info: { dims: [4, 3, 2, 3], channels }, stored: { samples: 3 } });
  const read = await readVoxels(volume);
  expect([...read]).toEqual([0, 1, 2].flatMap((channel) => [...values].filter((_, index) => index % 3 === channel)));
  expect(rebuild(await volume.source(), read, 'u8')).toEqual([{ name: 'a.npy', bytes: colours }]);
  // In Fortran order the first axis is the fastest one.
  const fortran = npy(words("'|u1'", '(3, 4, 3, 2)', 'True'), values);
  expect(await readVoxels(await openVolume(memorySource('a.npy', fortran), { axes: 'cxyz' }))).toEqual(read);
});

test('axes without channels, and axes that are missing', async () => {
  const at = async (shape: string, axes: string) =>
    (await openVolume(memorySource('a.npy', npy(words("'|u1'", shape), noise(240))), { axes })).info;
  expect(await at('(2, 3, 4)', 'tyx')).toMatchObject({ dims: [4, 3, 1, 2] });
  expect(await at('(2, 3, 4, 5)', 'stzx')).toMatchObject({ dims: [5, 1, 4, 6] });
  expect(await at('(1, 3, 4)', 'cyx')).toMatchObject({ dims: [4, 3, 1, 1] });
  for (const axes of ['xyz', 'tcyx', 'yxt', 'zxy']) {
    const shape = axes.length === 4 ? '(2, 3, 4, 5)' : '(2, 3, 4)';
    const fault = await faultOf(at(shape, axes));
    expect(fault, axes).toMatchObject({ tag: 'unsupported' });
    expect(fault?.message).toContain(`not ${axes}: save numpy.transpose`);
  }
  expect((await faultOf(at('(2, 3, 4)', 'zyxc')))?.message).toContain('names 4 axes, but the array has 3');
  expect((await faultOf(at('(2000, 3, 4)', 'cyx')))?.message).toContain('2000 channels; the limit is 1024');
});

describe('faults', () => {
  test.each([
    ["'|O'", 'unpickled'],
    ["'<c16'", 'complex'],
    ["'<i16'", "'<i16'"],
    ["'<U7'", 'texts'],
    ["'<M8[ns]'", 'dates'],
    ["[('a', '<i4'), ('b', '<f4')]", 'records'],
    ["'constructor'", 'constructor'],
  ])('names unsupported types: %s', async (descr, named) => {
    const fault = await faultOf(infoOf(words(descr, '(2, 3)')));
    expect(fault).toMatchObject({ tag: 'unsupported' });
    expect(fault?.message).toContain(named);
  });

  test('an empty array and a later version are unsupported', async () => {
    expect(await faultOf(infoOf(words("'|u1'", '(0, 3)')))).toMatchObject({ tag: 'unsupported', message: /empty/ });
    const bytes = npy(words("'|u1'", '(2, 3)'), noise(6));
    bytes[6] = 4;
    expect(await faultOf(open(bytes))).toMatchObject({ tag: 'unsupported', message: /version 4/ });
  });

  test.each([
    ['{}'],
    [words("'|u1'", '(2, x)')],
    [words("'|u1'", '(2, -3)')],
    [words("'|u1'", '(99999999999999, 99999999999999)')],
    [words("'|u1'", '(2, 3')],
    [words("'|u1'", '(2, 3)', 'Perhaps')],
    [words("'|u1'", '(200, 300)')],
  ])('calls %j corrupt', async (dictionary) => {
    expect(await faultOf(infoOf(dictionary))).toMatchObject({ tag: 'corrupt' });
  });

  const files = [{ name: 'a.npy', bytes: npy(words("'<i2'", '(2, 3, 4)'), noise(48)) }];

  test('a file truncated at any byte is detected', () => expectCutsNoticed(npyReader, files));

  test('2,000 damaged files give a typed error or a volume', () => expectMutantsHandled(npyReader, files, 2000, 128));
});
