import { zipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { memorySource } from '../../shared/bytes.ts';
import { elementTypes, swapBytes } from '../../shared/volume.ts';
import { memoryTree } from '../common/file-tree.ts';
import { faultOf, noise, readVoxels } from '../common/source-testing.ts';
import type { OpenOptions } from '../common/volume-reader.ts';
import { openVolume } from '../open-volume.ts';
import { type TestArray, type TestFiles, widthOf, zarrArray, zarrCodes } from './zarr-testing.ts';

const open = (files: TestFiles, options: OpenOptions = {}) => openVolume(memoryTree('a.zarr', files), options);

const shape = [5, 7, 6];
const bytesOf = (width: number) => noise(5 * 7 * 6 * width, width);
const plain: TestArray = { version: 3, shape, chunks: [2, 3, 4], dtype: '<u2', values: bytesOf(2) };

function expectSame(actual: Uint8Array, expected: Uint8Array): void {
  expect(Buffer.compare(actual, expected)).toBe(0);
}

describe.each([2, 3] as const)('Zarr v%i', (version) => {
  describe.each(['<', '>'])('%s', (order) => {
    test.each(elementTypes)('reads %s', async (type) => {
      const values = bytesOf(widthOf(type));
      const read = values.slice();
      if (order === '>') swapBytes(read, widthOf(type) as 1);
      const volume = await open(await zarrArray('', { ...plain, version, dtype: `${order}${zarrCodes[type]}`, values }));
      expect(volume.info).toMatchObject({ dims: [6, 7, 5, 1], type });
      expect(volume.format).toBe('zarr');
      expectSame(await readVoxels(volume), read);
    });
  });

  test.each(['gzip', 'zlib', 'zstd', 'lz4', 'blosc'] as const)('unpacks %s', async (compressor) => {
    expectSame(await readVoxels(await open(await zarrArray('', { ...plain, version, compressor }))), plain.values);
  });

  test('reads missing chunks as the fill value', async () => {
    const values = plain.values.slice();
    const files = await zarrArray('', { ...plain, version, fill: 513, missing: ['0.0.0', '2.2.1'] });
    const read = new Uint16Array((await readVoxels(await open(files))).slice().buffer);
    const stored = new Uint16Array(values.buffer);
    expect(read[0]).toBe(513);
    expect(read[5 * 7 * 6 - 1]).toBe(513);
    expect(read[4]).toBe(stored[4]);
  });

  test('reads booleans, 16-bit floats exactly, and 64-bit integers that fit into 32 bits', async () => {
    const of = async (dtype: string, values: Uint8Array) => {
      const volume = await open(await zarrArray('', { ...plain, version, shape: [4], chunks: [4], dtype, values }));
      return { type: volume.info.type, values: await readVoxels(volume) };
    };
    expect(await of('<b1', Uint8Array.of(0, 1, 1, 0))).toMatchObject({ type: 'u8', values: Uint8Array.of(0, 1, 1, 0) });
    const half = await of('<f2', new Uint8Array(Uint16Array.of(0x3c00, 0xc000, 0x0001, 0x7c00).buffer));
    expect(half.type).toBe('f32');
    expect([...new Float32Array(half.values.slice().buffer)]).toEqual([1, -2, 2 ** -24, Number.POSITIVE_INFINITY]);
    const signed = await of('<i8', new Uint8Array(BigInt64Array.of(-1n, 5n, -(2n ** 31n), 2n ** 31n - 1n).buffer));
    expect([...new Int32Array(signed.values.slice().buffer)]).toEqual([-1, 5, -(2 ** 31), 2 ** 31 - 1]);
    const unsigned = await of('<u8', new Uint8Array(BigUint64Array.of(0n, 2n ** 32n - 1n, 7n, 8n).buffer));
    expect([...new Uint32Array(unsigned.values.slice().buffer)]).toEqual([0, 2 ** 32 - 1, 7, 8]);
    const fault = await faultOf(of('<i8', new Uint8Array(BigInt64Array.of(0n, 2n ** 31n, 0n, 0n).buffer)));
    expect(fault).toMatchObject({ tag: 'unsupported' });
    expect(fault?.message).toContain('the value 2147483648 at [1] does not fit into i32');
    expect(fault?.message).toContain('uint32');
  });

  test('uses named axes and requested axes in any order', async () => {
    const files = await zarrArray('', { ...plain, version, names: ['y', 'x', 'time'] });
    const volume = await open(files);
    expect(volume.info.dims).toEqual([7, 5, 1, 6]);
    const [stored, read] = [
      new Uint16Array(plain.values.slice().buffer),
      new Uint16Array((await readVoxels(volume)).slice().buffer),
    ];
    expect(read[3 + 7 * (4 + 5 * 2)]).toBe(stored[(4 * 7 + 3) * 6 + 2]);
    const asked = await open(files, { axes: 'cyx' });
    expect(asked.info).toMatchObject({ dims: [6, 7, 1, 5], channels: [{ name: 'Channel 1' }, {}, {}, {}, {}] });
    expectSame(await readVoxels(asked), plain.values);
    expect(await faultOf(open(files, { axes: 'zy' }))).toMatchObject({ tag: 'invalid-input' });
    expect(await faultOf(open(files, { axes: 'yyx' }))).toMatchObject({ tag: 'invalid-input' });
    expect(await faultOf(open(files, { axes: 'qyx' }))).toMatchObject({ tag: 'invalid-input' });
  });
});

test('reads Fortran order of v2', async () => {
  expectSame(await readVoxels(await open(await zarrArray('', { ...plain, version: 2, order: 'F' }))), plain.values);
});

test.each([false, true])('reads shards, with chunks and shards missing; index first: %s', async (indexFirst) => {
  const missing = ['0.0.0', '2.0.0', '2.0.1', '2.1.0', '2.1.1', '2.2.0', '2.2.1'];
  const files = await zarrArray('', { ...plain, perShard: [2, 1, 2], compressor: 'zstd', indexFirst, missing });
  expect(files['c/1/0/0']).toBeUndefined();
  const read = new Uint16Array((await readVoxels(await open(files))).slice().buffer);
  const stored = new Uint16Array(plain.values.slice().buffer);
  const isMissing = (z: number, y: number, x: number) => z >= 4 || (z < 2 && y < 3 && x < 4);
  for (let z = 0; z < 5; z++)
    for (let y = 0; y < 7; y++)
      for (let x = 0; x < 6; x++) {
        const at = (z * 7 + y) * 6 + x;
        if (read[at] !== (isMissing(z, y, x) ? 0 : stored[at])) expect.fail(`${z} ${y} ${x}`);
      }
});

test('reads stored and deflated entries of a ZIP, inside a folder or not', async () => {
  const files = await zarrArray('', { ...plain, perShard: [2, 3, 2], compressor: 'gzip' });
  for (const [folder, level] of [
    ['', 0],
    ['a.zarr/', 6],
  ] as const) {
    const zip = zipSync(Object.fromEntries(Object.entries(files).map(([path, bytes]) => [folder + path, bytes])), { level });
    expectSame(await readVoxels(await openVolume(memorySource('a.zip', zip))), plain.values);
  }
  const other = await faultOf(openVolume(memorySource('a.zip', zipSync({ 'read.me': noise(9) }))));
  expect(other).toMatchObject({ tag: 'unsupported' });
  expect(other?.message).toContain('ZIP archive without a Zarr');
});

test('names unsupported codecs, types and grids', async () => {
  const change = async (from: string, to: string, array: TestArray = plain) => {
    const files = await zarrArray('', array);
    const key = array.version === 3 ? 'zarr.json' : '.zarray';
    files[key] = new TextEncoder().encode(new TextDecoder().decode(files[key]).replace(from, to));
    return faultOf(open(files));
  };
  expect((await change('"name":"bytes"', '"name":"jpegxl"'))?.message).toContain("codec 'jpegxl'");
  expect((await change('uint16', 'complex64'))?.message).toContain('complex64');
  expect((await change('"regular"', '"rectilinear"'))?.message).toContain('rectilinear');
  expect((await change('"compressor":null', '"compressor":{"id":"lzma"}', { ...plain, version: 2 }))?.message).toContain('lzma');
  expect((await change('<u2', '|S9', { ...plain, version: 2 }))?.message).toContain('|S9');
});
