import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { memorySource } from '../../shared/bytes.ts';
import { type Dims4, type Endian, elementBytes, swapBytes, type VolumeInfo, volumeBytes } from '../../shared/volume.ts';
import { joinBytes } from '../common/byte-stream.ts';
import { expectCutsNoticed, expectMutantsHandled } from '../common/hostile-testing.ts';
import { faultOf, noise, readVoxels, rebuild, testVoxels, trickling } from '../common/source-testing.ts';
import { describeExport } from '../export-volume.ts';
import { openVolume } from '../open-volume.ts';
import { mrcReader } from './mrc-reader.ts';

const dims: Dims4 = [5, 3, 7, 1];

interface Fields {
  readonly endian?: Endian;
  readonly lengths?: readonly number[];
  readonly mode?: number;
  readonly sampling?: readonly number[];
  readonly cell?: readonly number[];
  readonly angles?: readonly number[];
  readonly mapping?: readonly number[];
  readonly starts?: readonly number[];
  readonly origin?: readonly number[];
  readonly range?: readonly [number, number];
  readonly spaceGroup?: number;
  readonly extended?: number;
  readonly imodFlags?: number;
  readonly magic?: string;
}

/** A header by the word numbers in MRC2014's table: word n is at byte 4 × (n − 1). */
function header(fields: Fields = {}): Uint8Array {
  const { endian = 'little', lengths = [4, 3, 2], mode = 0, sampling = lengths, cell = [4, 3, 2] } = fields;
  const view = new DataView(new ArrayBuffer(1024));
  const isLittle = endian === 'little';
  const ints = (word: number, ...values: readonly number[]) =>
    values.forEach((value, index) => {
      view.setInt32(4 * (word - 1 + index), value, isLittle);
    });
  const floats = (word: number, ...values: readonly number[]) =>
    values.forEach((value, index) => {
      view.setFloat32(4 * (word - 1 + index), value, isLittle);
    });
  ints(1, ...lengths, mode);
  ints(5, ...(fields.starts ?? [0, 0, 0]));
  ints(8, ...sampling);
  floats(11, ...cell);
  floats(14, ...(fields.angles ?? [90, 90, 90]));
  ints(17, ...(fields.mapping ?? [1, 2, 3]));
  floats(20, ...(fields.range ?? [0, 0]));
  ints(23, fields.spaceGroup ?? 1, fields.extended ?? 0);
  if (fields.imodFlags !== undefined) ints(39, 0x444f4d49, fields.imodFlags);
  floats(50, ...(fields.origin ?? [0, 0, 0]));
  const bytes = new Uint8Array(view.buffer);
  bytes.set(new TextEncoder().encode(fields.magic ?? 'MAP '), 208);
  bytes.set(isLittle ? [0x44, 0x44] : [0x11, 0x11], 212);
  return bytes;
}

const open = (bytes: Uint8Array, name = 'cell.mrc') => openVolume(trickling(memorySource(name, bytes), 53));
const infoOf = async (fields: Fields) => (await open(joinBytes([header(fields), noise(500)]))).info;

describe.each(['little', 'big'] as const)('%s-endian', (endian) => {
  test.each([
    [0, 'i8'],
    [1, 'i16'],
    [2, 'f32'],
    [6, 'u16'],
    [7, 'i32'],
  ] as const)('mode %i is %s: plain, gzipped, by content, with an extended header', async (mode, type) => {
    const { stored, read } = testVoxels(dims, type, endian);
    const bytes = joinBytes([header({ endian, mode, lengths: [5, 3, 7], extended: 80 }), noise(80), stored, noise(6)]);
    for (const [name, file] of [
      ['cell.mrc', bytes],
      ['cell.mrc.gz', gzipSync(bytes)],
      ['download', bytes],
    ] as const) {
      const volume = await open(file, name);
      expect(volume.info).toMatchObject({ dims, type });
      expect(await readVoxels(volume)).toEqual(read);
      const source = await volume.source();
      expect(source).toMatchObject({ format: 'mrc', endian });
      expect(rebuild(source, read, type)).toEqual([{ name: name.replace('.gz', ''), bytes }]);
    }
  });

  test('mode 12: half floats become floats', async () => {
    const halves = Uint16Array.of(0, 0x3c00, 0xc000, 0x7bff, 1, 0x8000, 0x7c00, 0x3555);
    const values = Float32Array.of(0, 1, -2, 65504, 2 ** -24, -0, Infinity, (1 + 0x155 / 1024) / 4);
    const stored = new Uint8Array(halves.buffer);
    if (endian === 'big') swapBytes(stored, 2);
    const volume = await open(joinBytes([header({ endian, mode: 12, lengths: [4, 2, 1] }), stored, noise(3)]));
    expect(volume).toMatchObject({ info: { type: 'f32' }, stored: { samples: 1, as: 'f16' } });
    expect(await readVoxels(volume)).toEqual(new Uint8Array(values.buffer));
    expect(await volume.source()).toMatchObject({ endian, stored: { samples: 1, as: 'f16' }, parts: [{ after: noise(3) }] });
  });
});

