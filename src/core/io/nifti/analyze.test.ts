import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { memorySource } from '../../shared/bytes.ts';
import { type Endian, elementBytes, type VolumeInfo } from '../../shared/volume.ts';
import { joinBytes } from '../common/byte-stream.ts';
import { expectCutsNoticed, expectMutantsHandled } from '../common/hostile-testing.ts';
import { faultOf, noise, readVoxels, rebuild, siblingsAmong, testVoxels } from '../common/source-testing.ts';
import { openVolume } from '../open-volume.ts';
import { niftiReader } from './nifti-reader.ts';

interface Fields {
  readonly endian?: Endian;
  readonly dim?: readonly number[];
  readonly datatype?: number;
  readonly pixdim?: readonly number[];
  readonly voxOffset?: number;
  readonly scale?: readonly [number, number];
  readonly originator?: readonly number[];
}

/** A header with the struct `dsr` of Mayo's dbh.h. */
function header({ endian = 'little', dim = [4, 4, 3, 2, 1], datatype = 2, ...more }: Fields = {}): Uint8Array {
  const view = new DataView(new ArrayBuffer(348));
  const isLittle = endian === 'little';
  const shorts = (at: number, values: readonly number[]) =>
    values.forEach((value, index) => {
      view.setInt16(at + 2 * index, value, isLittle);
    });
  const floats = (at: number, values: readonly number[]) =>
    values.forEach((value, index) => {
      view.setFloat32(at + 4 * index, value, isLittle);
    });
  view.setInt32(0, 348, isLittle);
  view.setInt32(32, 16384, isLittle);
  view.setUint8(38, 'r'.charCodeAt(0));
  shorts(40, dim);
  shorts(70, [datatype]);
  floats(76, more.pixdim ?? [0, 1, 1, 1, 1]);
  floats(108, [more.voxOffset ?? 0]);
  floats(112, more.scale ?? [0, 0]);
  shorts(253, more.originator ?? [0, 0, 0]);
  return new Uint8Array(view.buffer);
}

const open = (files: readonly { name: string; bytes: Uint8Array }[], which = 0) => {
  const { name, bytes } = files[which] as (typeof files)[number];
  return openVolume(memorySource(name, bytes), { siblings: siblingsAmong(files) });
};
const infoOf = async (fields: Fields): Promise<VolumeInfo> =>
  (
    await open([
      { name: 'a.hdr', bytes: header(fields) },
      { name: 'a.img', bytes: noise(400) },
    ])
  ).info;

test.each([
  [2, 'u8'],
  [4, 'i16'],
  [8, 'i32'],
  [16, 'f32'],
  [64, 'f64'],
  [130, 'i8'],
  [132, 'u16'],
  [136, 'u32'],
] as const)('datatype %i is %s: from either file, in both byte orders, gzipped or not', async (datatype, type) => {
  for (const endian of ['little', 'big'] as const) {
    const { stored, read } = testVoxels([5, 3, 7, 2], type, endian);
    const parts = [
      { name: 'a.hdr', bytes: joinBytes([header({ endian, dim: [4, 5, 3, 7, 2], datatype, voxOffset: 6 }), noise(3)]) },
      { name: 'a.img', bytes: joinBytes([noise(6), stored, noise(2)]) },
    ];
    const zipped = parts.map(({ name, bytes }) => ({ name: `${name}.gz`, bytes: gzipSync(bytes) }));
    for (const files of [parts, zipped]) {
      for (const which of [0, 1]) {
        const volume = await open(files, which);
        expect(volume).toMatchObject({ format: 'analyze', info: { dims: [5, 3, 7, 2], type } });
        expect(await readVoxels(volume)).toEqual(read);
        expect(rebuild(await volume.source(), read, type)).toEqual(parts);
      }
    }
    expect(stored.byteLength).toBe(210 * elementBytes(type));
  }
});

describe('geometry', () => {
  test('x goes from right to left, and the centre is the origin', async () => {
    const info = await infoOf({ pixdim: [0, 2, -3, 4, 0] });
    expect(info).toMatchObject({ spacing: [2, 3, 4, 1], spatialUnit: 'mm' });
    expect(info.affine).toEqual([-2, 0, 0, 3, 0, 3, 0, -3, 0, 0, 4, -2]);
  });

  test('SPM’s origin, counted from 1, and its scale factor are used', async () => {
    const info = await infoOf({ pixdim: [0, 2, 3, 4, 0], originator: [2, 3, 1], scale: [0.5, 0] });
    expect(info.affine).toEqual([-2, 0, 0, 2, 0, 3, 0, -6, 0, 0, 4, 0]);
    expect(info).toMatchObject({ slope: 0.5, intercept: 0 });
    // Other programs write text there.
    expect((await infoOf({ originator: [20_000, 3, 1] })).affine).toEqual((await infoOf({})).affine);
  });

  test('a fourth axis of length 0 is ignored', async () => {
    expect((await infoOf({ dim: [4, 4, 3, 2, 0] })).dims).toEqual([4, 3, 2, 1]);
  });
});

describe('faults', () => {
  test.each<[string, Fields, string]>([
    ['single bits', { datatype: 1 }, 'unsupported'],
    ['colours', { datatype: 128 }, 'unsupported'],
    ['an unknown type', { datatype: 3 }, 'corrupt'],
    ['no axes', { dim: [0, 4, 3, 2] }, 'corrupt'],
    ['an empty axis', { dim: [3, 4, 0, 2] }, 'corrupt'],
    ['more voxels than bytes', { dim: [3, 400, 300, 200] }, 'corrupt'],
    ['an offset that is not a number', { voxOffset: Number.NaN }, 'corrupt'],
  ])('%s', async (_, fields, tag) => {
    expect(await faultOf(infoOf(fields))).toMatchObject({ tag });
  });

  test('a .nii without its magic number is not read as Analyze', async () => {
    const fault = await faultOf(openVolume(memorySource('a.nii', joinBytes([header(), noise(100)]))));
    expect(fault).toMatchObject({ tag: 'corrupt', message: /magic/ });
  });

  const files = [
    { name: 'a.hdr', bytes: header() },
    { name: 'a.img', bytes: noise(24) },
  ];

  test('a file truncated at any byte is detected', async () => {
    await expectCutsNoticed(niftiReader, files);
    await expectCutsNoticed(niftiReader, files, 1);
  });

  test('2,000 damaged files give a typed error or a volume', () => expectMutantsHandled(niftiReader, files, 2000, 348));
});
