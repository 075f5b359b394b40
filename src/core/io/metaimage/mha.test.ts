import { deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { memorySource } from '../../shared/bytes.ts';
import { type Dims4, type Endian, elementTypes, type VolumeInfo } from '../../shared/volume.ts';
import { joinBytes } from '../common/byte-stream.ts';
import { expectCutsNoticed, expectMutantsHandled } from '../common/hostile-testing.ts';
import {
  faultOf,
  noise,
  readVoxels,
  rebuild,
  siblingsAmong,
  type TestFile,
  testVoxels,
  trickling,
} from '../common/source-testing.ts';
import { describeExport } from '../export-volume.ts';
import { openVolume } from '../open-volume.ts';
import { mhaReader } from './mha-reader.ts';

const dims: Dims4 = [5, 3, 7, 2];
const metNames = {
  u8: 'MET_UCHAR',
  i8: 'MET_CHAR',
  u16: 'MET_USHORT',
  i16: 'MET_SHORT',
  u32: 'MET_UINT',
  i32: 'MET_INT',
  f32: 'MET_FLOAT',
  f64: 'MET_DOUBLE',
} as const;

const text = (...lines: readonly string[]) => new TextEncoder().encode(`${lines.join('\n')}\n`);

/** The lines of a header up to `ElementDataFile`, as ITK writes them. */
function lines(lengths: readonly number[], type: keyof typeof metNames = 'u8', endian: Endian = 'little'): string[] {
  return [
    'ObjectType = Image',
    `NDims = ${lengths.length}`,
    'BinaryData = True',
    `BinaryDataByteOrderMSB = ${endian === 'big' ? 'True' : 'False'}`,
    `DimSize = ${lengths.join(' ')}`,
    `ElementType = ${metNames[type]}`,
  ];
}

const local = 'ElementDataFile = LOCAL';

function open(bytes: Uint8Array, name = 'scan.mha', beside: readonly TestFile[] = []) {
  return openVolume(trickling(memorySource(name, bytes), 53), { siblings: siblingsAmong(beside) });
}

async function infoOf(more: readonly string[], lengths: readonly number[] = [4, 3, 2]): Promise<VolumeInfo> {
  return (await open(joinBytes([text(...lines(lengths), ...more, local), noise(1000)]))).info;
}

describe.each(['little', 'big'] as const)('%s-endian', (endian) => {
  test.each(elementTypes)('%s: local, gzipped and zlib', async (type) => {
    const { stored, read } = testVoxels(dims, type, endian);
    const header = text(...lines(dims, type, endian), local);
    const raw = joinBytes([header, stored, noise(9)]);
    for (const [name, bytes] of [
      ['scan.mha', raw],
      ['scan.mha.gz', gzipSync(raw)],
      ['download', raw],
    ] as const) {
      const volume = await open(bytes, name);
      expect(volume.info).toMatchObject({ dims, type });
      expect(await readVoxels(volume)).toEqual(read);
      const source = await volume.source();
      expect(source).toMatchObject({ format: 'mha', endian });
      expect(rebuild(source, read, type)).toEqual([{ name: name.replace('.gz', ''), bytes: raw }]);
    }
    const packed = deflateSync(stored);
    for (const size of [[`CompressedDataSize = ${packed.byteLength}`], []]) {
      const all = [...lines(dims, type, endian), 'CompressedData = True', ...size, local];
      const volume = await open(joinBytes([text(...all), packed]));
      expect(await readVoxels(volume)).toEqual(read);
      const plain = joinBytes([text(...lines(dims, type, endian), 'CompressedData = False', local), stored]);
      expect(rebuild(await volume.source(), read, type)).toEqual([{ name: 'scan.mha', bytes: plain }]);
    }
  });

  test('a data file: with its own header, located from its end, and compressed', async () => {
    const { stored, read } = testVoxels(dims, 'i16', endian);
    for (const [skip, inFront] of [
      [['HeaderSize = 13'], noise(13)],
      [[], noise(0)],
      [['HeaderSize = -1'], noise(21)],
    ] as const) {
      const header = text(...lines(dims, 'i16', endian), ...skip, 'ElementDataFile = ./scan.raw');
      const data = joinBytes([inFront, stored, skip[0] === 'HeaderSize = -1' ? noise(0) : noise(4)]);
      const volume = await open(header, 'scan.mhd', [{ name: 'scan.raw', bytes: data }]);
      expect(await readVoxels(volume)).toEqual(read);
      expect(rebuild(await volume.source(), read, 'i16')).toEqual([
        { name: 'scan.mhd', bytes: header },
        { name: 'scan.raw', bytes: data },
      ]);
    }
    const header = (flag: string, file: string) =>
      text(...lines(dims, 'i16', endian), `CompressedData = ${flag}`, `ElementDataFile = ${file}`);
    const volume = await open(header('True', 'scan.zraw'), 'scan.mhd', [{ name: 'scan.zraw', bytes: deflateSync(stored) }]);
    expect(await readVoxels(volume)).toEqual(read);
    expect(rebuild(await volume.source(), read, 'i16')).toEqual([
      { name: 'scan.mhd', bytes: header('False', 'scan.raw') },
      { name: 'scan.raw', bytes: stored },
    ]);
  });
});

test('a list of files and a pattern are restored as one file', async () => {
  const still = dims.slice(0, 3);
  const { read } = testVoxels([5, 3, 7, 1], 'u16', 'little');
  const slices = Array.from({ length: 7 }, (_, z) => read.subarray(30 * z, 30 * (z + 1)));
  const header = (file: string, ...more: readonly string[]) =>
    text(...lines(still, 'u16'), 'HeaderSize = 3', `ElementDataFile = ${file}`, ...more);
  const files = slices.map((slice, z) => ({ name: `s_0${10 + 2 * z}.bin`, bytes: joinBytes([noise(3), slice, noise(2)]) }));
  const names = files.map(({ name }) => name);
  const pairs = [0, 1, 2].map((z) => ({ name: `p${z}`, bytes: joinBytes([noise(3), slices[2 * z] as Uint8Array]) }));
  for (const [bytes, beside] of [
    [header('LIST', ...names), files],
    [header('LIST 2', ...names, ''), files],
    [header('s_%03d.bin 10 22 2'), files],
    [header('p%d 0 6 1'), slices.map((slice, z) => ({ name: `p${z}`, bytes: joinBytes([noise(3), slice]) }))],
  ] as const) {
    const volume = await open(bytes, 'scan.mhd', beside);
    expect(await readVoxels(volume)).toEqual(read);
    expect(rebuild(await volume.source(), read, 'u16')).toEqual([
      { name: 'scan.mhd', bytes: text(...lines(still, 'u16'), 'ElementDataFile = scan.raw') },
      { name: 'scan.raw', bytes: read },
    ]);
  }
  expect(await faultOf(open(header('p%d 0 6 1'), 'scan.mhd', pairs))).toMatchObject({ tag: 'not-readable' });
  const short = files.map((file, z) => (z === 4 ? { ...file, bytes: file.bytes.subarray(0, 20) } : file));
  const fault = await faultOf(open(header('LIST', ...names), 'scan.mhd', short));
  expect(fault).toMatchObject({ tag: 'corrupt' });
  expect(fault?.message).toContain('s_018.bin');
});

test('the values of a voxel become channels', async () => {
  const header = text(...lines([2, 1, 1, 2], 'u16'), 'ElementNumberOfChannels = 2', local);
  const volume = await open(joinBytes([header, new Uint8Array(Uint16Array.of(1, 10, 2, 20, 3, 30, 4, 40).buffer), noise(3)]));
  expect(volume.info).toMatchObject({ dims: [2, 1, 1, 4], channels: [{ name: 'Component 1' }, { name: 'Component 2' }] });
  expect([...new Uint16Array((await readVoxels(volume)).buffer)]).toEqual([1, 2, 3, 4, 10, 20, 30, 40]);
  expect(await volume.source()).toMatchObject({ stored: { samples: 2 }, parts: [{ before: header, after: noise(3) }] });
  const rgb = text(...lines([4, 3, 2]), 'ElementNumberOfChannels = 3', local);
  const colours = (await open(joinBytes([rgb, noise(72)]))).info.channels?.map(({ name }) => name);
  expect(colours).toEqual(['Red', 'Green', 'Blue']);
});

describe('geometry', () => {
  // Column i of the matrix below is the direction of axis i, because MetaImage writes one direction after another.
  test('LPS becomes RAS', async () => {
    const info = await infoOf(['TransformMatrix = 0 1 0 0 0 -1 -1 0 0', 'Offset = 10 20 30', 'ElementSpacing = 2 3 4']);
    expect(info).toMatchObject({ spacing: [2, 3, 4, 1], spatialUnit: 'mm' });
    expect(info.affine).toEqual([0, 0, 4, -10, -2, 0, 0, -20, 0, -3, 0, 30]);
  });

  test('units, scaling and the time step', async () => {
    const scaling = ['ElementToIntensityFunctionSlope = 0.5', 'ElementToIntensityFunctionOffset = -3'];
    expect(await infoOf(['DistanceUnits = um', ...scaling])).toMatchObject({ spatialUnit: 'um', slope: 0.5, intercept: -3 });
    expect(await infoOf(['DistanceUnits = cm', 'ElementSpacing = 1 1 2'])).toMatchObject({
      spatialUnit: 'mm',
      spacing: [10, 10, 20, 1],
    });
    expect(await infoOf(['DistanceUnits = ?'])).toMatchObject({ spatialUnit: 'unknown' });
    const matrix = 'TransformMatrix = 1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1';
    const moving = await infoOf(['ElementSpacing = 1 2 3 0.5', 'Offset = 1 2 3 9', matrix], [4, 3, 2, 5]);
    expect(moving).toMatchObject({ dims: [4, 3, 2, 5], spacing: [1, 2, 3, 0.5] });
    expect(moving.affine).toEqual([-1, 0, 0, -1, 0, -2, 0, -2, 0, 0, 3, 3]);
  });

  test('a picture gets a third axis, perpendicular to it', async () => {
    const info = await infoOf(['TransformMatrix = 1 0 0 1', 'Offset = 3 4', 'ElementSpacing = 2 2'], [6, 5]);
    expect(info).toMatchObject({ dims: [6, 5, 1, 1], affine: [-2, 0, 0, -3, 0, -2, 0, -4, 0, 0, 1, 0] });
  });

  test('a written file can be read', async () => {
    const info: VolumeInfo = {
      dims,
      type: 'i16',
      spacing: [2, 3, 4, 0.5],
      spatialUnit: 'um',
      timeUnit: 'unknown',
      affine: [0, -3, 0, 10, 2, 0, 0, 20, 0, 0, 4, 30],
      slope: 0.5,
      intercept: -1024,
    };
    const voxels = noise(420);
    for (const endian of ['little', 'big'] as const) {
      for (const volume of [info, { ...info, dims: [5, 3, 14, 1], spacing: [2, 3, 4, 1] } as const]) {
        const [file] = rebuild(describeExport(volume, 'mha', 'scan', endian), voxels, 'i16');
        const back = await open(file?.bytes ?? new Uint8Array(), file?.name);
        expect(back.info).toEqual(volume);
        expect(await readVoxels(back)).toEqual(voxels);
      }
    }
    const metres = describeExport({ ...info, spatialUnit: 'm' }, 'mha', 'scan').parts[0]?.before ?? new Uint8Array();
    expect((await open(joinBytes([metres, voxels]))).info).toMatchObject({ spatialUnit: 'mm', spacing: [2000, 3000, 4000, 0.5] });
  });
});

describe('faults', () => {
  const without = (field: string) => lines([4, 3, 2]).filter((line) => !line.startsWith(field));
  const opened = (...all: readonly string[]) => faultOf(open(joinBytes([text(...all, local), noise(100)])));

  test.each([
    ['ElementType', 'ElementType = MET_STRING', 'MET_STRING'],
    ['BinaryData', 'BinaryData = False', 'as text'],
    ['ObjectType', 'ObjectType = Mesh', 'Mesh'],
    ['Element', 'ElementType = MET_UCHAR\nElementNumberOfChannels = 1025', '1025 values'],
  ])('names unsupported features: %s', async (field, line, named) => {
    const fault = await opened(...without(field), line);
    expect(fault).toMatchObject({ tag: 'unsupported' });
    expect(fault?.message).toContain(named);
  });

  test.each([
    ['NDims', 'NDims = 0'],
    ['NDims', 'NDims = 11'],
    ['NDims', 'NDims = 2'],
    ['DimSize', 'DimSize = 4 0 2'],
    ['DimSize', 'DimSize = 4 3 2000'],
    ['DimSize', 'DimSize = 4 3 x'],
    ['DimSize', 'DimSize = 999999999999999 999999999999999 2'],
    ['DimSize', 'What is this'],
    ['DimSize', 'DimSize = 4 3 2\nDimSize = 4 3 2'],
    ['DimSize', 'Name = me'],
    ['BinaryDataByteOrderMSB', 'CompressedData = True'],
    ['BinaryDataByteOrderMSB', 'HeaderSize = -2'],
    ['BinaryDataByteOrderMSB', 'HeaderSize = 99999999999'],
    ['BinaryDataByteOrderMSB', 'ElementSpacing = 1 2'],
    ['BinaryDataByteOrderMSB', 'TransformMatrix = 1 2 3'],
  ])('a header with a different %s is corrupt: %j', async (field, line) => {
    expect(await opened(...without(field), line)).toMatchObject({ tag: 'corrupt' });
  });

  test('a data file is looked for beside its header, whatever folder the header names', async () => {
    for (const [file, named] of [
      ['../data/scan.raw', 'scan.raw'],
      ['C:\\data\\scan.raw', 'scan.raw'],
      ['a/%d.raw 1 2 1', '1.raw'],
      ['scan.raw', 'scan.raw'],
    ]) {
      const header = text(...lines([4, 3, 2]), `ElementDataFile = ${file}`);
      const fault = await faultOf(open(header, 'scan.mhd'));
      expect(fault).toMatchObject({ tag: 'not-readable', missing: [named] });
      expect(fault?.message).toContain(`the file ${named} is missing, which belongs to scan.mhd`);
      if (named !== 'scan.raw') continue;
      const volume = await open(header, 'scan.mhd', [{ name: 'scan.raw', bytes: noise(24) }]);
      expect(await readVoxels(volume)).toEqual(noise(24));
      expect((await volume.source()).parts).toMatchObject([{ before: header }, { name: 'scan.raw' }]);
    }
    const many = text(...lines([4, 3, 999999999]), 'ElementDataFile = s%d.raw 1 999999999 1');
    expect(await faultOf(open(many, 'scan.mhd'))).toMatchObject({ tag: 'unsupported' });
  });

  test.each([
    ['LIST', ['t0/slice.raw', 't1/slice.raw'], 't0/slice.raw and t1/slice.raw'],
    ['LIST', ['t0\\slice.raw', 'slice.raw'], 't0\\slice.raw and slice.raw'],
    ['t%d/slice.raw 0 1 1', [], 't0/slice.raw and t1/slice.raw'],
  ])('files of one name in different folders are refused: %s %j', async (file, names, both) => {
    const header = text(...lines([4, 3, 2]), `ElementDataFile = ${file}`, ...names);
    const fault = await faultOf(open(header, 'scan.mhd', [{ name: 'slice.raw', bytes: noise(12) }]));
    expect(fault).toMatchObject({ tag: 'unsupported' });
    expect(fault?.message).toContain(both);
  });

  test.each([
    ['a.raw', 'a.raw'],
    ['./a.raw', 'a.raw'],
    ['t0/a.raw', 't0\\.\\a.raw'],
    ['t0/a.raw', 'a.raw.raw', 't1/a.raw'],
  ])('one file may be named several times, and names that are not needed may be anything: %j', async (...names) => {
    const beside = ['a.raw', 'a.raw.raw'].map((name) => ({ name, bytes: noise(12) }));
    const header = text(...lines([4, 3, 2]), 'ElementDataFile = LIST', ...names);
    expect(await readVoxels(await open(header, 'scan.mhd', beside))).toEqual(joinBytes([noise(12), noise(12)]));
  });

  test('compressed voxels that end early, are too long or are broken', async () => {
    const packed = deflateSync(noise(24));
    const broken = packed.slice();
    broken[12] = (broken[12] as number) ^ 255;
    for (const data of [packed.subarray(0, -5), deflateSync(noise(23)), broken]) {
      const volume = await open(joinBytes([text(...lines([4, 3, 2]), 'CompressedData = True', local), data]));
      expect(await faultOf(readVoxels(volume))).toMatchObject({ tag: 'corrupt' });
    }
  });

  const files: readonly TestFile[] = [
    {
      name: 'scan.mhd',
      bytes: text(...lines([4, 3, 2], 'i16'), 'ElementSpacing = 1 1 2.5', 'ElementDataFile = LIST', 'a.raw', 'b.raw'),
    },
    { name: 'a.raw', bytes: noise(24) },
    { name: 'b.raw', bytes: noise(24) },
  ];
  const packed = joinBytes([text(...lines([4, 3, 2]), 'CompressedData = True', local), deflateSync(noise(24))]);

  test('a file truncated at any byte is detected', async () => {
    await expectCutsNoticed(mhaReader, [{ name: 'a.mha', bytes: joinBytes([text(...lines([4, 3, 2]), local), noise(24)]) }]);
    await expectCutsNoticed(mhaReader, [{ name: 'a.mha', bytes: packed }]);
    const list = files[0]?.bytes.byteLength ?? 0;
    // Without the line end after its last name, the list is still complete.
    await expectCutsNoticed(mhaReader, files, 0, (length) => length === list - 1);
    await expectCutsNoticed(mhaReader, files, 1);
  });

  test('2,000 damaged files give a typed error or a volume', async () => {
    await expectMutantsHandled(mhaReader, [{ name: 'a.mha', bytes: packed }], 1000, 1000);
    await expectMutantsHandled(mhaReader, files, 1000, 1000);
  });
});
