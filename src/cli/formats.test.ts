import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { cpu, niftiFile, scanBytes, stria, succeed, testFolders } from './cli-testing.ts';

// The formats of a header and voxels, but for those that cli.test.ts goes through: compress, verify, decompress, compare.

const dims = [40, 21, 13] as const;
const place = testFolders();
const { at } = place;

/** Compresses the first file, and gives the files that come back from it, by their names. */
async function comesBackAs(...files: readonly (readonly [name: string, bytes: Uint8Array])[]) {
  for (const [name, bytes] of files) writeFileSync(at(name), bytes);
  await succeed('compress', at(files[0]?.[0] ?? ''), '-o', at('a.stria'), ...cpu);
  await succeed('verify', at('a.stria'), ...cpu);
  mkdirSync(at('out'));
  await succeed('decompress', at('a.stria'), '-o', at('out'), ...cpu);
  return Object.fromEntries(readdirSync(at('out')).map((name) => [name, readFileSync(at(`out/${name}`))]));
}

const bytesOf = (...parts: readonly (string | Uint8Array)[]) => Buffer.concat(parts.map((part) => Buffer.from(part as string)));
const voxels = scanBytes(dims, 2);

function mha(...last: readonly string[]): string {
  const first = ['ObjectType = Image', 'NDims = 3', 'BinaryData = True', `DimSize = ${dims.join(' ')}`];
  return [...first, 'ElementSpacing = 0.5 0.5 2', 'ElementType = MET_SHORT', ...last, ''].join('\n');
}

function mghHeader(): Buffer {
  const header = Buffer.alloc(284);
  [1, ...dims, 1, 4].forEach((value, index) => {
    header.writeInt32BE(value, 4 * index);
  });
  return header;
}

function npyHeader(type = '<i2'): Buffer {
  const text = `{'descr': '${type}', 'fortran_order': True, 'shape': (${dims.join(', ')}), }`.padEnd(117, ' ');
  const header = Buffer.alloc(10);
  header.write('\x93NUMPY\x01', 'latin1');
  header.writeUInt16LE(118, 8);
  return Buffer.concat([header, Buffer.from(`${text}\n`)]);
}

/** With an extended header of 8 bytes. */
function mrcHeader(mode: number): Buffer {
  const header = Buffer.alloc(1024);
  [...dims, mode, 0, 0, 0, ...dims].forEach((value, index) => {
    header.writeInt32LE(value, 4 * index);
  });
  [1, 2, 3].forEach((axis, index) => {
    header.writeInt32LE(axis, 64 + 4 * index);
  });
  header.writeInt32LE(8, 92);
  header.write('MAP DD', 208);
  return header;
}

describe('files come back byte for byte', () => {
  const plain = bytesOf(mha('Comment = made by a test', 'ElementDataFile = LOCAL'), voxels, 'and more');
  const header = bytesOf(mha('ElementDataFile = scan.bin'));
  const mgh = bytesOf(mghHeader(), Buffer.from(voxels).swap16(), 'scan parameters');
  const npy = bytesOf(npyHeader(), voxels);
  const vtiLength = Buffer.alloc(4);
  vtiLength.writeUInt32LE(voxels.byteLength);
  const extent = dims.map((length) => `0 ${length - 1}`).join(' ');
  const vti = bytesOf(
    `<VTKFile type="ImageData" byte_order="LittleEndian"><ImageData WholeExtent="${extent}"><Piece Extent="${extent}"><PointData>`,
    '<DataArray type="Int16" Name="a" format="appended" offset="0"/></PointData></Piece></ImageData><AppendedData encoding="raw">_',
    vtiLength,
    voxels,
    '</AppendedData></VTKFile>',
  );
  const analyze = Buffer.from(niftiFile(dims, 2)).subarray(0, 348).fill(0, 344);
  analyze.writeFloatLE(0, 108);
  const pairs = bytesOf(mha('ElementNumberOfChannels = 2', 'ElementDataFile = LOCAL'), voxels, voxels);
  const mrc = (mode: number, ...data: readonly Uint8Array[]) => bytesOf(mrcHeader(mode), 'extended', ...data, 'and more');
  const nibbles = voxels.subarray(0, 20 * 21 * 13);
  const bigHalves = bytesOf(npyHeader('>f2'), voxels);
  const longs = (values: readonly bigint[]) => Buffer.from(BigInt64Array.from(values).buffer);
  const scanLongs = longs([...new Int16Array(new Uint8Array(voxels).buffer)].map(BigInt));
  const bigLongs = bytesOf(npyHeader('>i8'), scanLongs.swap64());
  test.each([
    ['scan.mha', [['scan.mha', plain]]],
    [
      'scan.mhd',
      [
        ['scan.mhd', header],
        ['scan.bin', bytesOf(voxels)],
      ],
    ],
    [
      'scan.hdr of Analyze',
      [
        ['scan.hdr', analyze],
        ['scan.img', bytesOf(voxels)],
      ],
    ],
    ['scan.mgh', [['scan.mgh', mgh]]],
    ['scan.vti', [['scan.vti', vti]]],
    ['scan.npy', [['scan.npy', npy]]],
    ['half floats in scan.npy', [['scan.npy', bigHalves]]],
    ['64-bit integers in scan.npy', [['scan.npy', bigLongs]]],
    ['pairs of values in scan.mha', [['scan.mha', pairs]]],
    ['16-bit scan.mrc', [['scan.mrc', mrc(1, voxels)]]],
    ['half floats in scan.mrc', [['scan.mrc', mrc(12, voxels)]]],
    ['RGB in scan.mrc', [['scan.mrc', mrc(16, voxels, voxels.subarray(0, voxels.length / 2))]]],
    ['4-bit voxels in scan.map', [['scan.map', mrc(101, nibbles)]]],
  ] as const)('%s', async (_, files) => {
    expect(await comesBackAs(...files)).toEqual(Object.fromEntries(files));
  });

  test.each([
    ['scan.mha', plain],
    ['scan.mgh', mgh],
    ['scan.npy', npy],
    ['scan.mrc', mrc(12, voxels)],
    ['scan.npy', bigLongs],
  ] as const)('%s, gzipped, as gunzip gives it', async (name, bytes) => {
    expect(await comesBackAs([`${name}.gz`, gzipSync(bytes)])).toEqual({ [name]: bytes });
  });
});

