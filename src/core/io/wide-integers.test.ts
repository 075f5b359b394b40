import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { memorySource } from '../shared/bytes.ts';
import type { Endian } from '../shared/volume.ts';
import { joinBytes, pieceBytes } from './common/byte-stream.ts';
import { faultOf, niftiFile, noise, readVoxels, rebuild, siblingsAmong, trickling } from './common/source-testing.ts';
import { openVolume } from './open-volume.ts';

// 64-bit integers in every format whose files are restored byte for byte.

const text = (...lines: readonly string[]) => new TextEncoder().encode(lines.join('\n'));

function longs(values: readonly (number | bigint)[], endian: Endian): Uint8Array {
  const view = new DataView(new ArrayBuffer(8 * values.length));
  for (const [at, value] of values.entries()) view.setBigInt64(8 * at, BigInt.asIntN(64, BigInt(value)), endian === 'little');
  return new Uint8Array(view.buffer);
}

/** A file of 3 × 2 × 2 voxels of 64 bits. */
type MakeFile = (voxels: Uint8Array, isSigned: boolean, endian: Endian) => Uint8Array;

const files: Readonly<Record<string, MakeFile>> = {
  'scan.nii': (voxels, isSigned, endian) =>
    niftiFile({ dim: [3, 3, 2, 2], datatype: isSigned ? 1024 : 1280, endian }, voxels, undefined, noise(3)),
  'scan.npy': (voxels, isSigned, endian) => {
    const order = endian === 'big' ? '>' : '<';
    const words = `{'descr': '${order}${isSigned ? 'i8' : 'u8'}', 'fortran_order': False, 'shape': (2, 2, 3), }`;
    return joinBytes([Uint8Array.of(0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0, 118, 0), text(words.padEnd(117), ''), voxels]);
  },
  'scan.nrrd': (voxels, isSigned, endian) =>
    joinBytes([
      text('NRRD0004', `type: ${isSigned ? 'int64' : 'unsigned long long'}`, 'dimension: 3', 'sizes: 3 2 2', ''),
      text(`endian: ${endian}`, 'encoding: raw', '', ''),
      voxels,
    ]),
  'last.nrrd': (voxels, isSigned, endian) =>
    joinBytes([
      text('NRRD0004', `type: ${isSigned ? 'longlong' : 'uint64_t'}`, 'dimension: 3', 'sizes: 3 2 2', ''),
      text(`endian: ${endian}`, 'encoding: raw', 'byte skip: -1', '', 'skipped'),
      voxels,
    ]),
  'scan.mha': (voxels, isSigned, endian) =>
    joinBytes([
      text('NDims = 3', 'DimSize = 3 2 2', `BinaryDataByteOrderMSB = ${endian === 'big'}`, ''),
      text(`ElementType = ${isSigned ? 'MET_LONG_LONG' : 'MET_ULONG_LONG'}`, 'ElementDataFile = LOCAL', ''),
      voxels,
      noise(4),
    ]),
  'scan.vti': (voxels, isSigned, endian) => {
    const length = new DataView(new ArrayBuffer(4));
    length.setUint32(0, voxels.byteLength, endian === 'little');
    return joinBytes([
      text(
        `<VTKFile type="ImageData" byte_order="${endian === 'big' ? 'BigEndian' : 'LittleEndian'}"><ImageData WholeExtent="0 2 0 1 0 1">`,
        `<Piece><PointData><DataArray type="${isSigned ? 'Int64' : 'UInt64'}" Name="v" format="appended" offset="0"/></PointData></Piece>`,
        '</ImageData><AppendedData encoding="raw">_',
      ),
      new Uint8Array(length.buffer),
      voxels,
      text('</AppendedData></VTKFile>'),
    ]);
  },
};

const signed = [0, 1, -1, 2 ** 31 - 1, -(2 ** 31), 77, 5, 6, 7, 8, 9, -12];
const unsigned = signed.map((value) => value >>> 0);
const open = (bytes: Uint8Array, name: string) => openVolume(trickling(memorySource(name, bytes), 53));

