import { deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { memorySource } from '../../shared/bytes.ts';
import { type Dims4, elementTypes, type VolumeInfo, volumeBytes } from '../../shared/volume.ts';
import { joinBytes } from '../common/byte-stream.ts';
import { expectCutsNoticed, expectMutantsHandled } from '../common/hostile-testing.ts';
import { faultOf, noise, readVoxels, rebuild, testVoxels, trickling } from '../common/source-testing.ts';
import { chooseEntry } from '../common/volume-entry.ts';
import type { VolumeReader } from '../common/volume-reader.ts';
import { describeExport } from '../export-volume.ts';
import { listVolumes, openVolume } from '../open-volume.ts';
import { vtiReader } from './vti-reader.ts';

/** Wraps the collection as a reader of files with one array. */
const reader: VolumeReader = {
  ...vtiReader,
  open: async (source, options) => chooseEntry(await vtiReader.list(source, options), undefined).open(options),
};

const dims: Dims4 = [5, 3, 7, 1];
const names = {
  u8: 'UInt8',
  i8: 'Int8',
  u16: 'UInt16',
  i16: 'Int16',
  u32: 'UInt32',
  i32: 'Int32',
  f32: 'Float32',
  f64: 'Float64',
};

interface Fields {
  readonly type?: string;
  readonly bigEndian?: boolean;
  readonly wide?: boolean;
  readonly compressor?: string;
  readonly extent?: string;
  readonly image?: string;
  readonly array?: string;
  /** Instead of PointData. */
  readonly data?: string;
}

const utf8 = (text: string) => new TextEncoder().encode(text);

/** The markup for one array, according to VTK's description. `content` is inline data; `appended` is an encoding and bytes. */
function file(
  fields: Fields,
  content: string | undefined,
  appended?: readonly [encoding: string, bytes: Uint8Array],
): Uint8Array {
  const { type = 'UInt8', extent = '0 4 0 2 0 6', data = 'PointData' } = fields;
  const compressor = fields.compressor === undefined ? '' : ` compressor="${fields.compressor}"`;
  const array = `<DataArray type="${type}" Name="v" ${fields.array ?? 'format="appended" offset="0"'}`;
  const head = `<?xml version="1.0"?>
<VTKFile type="ImageData" version="1.0" byte_order="${fields.bigEndian ? 'BigEndian' : 'LittleEndian'}" header_type="${fields.wide ? 'UInt64' : 'UInt32'}"${compressor}>
 <!-- made by a test -->
 <ImageData WholeExtent="${extent}" ${fields.image ?? 'Origin="0 0 0" Spacing="1 1 1"'}>
  <Piece Extent="${extent}">
   <${data} Scalars="v">
    ${content === undefined ? `${array}/>` : `${array}>\n${content}\n</DataArray>`}
   </${data}>
  </Piece>
 </ImageData>
`;
  if (!appended) return utf8(`${head}</VTKFile>\n`);
  const start = utf8(`${head} <AppendedData encoding="${appended[0]}">\n  _`);
  return joinBytes([start, appended[1], utf8('\n </AppendedData>\n</VTKFile>\n')]);
}

function lengths({ wide, bigEndian }: Fields, ...values: readonly number[]): Uint8Array {
  const view = new DataView(new ArrayBuffer((wide ? 8 : 4) * values.length));
  values.forEach((value, index) => {
    if (wide) view.setBigUint64(8 * index, BigInt(value), !bigEndian);
    else view.setUint32(4 * index, value, !bigEndian);
  });
  return new Uint8Array(view.buffer);
}

const base64 = (...parts: readonly Uint8Array[]) => Buffer.from(joinBytes(parts)).toString('base64');

/** In blocks of 40 bytes. */
function blocks(fields: Fields, voxels: Uint8Array): readonly [head: Uint8Array, data: Uint8Array] {
  const count = Math.ceil(voxels.byteLength / 40);
  const packed = Array.from({ length: count }, (_, index) => deflateSync(voxels.subarray(40 * index, 40 * index + 40)));
  const head = lengths(fields, count, 40, voxels.byteLength % 40, ...packed.map(({ byteLength }) => byteLength));
  return [head, joinBytes(packed)];
}

const open = (bytes: Uint8Array, name = 'a.vti') => openVolume(trickling(memorySource(name, bytes), 53));

describe.each([
  ['little-endian, 32-bit lengths', {}],
  ['big-endian, 64-bit lengths', { bigEndian: true, wide: true }],
] as const)('%s', (_, fields) => {
  const endian = 'bigEndian' in fields ? 'big' : 'little';

  test.each(elementTypes)('%s: appended raw is restored byte for byte', async (type) => {
    const { stored, read } = testVoxels(dims, type, endian);
    const of = { ...fields, type: names[type] };
    const bytes = file(of, undefined, ['raw', joinBytes([lengths(of, stored.byteLength), stored])]);
    for (const [name, packed] of [
      ['a.vti', bytes],
      ['a.vti.gz', gzipSync(bytes)],
      ['download', bytes],
    ] as const) {
      const volume = await open(packed, name);
      expect(volume.info).toMatchObject({ dims, type });
      expect(await readVoxels(volume)).toEqual(read);
      expect(rebuild(await volume.source(), read, type)).toEqual([{ name: name.replace('.gz', ''), bytes }]);
    }
  });

  test.each(['u16', 'f64'] as const)('%s: base64 and zlib, inline and appended, are read', async (type) => {
    const { stored, read } = testVoxels(dims, type, endian);
    const of = { ...fields, type: names[type] };
    const zipped = { ...of, compressor: 'vtkZLibDataCompressor' };
    const [head, data] = blocks(of, stored);
    const inline = 'format="binary"';
    const plain = base64(lengths(of, stored.byteLength), stored);
    const packed = base64(head) + base64(data);
    for (const bytes of [
      file({ ...of, array: inline }, plain),
      file({ ...zipped, array: inline }, packed),
      file(of, undefined, ['base64', utf8(plain)]),
      file(zipped, undefined, ['base64', utf8(packed)]),
      file(zipped, undefined, ['raw', joinBytes([head, data])]),
    ]) {
      const volume = await open(bytes);
      expect(await readVoxels(volume)).toEqual(read);
      const [again] = rebuild(await volume.source(), read, type);
      expect(await readVoxels(await open(again?.bytes ?? new Uint8Array()))).toEqual(read);
      expect(again?.name).toBe('a.vti');
    }
  });
});

test('numbers as text', async () => {
  const of = { type: 'Float32', extent: '0 2 0 1 0 0', array: 'format="ascii"' };
  const volume = await open(file(of, '  1 -2.5e3 nan\n inf 0 -7 '));
  expect([...new Float32Array((await readVoxels(volume)).buffer)]).toEqual([1, -2500, Number.NaN, Infinity, 0, -7]);
  expect(await faultOf(readVoxels(await open(file(of, '1 2 x 4 5 6'))))).toMatchObject({ tag: 'corrupt' });
  expect(await faultOf(readVoxels(await open(file(of, '1 2 3'))))).toMatchObject({ tag: 'corrupt' });
});

test('the values of a point become channels', async () => {
  const of = { extent: '0 1 0 0 0 0', array: 'NumberOfComponents="3" format="ascii"' };
  const volume = await open(file(of, '1 2 3 4 5 6'));
  expect(volume.info).toMatchObject({ dims: [2, 1, 1, 3], channels: [{ name: 'Red' }, { name: 'Green' }, { name: 'Blue' }] });
  expect([...(await readVoxels(volume))]).toEqual([1, 4, 2, 5, 3, 6]);
});

describe('geometry', () => {
  const image = 'Origin="10 20 30" Spacing="2 3 4" Direction="0 -1 0 1 0 0 0 0 1"';
  const of = { array: 'format="ascii"', image };

  test('directions are columns, and the first point is at the start of the extent', async () => {
    const { info } = await open(file({ ...of, extent: '1 2 0 0 2 2' }, '1 2'));
    expect(info).toMatchObject({ dims: [2, 1, 1, 1], spacing: [2, 3, 4, 1], spatialUnit: 'unknown' });
    expect(info.affine).toEqual([0, -3, 0, 10, 2, 0, 0, 22, 0, 0, 4, 38]);
  });

  test('cells are between points', async () => {
    const { info } = await open(file({ ...of, extent: '0 2 0 1 0 1', data: 'CellData' }, '1 2'));
    expect(info.dims).toEqual([2, 1, 1, 1]);
    expect(info.affine).toEqual([0, -3, 0, 8.5, 2, 0, 0, 21, 0, 0, 4, 32]);
  });

  test('a written file can be read', async () => {
    const info: VolumeInfo = {
      dims: [5, 3, 7, 2],
      type: 'i16',
      spacing: [2, 3, 4, 1],
      spatialUnit: 'unknown',
      timeUnit: 'unknown',
      affine: [0, -3, 0, 10, 2, 0, 0, 20, 0, 0, 4, 30],
      slope: 1,
      intercept: 0,
    };
    const voxels = noise(volumeBytes(info));
    for (const endian of ['little', 'big'] as const) {
      const [made] = rebuild(describeExport(info, 'vti', 'a', endian), voxels, 'i16');
      const back = await open(made?.bytes ?? new Uint8Array());
      expect(back.info).toMatchObject(info);
      expect(await readVoxels(back)).toEqual(voxels);
    }
  });
});

describe('faults', () => {
  const raw = (fields: Fields) => file(fields, undefined, ['raw', joinBytes([lengths(fields, 105), noise(105)])]);

  test.each<[string, Fields, string, string]>([
    ['texts', { type: 'String' }, 'unsupported', 'String'],
    ['another compressor', { compressor: 'vtkLZ4DataCompressor' }, 'unsupported', 'vtkLZ4DataCompressor'],
    ['an invalid extent', { extent: '0 4 0 2' }, 'corrupt', 'WholeExtent'],
    ['an extent that ends before it begins', { extent: '0 4 0 2 6 3' }, 'corrupt', 'length'],
    ['more values than bytes', { extent: '0 4 0 2 0 6000' }, 'corrupt', '105 bytes'],
    ['values that begin past the end', { array: 'format="appended" offset="5000"' }, 'corrupt', 'VTK'],
    ['an unknown format', { array: 'format="morse"' }, 'corrupt', 'morse'],
    ['an invalid number of components', { array: 'NumberOfComponents="0" format="appended"' }, 'corrupt', 'Components'],
  ])('%s', async (_, fields, tag, named) => {
    const fault = await faultOf(open(raw(fields)));
    expect(fault).toMatchObject({ tag });
    expect(fault?.message).toContain(named);
  });

  test('other kinds of VTK files, several pieces and broken XML', async () => {
    const text = new TextDecoder('latin1').decode(raw({}));
    const changed = (from: string, to: string) =>
      faultOf(open(Uint8Array.from(text.replace(from, to), (letter) => letter.charCodeAt(0))));
    expect(await changed('ImageData', 'PolyData')).toMatchObject({ tag: 'unsupported', message: /PolyData/ });
    expect(await changed('</Piece>', '</Piece><Piece></Piece>')).toMatchObject({ tag: 'unsupported', message: /pieces/ });
    expect(await changed('</Piece>', '</Peace>')).toMatchObject({ tag: 'corrupt', message: /XML/ });
    expect(await changed('<!-- made', `<!-- ${'x'.repeat(2 ** 20)}`)).toMatchObject({ tag: 'unsupported', message: /1 MiB/ });
    expect(await changed('<?xml version="1.0"?>', '<!DOCTYPE a [<!ENTITY b "c">]>')).toBeUndefined();
  });

  const zip = { compressor: 'vtkZLibDataCompressor', array: 'format="binary"' };
  const [head, data] = blocks({}, noise(105));
  const zlib = [{ name: 'a.vti', bytes: file(zip, base64(head) + base64(data)) }];
  const plain = [{ name: 'a.vti', bytes: raw({}) }];

  test('a file truncated at any byte is detected', async () => {
    const end = (plain[0]?.bytes.byteLength ?? 0) - '\n </AppendedData>\n</VTKFile>\n'.length;
    await expectCutsNoticed(reader, plain, 0, (length) => length >= end);
  });

  test('2,000 damaged files give a typed error or a volume', async () => {
    for (const files of [zlib, plain]) await expectMutantsHandled(reader, files, 1000, 1000);
  });
});

describe('several arrays', () => {
  const [first, second] = [noise(105), noise(210, 3)];
  const length = (bytes: Uint8Array) => new Uint8Array(Uint32Array.of(bytes.byteLength).buffer);
  const appended = joinBytes([length(first), first, length(second), second]);
  const several = (scalars: string, rest = new Uint8Array()) =>
    joinBytes([
      utf8(`<VTKFile type="ImageData" byte_order="LittleEndian"><ImageData WholeExtent="0 4 0 2 0 6"><Piece>
<PointData${scalars}><DataArray type="UInt8" Name="mask" format="appended" offset="0"/>
<DataArray type="UInt16" Name="density" format="appended" offset="109"/>
<DataArray type="String" Name="ids" format="appended" offset="0"/></PointData>
<CellData><DataArray type="UInt8" Name="mask" format="ascii">${'7 '.repeat(48)}</DataArray></CellData>
</Piece></ImageData><AppendedData encoding="raw">_`),
      appended,
      rest,
      utf8('</AppendedData></VTKFile>'),
    ]);
  const source = (bytes: Uint8Array) => memorySource('a.vti', bytes);

  test('are entries, and one has to be chosen', async () => {
    const bytes = several('');
    const entries = (await listVolumes(source(bytes))) ?? [];
    expect(entries.map(({ id, shape, type }) => ({ id, shape, type }))).toEqual([
      { id: 'mask', shape: [7, 3, 5], type: 'u8' },
      { id: 'density', shape: [7, 3, 5], type: 'u16' },
      { id: 'ids', shape: [], type: 'String' },
      { id: 'mask#2', shape: [6, 2, 4], type: 'u8' },
    ]);
    expect(entries[2]?.problem).toContain('String');
    expect(await faultOf(openVolume(source(bytes)))).toMatchObject({ tag: 'several' });
    for (const [dataset, values] of [
      ['mask', first],
      ['density', second],
      ['mask#2', new Uint8Array(48).fill(7)],
    ] as const) {
      expect(Buffer.compare(await readVoxels(await openVolume(source(bytes), { dataset })), values)).toBe(0);
    }
  });

  test('the active scalars are opened, and the file is restored byte for byte', async () => {
    const bytes = several(' Scalars="density"');
    const volume = await openVolume(source(bytes));
    const voxels = await readVoxels(volume);
    expect(Buffer.compare(voxels, second)).toBe(0);
    expect(rebuild(await volume.source(), voxels, 'u16')).toEqual([{ name: 'a.vti', bytes }]);
  });

  test('an array beside large ones is restored as a file of its own', async () => {
    const bytes = several('', new Uint8Array(17 * 2 ** 20));
    const volume = await openVolume(source(bytes), { dataset: 'density' });
    const voxels = await readVoxels(volume);
    expect(Buffer.compare(voxels, second)).toBe(0);
    const [file] = rebuild(await volume.source(), voxels, 'u16');
    const again = await openVolume(source(file?.bytes ?? new Uint8Array()));
    expect(again.info).toEqual(volume.info);
    expect(Buffer.compare(await readVoxels(again), second)).toBe(0);
  });
});