test('mode 16: the three values of a voxel become channels', async () => {
  const bytes = joinBytes([header({ mode: 16, lengths: [2, 2, 1] }), Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)]);
  const volume = await open(bytes);
  expect(volume.info).toMatchObject({ dims: [2, 2, 1, 3], type: 'u8' });
  expect(volume.info.channels?.map(({ name }) => name)).toEqual(['Red', 'Green', 'Blue']);
  expect([...(await readVoxels(volume))]).toEqual([1, 4, 7, 10, 2, 5, 8, 11, 3, 6, 9, 12]);
});

test('mode 101: 4 bits per voxel, in rows of whole bytes', async () => {
  const bytes = joinBytes([header({ mode: 101, lengths: [3, 2, 1] }), Uint8Array.of(0x21, 0x03, 0xfe, 0x0d)]);
  const volume = await open(bytes);
  expect(volume).toMatchObject({ info: { dims: [3, 2, 1, 1], type: 'u8' }, stored: { samples: 1, as: 'u4' } });
  expect([...(await readVoxels(volume))]).toEqual([1, 2, 3, 14, 15, 13]);
  bytes[1025] = 0x13;
  expect(await faultOf(readVoxels(await open(bytes)))).toMatchObject({ tag: 'unsupported' });
});

test('bytes are signed unless IMOD or their range indicates otherwise', async () => {
  expect((await infoOf({ imodFlags: 0 })).type).toBe('u8');
  expect((await infoOf({ imodFlags: 1 })).type).toBe('i8');
  expect((await infoOf({ range: [0, 200] })).type).toBe('u8');
  expect((await infoOf({ range: [-3, 100] })).type).toBe('i8');
  expect((await infoOf({ range: [0, 100] })).type).toBe('i8');
  expect((await infoOf({ imodFlags: 1, range: [0, 200] })).type).toBe('i8');
});

test('a stack of volumes is a series; a stack of pictures is a volume', async () => {
  const lengths = [4, 3, 6];
  expect((await infoOf({ lengths, sampling: [4, 3, 2], spaceGroup: 401 })).dims).toEqual([4, 3, 2, 3]);
  expect((await infoOf({ lengths, sampling: [4, 3, 6], spaceGroup: 0 })).dims).toEqual([4, 3, 6, 1]);
  expect((await infoOf({ lengths, sampling: [4, 3, 4], spaceGroup: 401 })).dims).toEqual([4, 3, 6, 1]);
});