describe.each(Object.entries(files))('%s', (name, make) => {
  test.each(['little', 'big'] as const)('%s-endian integers of 64 bits become those of 32, and are restored', async (endian) => {
    for (const [isSigned, values] of [
      [true, signed],
      [false, unsigned],
    ] as const) {
      const bytes = make(longs(values, endian), isSigned, endian);
      for (const isGzip of name.startsWith('last') ? [false] : [false, true]) {
        const volume = await open(isGzip ? gzipSync(bytes) : bytes, isGzip ? `${name}.gz` : name);
        const type = isSigned ? 'i32' : 'u32';
        expect(volume).toMatchObject({
          info: { dims: [3, 2, 2, 1], type },
          stored: { samples: 1, as: isSigned ? 'i64' : 'u64' },
        });
        const read = await readVoxels(volume);
        expect([...(isSigned ? new Int32Array(read.buffer) : new Uint32Array(read.buffer))]).toEqual(values);
        expect(rebuild(await volume.source(), read, type)).toEqual([{ name, bytes }]);
      }
    }
  });

  test.each([
    [true, 2n ** 31n, 'convert the data to uint32'],
    [true, -(2n ** 31n) - 1n, 'float64'],
    [true, 2n ** 62n + 1n, 'float64'],
    [false, 2n ** 32n, 'renumber labels'],
    [false, 2n ** 64n - 1n, 'renumber labels'],
  ])('signed %s: %s is refused with its place', async (isSigned, value, advice) => {
    const bytes = make(
      longs([...signed.slice(0, 3).map(Math.abs), 4, 5, 6, 7, value, 2n ** 63n - 1n, 9, 10, 11], 'little'),
      isSigned,
      'little',
    );
    const fault = await faultOf(open(bytes, name).then(readVoxels));
    expect(fault).toMatchObject({ tag: 'unsupported' });
    expect(fault?.message).toContain(`the value ${value} at voxel (1, 0, 1) does not fit into ${isSigned ? 'i32' : 'u32'}`);
    expect(fault?.message).toContain(advice);
  });

  test('a file that ends early is refused', async () => {
    const bytes = make(longs(unsigned, 'little').subarray(0, 95), true, 'little');
    const fault = await faultOf(open(bytes.subarray(0, bytes.byteLength - 25), name).then(readVoxels));
    expect(fault).toMatchObject({ tag: 'corrupt' });
  });
});

test('VTK integers of 64 bits as text become appended values of the same type', async () => {
  const file = (words: string, type = 'Int64') =>
    text(
      '<VTKFile type="ImageData"><ImageData WholeExtent="0 2 0 0 0 0"><Piece><PointData>',
      `<DataArray type="${type}" Name="v" format="ascii">${words}</DataArray>`,
      '</PointData></Piece></ImageData></VTKFile>',
    );
  const volume = await open(file('-1 2147483647 +3'), 'a.vti');
  const read = await readVoxels(volume);
  expect([...new Int32Array(read.buffer)]).toEqual([-1, 2 ** 31 - 1, 3]);
  const [restored] = rebuild(await volume.source(), read, 'i32');
  expect(await readVoxels(await open(restored?.bytes ?? new Uint8Array(), 'b.vti'))).toEqual(read);
  expect(new TextDecoder().decode(restored?.bytes)).toContain('type="Int64"');
  for (const [words, type, tag] of [
    ['1 2 2147483648', 'Int64', 'unsupported'],
    ['1 2 18446744073709551617', 'UInt64', 'corrupt'],
    ['1 2 1.5', 'UInt64', 'corrupt'],
  ] as const) {
    expect(await faultOf(open(file(words, type), 'a.vti').then(readVoxels)), words).toMatchObject({ tag });
  }
});