test('64-bit integers: info names both types, and a value that does not fit leaves no file', async () => {
  const values = BigInt64Array.from({ length: dims[0] * dims[1] * dims[2] }, (_, index) => BigInt(index) - 7n);
  writeFileSync(at('scan.npy'), bytesOf(npyHeader('<i8'), Buffer.from(values.buffer)));
  expect((await succeed('info', at('scan.npy'))).stdout).toContain('i32 (int64 in the file)');
  await succeed('compress', at('scan.npy'), '-o', at('a.stria'), ...cpu);
  expect((await succeed('info', at('a.stria'))).stdout).toContain('i32 (int64 in the source)');
  expect(JSON.parse((await succeed('info', at('a.stria'), '--json')).stdout)).toMatchObject({ storedAs: 'i64' });
  values[41] = 2n ** 40n;
  writeFileSync(at('large.npy'), bytesOf(npyHeader('<i8'), Buffer.from(values.buffer)));
  const ended = await stria('compress', at('large.npy'), '-o', at('b.stria'), ...cpu);
  expect(ended.code).not.toBe(0);
  expect(ended.stderr).toContain('the value 1099511627776 at voxel (1, 1, 0)');
  expect(readdirSync(place.folder).sort()).toEqual(['a.stria', 'large.npy', 'scan.npy']);
});

test('a compressed MetaImage comes back uncompressed', async () => {
  const packed = bytesOf(mha('CompressedData = True', 'ElementDataFile = LOCAL'), deflateSync(voxels));
  expect(await comesBackAs(['scan.mha', packed])).toEqual({
    'scan.mha': bytesOf(mha('CompressedData = False', 'ElementDataFile = LOCAL'), voxels),
  });
});

test('an .mgz comes back as .mgh', async () => {
  const bytes = bytesOf(mghHeader(), Buffer.from(voxels).swap16());
  expect(await comesBackAs(['scan.mgz', gzipSync(bytes)])).toEqual({ 'scan.mgh': bytes });
});

test.each(['mha', 'mgh', 'npy', 'mrc', 'vti'])('--to %s opens again, with the same voxels and geometry', async (format) => {
  writeFileSync(at('scan.nii'), niftiFile(dims, 2));
  await succeed('compress', at('scan.nii'), '-o', at('a.stria'), ...cpu);
  await succeed('decompress', at('a.stria'), '--to', format, ...cpu);
  await succeed('compress', at(`a.${format}`), '-o', at('b.stria'), ...cpu);
  await succeed('decompress', at('b.stria'), '--to', 'raw', '-o', at('b.raw'), ...cpu);
  const raw = readFileSync(at('b.raw'));
  // Voxels alone keep their source's byte order.
  expect((format === 'mgh' ? raw.swap16() : raw).equals(voxels)).toBe(true);
  const infoOf = async (name: string) => JSON.parse((await succeed('info', at(name), '--json')).stdout) as { volume: object };
  const [before, after] = [await infoOf('a.stria'), await infoOf('b.stria')];
  // An array knows nothing of space, VTK has no units, and MRC has Å as floats.
  if (['npy', 'mrc', 'vti'].includes(format)) return;
  expect(after.volume).toEqual(before.volume);
});