describe('geometry', () => {
  const close = (values: readonly number[], expected: readonly number[]) => {
    expect(values.length).toBe(expected.length);
    for (const [index, value] of values.entries()) expect(value).toBeCloseTo(expected[index] as number, 9);
  };

  test('Å become µm; the origin is ORIGIN, with IMOD’s sign', async () => {
    const fields = { cell: [8, 9, 20], origin: [10, -20, 30] };
    const info = await infoOf(fields);
    expect(info.spatialUnit).toBe('um');
    close(info.spacing, [2e-4, 3e-4, 1e-3, 1]);
    close(info.affine, [2e-4, 0, 0, 1e-3, 0, 3e-4, 0, -2e-3, 0, 0, 1e-3, 3e-3]);
    close((await infoOf({ ...fields, imodFlags: 4 })).affine, [2e-4, 0, 0, -1e-3, 0, 3e-4, 0, 2e-3, 0, 0, 1e-3, -3e-3]);
  });

  test('columns, rows and sections follow the axes in the header', async () => {
    // Columns along Z, rows along X, sections along Y; the cell is 40 × 60 × 80 Å, sampled 4 × 6 × 8.
    const info = await infoOf({ mapping: [3, 1, 2], sampling: [4, 6, 8], cell: [40, 60, 160], starts: [5, 6, 7] });
    close(info.spacing, [2e-3, 1e-3, 1e-3, 1]);
    close(info.affine, [0, 1e-3, 0, 6e-3, 0, 0, 1e-3, 7e-3, 2e-3, 0, 0, 1e-2]);
  });

  test('a cell with other angles is sheared', async () => {
    const info = await infoOf({ cell: [4e4, 3e4, 2e4], angles: [90, 120, 90] });
    close(info.affine, [1, 0, -0.5, 0, 0, 1, 0, 0, 0, 0, Math.sqrt(0.75), 0]);
  });

  test('a header without a cell, or with an impossible one, gives no geometry', async () => {
    for (const fields of [{ cell: [0, 0, 0] }, { cell: [4, Number.NaN, 2] }, { sampling: [0, 0, 0] }]) {
      const info = await infoOf(fields);
      expect(info).toMatchObject({ spacing: [1, 1, 1, 1], spatialUnit: 'unknown' });
      expect(info.affine).toEqual([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0]);
    }
    expect((await infoOf({ angles: [10, 10, 100] })).affine).toEqual((await infoOf({})).affine);
    expect((await infoOf({ mapping: [0, 0, 0] })).affine).toEqual((await infoOf({})).affine);
  });

  test('a written file can be read', async () => {
    for (const type of ['u8', 'i8', 'i16', 'u16', 'i32', 'f32'] as const) {
      const info: VolumeInfo = {
        dims: [5, 3, 7, 2],
        type,
        spacing: [2, 4, 8, 1],
        spatialUnit: 'um',
        timeUnit: 'unknown',
        affine: [2, 0, 0, 16, 0, 4, 0, -32, 0, 0, 8, 64],
        slope: 1,
        intercept: 0,
      };
      for (const endian of ['little', 'big'] as const) {
        const voxels = noise(volumeBytes(info));
        const [file] = rebuild(describeExport(info, 'mrc', 'scan', endian), voxels, type);
        const back = await open(file?.bytes ?? new Uint8Array());
        expect(back.info).toMatchObject({ dims: info.dims, type, spatialUnit: 'um' });
        close(back.info.spacing, info.spacing);
        close(back.info.affine, info.affine);
        expect(await readVoxels(back)).toEqual(voxels);
        if (elementBytes(type) > 1) expect((await back.source()).endian).toBe(endian);
      }
    }
  });
});

describe('faults', () => {
  test.each<[string, Fields, string]>([
    ['complex integers', { mode: 3 }, 'unsupported'],
    ['complex floats', { mode: 4 }, 'unsupported'],
    ['an unknown mode', { mode: 99 }, 'corrupt'],
    ['an impossible mode', { mode: 70_000 }, 'corrupt'],
    ['a length of 0', { lengths: [4, 0, 2] }, 'corrupt'],
    ['more voxels than bytes', { lengths: [400, 300, 200] }, 'corrupt'],
    ['more voxels than any file has', { lengths: [2e9, 2e9, 2e9] }, 'corrupt'],
    ['an extended header of negative length', { extended: -4 }, 'corrupt'],
    ['an extended header beyond the file', { extended: 100_000 }, 'corrupt'],
    ['invalid axes', { mapping: [7, 8, 9] }, 'corrupt'],
  ])('%s', async (_, fields, tag) => {
    expect(await faultOf(infoOf(fields))).toMatchObject({ tag });
  });

  test('an old file without the magic word is recognised by its name', async () => {
    const bytes = joinBytes([header({ magic: '\0\0\0\0' }), noise(24)]);
    expect((await open(bytes)).info.dims).toEqual([4, 3, 2, 1]);
    expect(await faultOf(open(bytes, 'download'))).toMatchObject({ tag: 'unsupported' });
  });

  const plain = [{ name: 'a.mrc', bytes: joinBytes([header({ extended: 16 }), noise(16), noise(24)]) }];
  const packed = [{ name: 'a.mrc', bytes: joinBytes([header({ mode: 101 }), noise(12)]) }];
  const rgb = [{ name: 'a.mrc', bytes: joinBytes([header({ mode: 16 }), noise(72)]) }];

  test('a file truncated at any byte is detected', async () => {
    for (const files of [plain, packed, rgb]) await expectCutsNoticed(mrcReader, files);
  });

  test('2,100 damaged files give a typed error or a volume', async () => {
    for (const files of [plain, packed, rgb]) await expectMutantsHandled(mrcReader, files, 700, 240);
  });
});