test('values of 64 bits side by side become channels, and a fault names the voxel with its channel', async () => {
  const file = (values: readonly number[]) =>
    joinBytes([
      text('NDims = 2', 'DimSize = 2 2', 'ElementNumberOfChannels = 2', 'BinaryDataByteOrderMSB = True', ''),
      text('ElementType = MET_LONG_LONG', 'ElementDataFile = LOCAL', ''),
      longs(values, 'big'),
    ]);
  const bytes = file([1, -1, 2, -2, 3, -3, 4, -4]);
  const volume = await open(bytes, 'a.mha');
  expect(volume).toMatchObject({ info: { dims: [2, 2, 1, 2], type: 'i32' }, stored: { samples: 2, as: 'i64' } });
  const read = await readVoxels(volume);
  expect([...new Int32Array(read.buffer)]).toEqual([1, 2, 3, 4, -1, -2, -3, -4]);
  expect(rebuild(await volume.source(), read, 'i32')).toEqual([{ name: 'a.mha', bytes }]);
  const fault = await faultOf(open(file([1, 1, 1, 1, 1, -(2 ** 40), 1, 1]), 'a.mha').then(readVoxels));
  expect(fault?.message).toContain('the value -1099511627776 at voxel (0, 1, 0, 1)');
});

test('voxels of 64 bits can be read from any place, in several blocks', async () => {
  const count = pieceBytes / 8 + 1000;
  const header = files['scan.npy']?.(new Uint8Array(), true, 'big') ?? new Uint8Array();
  const shape = new TextDecoder('latin1').decode(header).replace('(2, 2, 3)', `(${count},)`).replace(', }  ', ', }');
  const values = Array.from({ length: count }, (_, at) => at - 5);
  const head = Uint8Array.from(shape.slice(0, 10), (letter) => letter.charCodeAt(0));
  const words = new TextEncoder().encode(`${shape.slice(10).trimEnd().padEnd(117)}\n`);
  const volume = await openVolume(memorySource('a.npy', joinBytes([head, words, longs(values, 'big')])));
  const target = new Int32Array(count - 7);
  await volume.fill?.(new Uint8Array(target.buffer), 28);
  expect(target).toEqual(Int32Array.from(values.slice(7)));
});

test.each(['little', 'big'] as const)(
  'raw files of %s-endian integers of 64 bits, by options, sidecar and name',
  async (endian) => {
    for (const [type, values] of [
      ['i64', signed],
      ['u64', unsigned],
    ] as const) {
      const read = type === 'i64' ? 'i32' : 'u32';
      const bytes = joinBytes([noise(5), longs(values, endian), noise(3)]);
      const raw = { dims: [3, 2, 2, 1], type, endian, offset: 5 } as const;
      const sidecar = text(JSON.stringify({ ...raw, type: type === 'i64' ? 'int64' : 'u64' }));
      const siblings = siblingsAmong([{ name: 'scan.raw.json', bytes: sidecar }]);
      for (const options of [{ raw }, { siblings }]) {
        for (const [name, file] of [
          ['scan.raw', bytes],
          ['scan.raw.gz', gzipSync(bytes)],
        ] as const) {
          const volume = await openVolume(memorySource(name, file), options);
          expect(volume).toMatchObject({ info: { dims: [3, 2, 2, 1], type: read }, stored: { samples: 1, as: type } });
          const voxels = await readVoxels(volume);
          expect([...(type === 'i64' ? new Int32Array(voxels.buffer) : new Uint32Array(voxels.buffer))]).toEqual(values);
          expect(rebuild(await volume.source(), voxels, read)).toContainEqual({ name: 'scan.raw', bytes });
        }
      }
      const short = await faultOf(openVolume(memorySource('scan.raw', bytes.subarray(0, 60)), { raw }));
      expect(short?.message).toBe(
        `the file has 55 bytes of voxels after the first 5, but 3×2×2 ${type} needs 96; 3×2×1 ${type} would fit`,
      );
    }
    const named = await openVolume(memorySource('a_3x2x2_int64.raw', longs(signed, 'little')));
    expect(named).toMatchObject({ info: { type: 'i32' }, stored: { as: 'i64' } });
    const large = memorySource('a_3x2x2_uint64.raw', longs([...signed.slice(0, 11).map(Math.abs), 2 ** 40], 'little'));
    expect((await faultOf(openVolume(large).then(readVoxels)))?.message).toContain('the value 1099511627776 at voxel (2, 1, 1)');
  },
);
