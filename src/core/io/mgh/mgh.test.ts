import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { memorySource } from '../../shared/bytes.ts';
import { type Dims4, elementBytes, type VolumeInfo, voxelCount } from '../../shared/volume.ts';
import { joinBytes } from '../common/byte-stream.ts';
import { expectCutsNoticed, expectMutantsHandled } from '../common/hostile-testing.ts';
import { faultOf, noise, readVoxels, rebuild, testVoxels, trickling } from '../common/source-testing.ts';
import { describeExport } from '../export-volume.ts';
import { openVolume } from '../open-volume.ts';
import { mghReader } from './mgh-reader.ts';

const dims: Dims4 = [5, 3, 7, 2];
const types = [
  ['u8', 0],
  ['i32', 1],
  ['f32', 3],
  ['i16', 4],
  ['u16', 10],
] as const;

interface Fields {
  readonly dims?: readonly number[];
  readonly type?: number;
  readonly version?: number;
  /** 15 numbers: spacing, directions of x, y and z, centre. If undefined, the flag is 0. */
  readonly ras?: readonly number[];
}

/** A header according to FreeSurfer's description. */
function header({ dims: lengths = [4, 3, 2, 1], type = 0, version = 1, ras }: Fields = {}): Uint8Array {
  const bytes = Buffer.alloc(284);
  [version, ...lengths, type, 7].forEach((value, index) => {
    bytes.writeInt32BE(value, 4 * index);
  });
  bytes.writeInt16BE(ras ? 1 : 0, 28);
  ras?.forEach((value, index) => {
    bytes.writeFloatBE(value, 30 + 4 * index);
  });
  return new Uint8Array(bytes);
}

function footer(repetitionMs: number): Uint8Array {
  const bytes = Buffer.alloc(40, 1);
  bytes.writeFloatBE(repetitionMs, 0);
  return new Uint8Array(bytes);
}

const open = (bytes: Uint8Array, name = 'brain.mgh') => openVolume(trickling(memorySource(name, bytes), 53));
const infoOf = async (fields: Fields) => (await open(joinBytes([header(fields), noise(24)]))).info;

test.each(types)('%s: plain, gzipped, by name and by content', async (type, code) => {
  const { stored, read } = testVoxels(dims, type, 'big');
  const bytes = joinBytes([header({ dims, type: code }), stored, footer(2500)]);
  for (const [name, file, back] of [
    ['brain.mgh', bytes, 'brain.mgh'],
    ['brain.mgz', gzipSync(bytes), 'brain.mgh'],
    ['brain.mgh.gz', gzipSync(bytes), 'brain.mgh'],
    ['download', bytes, 'download'],
  ] as const) {
    const volume = await open(file, name);
    expect(volume.info).toMatchObject({ dims, type, spacing: [1, 1, 1, 2500], timeUnit: 'ms', spatialUnit: 'mm' });
    expect(await readVoxels(volume)).toEqual(read);
    const source = await volume.source();
    expect(source).toMatchObject({ format: 'mgh', endian: 'big' });
    expect(rebuild(source, read, type)).toEqual([{ name: back, bytes }]);
  }
});

test('a series without a footer has no time step', async () => {
  for (const after of [noise(0), noise(3), footer(0), footer(Number.NaN)]) {
    const { info } = await open(joinBytes([header({ dims: [4, 3, 1, 2] }), noise(24), after]));
    expect(info).toMatchObject({ spacing: [1, 1, 1, 1], timeUnit: 'unknown' });
  }
});

describe('geometry', () => {
  test('directions, spacing and the centre, which FreeSurfer puts at half the lengths', async () => {
    // Worked out by hand: the centre is the origin plus 2 of x (4 voxels of 2 mm along -R), 1.5 of y, 1 of z.
    const info = await infoOf({ ras: [2, 3, 4, -1, 0, 0, 0, 0, -1, 0, 1, 0, 10, 20, 30] });
    expect(info.spacing).toEqual([2, 3, 4, 1]);
    expect(info.affine).toEqual([-2, 0, 0, 14, 0, 0, 4, 16, 0, -3, 0, 34.5]);
  });

  test('without the flag the volume is coronal, 1 mm, centred', async () => {
    expect((await infoOf({})).affine).toEqual([-1, 0, 0, 2, 0, 0, 1, -1, 0, -1, 0, 1.5]);
  });

  test('a written file can be read', async () => {
    const info: VolumeInfo = {
      dims,
      type: 'i16',
      spacing: [2, 3, 4, 500],
      spatialUnit: 'mm',
      timeUnit: 'ms',
      affine: [0, -3, 0, 10, 2, 0, 0, 20, 0, 0, 4, 30],
      slope: 1,
      intercept: 0,
    };
    const voxels = noise(voxelCount(dims) * elementBytes('i16'));
    const [file] = rebuild(describeExport(info, 'mgh', 'scan'), voxels, 'i16');
    const back = await open(file?.bytes ?? new Uint8Array());
    expect(back.info).toEqual(info);
    expect(await readVoxels(back)).toEqual(voxels);
    const micrometres = { ...info, spatialUnit: 'um', timeUnit: 's', spacing: [2000, 3000, 4000, 0.5] } as const;
    const affine = info.affine.map((value) => 1000 * value);
    const [other] = rebuild(describeExport({ ...micrometres, affine }, 'mgh', 'scan'), voxels, 'i16');
    expect((await open(other?.bytes ?? new Uint8Array())).info).toEqual(info);
  });
});

describe('faults', () => {
  test.each<[string, Fields, string]>([
    ['version', { version: 2 }, 'corrupt'],
    ['type 99', { type: 99 }, 'corrupt'],
    ['64-bit type', { type: 2 }, 'unsupported'],
    ['length 0', { dims: [4, 0, 2, 1] }, 'corrupt'],
    ['negative length', { dims: [4, -3, 2, 1] }, 'corrupt'],
    ['lengths beyond the file', { dims: [4000, 3000, 2, 1] }, 'corrupt'],
    ['lengths beyond all files', { dims: [2e9, 2e9, 2e9, 2e9] }, 'corrupt'],
  ])('%s', async (_, fields, tag) => {
    expect(await faultOf(infoOf(fields))).toMatchObject({ tag });
  });

  test('a file with only the first number of MGH is not recognised as MGH', async () => {
    expect(await faultOf(open(joinBytes([Uint8Array.of(0, 0, 0, 1), noise(600)]), 'download'))).toMatchObject({
      tag: 'unsupported',
    });
  });

  const files = [
    { name: 'a.mgh', bytes: joinBytes([header({ dims: [4, 3, 1, 2], ras: Array(15).fill(0.5) }), noise(24), footer(9)]) },
  ];

  test('a file truncated at any byte is detected', async () => {
    // The footer may be missing or short.
    await expectCutsNoticed(mghReader, files, 0, (length) => length >= 284 + 24);
  });

  test('2,000 damaged files give a typed error or a volume', async () => {
    await expectMutantsHandled(mghReader, files, 2000, 90);
  });
});
