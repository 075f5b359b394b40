import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { memorySource } from '../../shared/bytes.ts';
import { type Dims4, type Endian, elementTypes, type VolumeInfo } from '../../shared/volume.ts';
import {
  faultOf,
  type NiftiFields,
  niftiFile,
  niftiHeaderBytes,
  noise,
  readVoxels,
  rebuild,
  siblingsAmong,
  testVoxels,
  trickling,
  typeCodes,
} from '../common/source-testing.ts';
import { openVolume } from '../open-volume.ts';

const endians: readonly Endian[] = ['little', 'big'];
const dims: Dims4 = [5, 3, 7, 2];

function openBytes(bytes: Uint8Array, name = 'scan.nii') {
  return openVolume(memorySource(name, bytes));
}

/** The fields of a header of a 4×3×2 u8 volume. */
async function infoOf(fields: NiftiFields): Promise<VolumeInfo> {
  return (await openBytes(niftiFile(fields, noise(4 * 3 * 2 * 64)))).info;
}

describe.each([1, 2] as const)('NIfTI-%i', (version) => {
  describe.each(endians)('%s-endian', (endian) => {
    test.each(elementTypes)('reads %s, plain and gzipped, and describes how to write it again', async (type) => {
      const { stored, read } = testVoxels(dims, type, endian);
      const bytes = niftiFile(
        { version, endian, dim: [4, ...dims], datatype: typeCodes[type].nifti },
        stored,
        noise(48),
        noise(11),
      );
      for (const [name, file] of [
        ['scan.nii', bytes],
        ['scan.nii.gz', gzipSync(bytes)],
      ] as const) {
        const volume = await openVolume(trickling(memorySource(name, file), 37));
        expect(volume.format).toBe('nifti');
        expect(volume.info).toMatchObject({ dims, type });
        expect(await readVoxels(volume)).toEqual(read);
        const source = await volume.source();
        expect(source).toMatchObject({ format: 'nifti', endian });
        expect(rebuild(source, read, type)).toEqual([{ name: 'scan.nii', bytes }]);
      }
    });

    test('reads a pair, each file gzipped or not, from either of them', async () => {
      const { stored, read } = testVoxels(dims, 'u16', endian);
      const fields = { version, endian, dim: [4, ...dims], datatype: 512, isPair: true, voxOffset: 20 };
      const header = new Uint8Array([...niftiHeaderBytes(fields), 1, 0, 0, 0, ...noise(16)]);
      const image = new Uint8Array([...noise(20), ...stored, ...noise(5)]);
      for (const [headerName, imageName] of [
        ['scan.hdr', 'scan.img'],
        ['scan.hdr.gz', 'scan.img.gz'],
        ['scan.hdr', 'scan.img.gz'],
        ['SCAN.HDR', 'SCAN.IMG'],
      ] as const) {
        const files = [
          { name: headerName, bytes: headerName.endsWith('.gz') ? gzipSync(header) : header },
          { name: imageName, bytes: imageName.endsWith('.gz') ? gzipSync(image) : image },
        ];
        for (const { name, bytes } of files) {
          const volume = await openVolume(memorySource(name, bytes), { siblings: siblingsAmong(files) });
          expect(await readVoxels(volume)).toEqual(read);
          expect(rebuild(await volume.source(), read, 'u16')).toEqual([
            { name: headerName.replace('.gz', ''), bytes: header },
            { name: imageName.replace('.gz', ''), bytes: image },
          ]);
        }
      }
    });
  });

  test('folds axes 5 to 7 into t, and counts axes beyond dim[0] as 1', async () => {
    const many = await infoOf({ version, dim: [7, 2, 2, 2, 3, 2, 1, 2] });
    expect(many.dims).toEqual([2, 2, 2, 12]);
    const one = await infoOf({ version, dim: [1, 9, 0, -4, 77, 3, 3, 3] });
    expect(one.dims).toEqual([9, 1, 1, 1]);
  });

  test('reads spacing, units, slope and intercept', async () => {
    const info = await infoOf({ version, pixdim: [1, -0.5, 2, 0, 3], units: 3 + 16, slope: 0.25, intercept: -8 });
    expect(info).toMatchObject({
      spacing: [0.5, 2, 1, 3],
      spatialUnit: 'um',
      timeUnit: 'ms',
      slope: 0.25,
      intercept: -8,
    });
    expect(await infoOf({ version, units: 2 + 8 })).toMatchObject({ spatialUnit: 'mm', timeUnit: 's' });
    expect(await infoOf({ version, units: 1 + 24 })).toMatchObject({ spatialUnit: 'm', timeUnit: 'us' });
    expect(await infoOf({ version, units: 32 })).toMatchObject({ spatialUnit: 'unknown', timeUnit: 'unknown' });
  });

  test('treats a slope of zero or NaN as no scaling', async () => {
    expect(await infoOf({ version, slope: 0, intercept: 5 })).toMatchObject({ slope: 1, intercept: 0 });
    expect(await infoOf({ version, slope: Number.NaN, intercept: 5 })).toMatchObject({ slope: 1, intercept: 0 });
    expect(await infoOf({ version, slope: 2, intercept: Infinity })).toMatchObject({ slope: 2, intercept: 0 });
  });

  test('prefers the sform to the qform, and the qform to the spacing', async () => {
    const rows = [0, -2, 0, 10, 3, 0, 0, 20, 0, 0, 4, 30];
    const sform = { code: 1, rows };
    // A quarter turn about z: x goes to +y, y goes to -x.
    const half = Math.SQRT1_2;
    const qform = { code: 1, quaternion: [0, 0, half], offset: [-1, -2, -3] };
    const pixdim = [1, 2, 3, 4];
    expect((await infoOf({ version, pixdim, sform, qform })).affine).toEqual(rows);
    const turned = (await infoOf({ version, pixdim, qform, sform: { code: 0, rows } })).affine;
    const expected = [0, -3, 0, -1, 2, 0, 0, -2, 0, 0, 4, -3];
    turned.forEach((value, index) => {
      expect(value).toBeCloseTo(expected[index] as number, 5);
    });
    expect((await infoOf({ version, pixdim, qform: { ...qform, code: 0 } })).affine).toEqual([
      2, 0, 0, 0, 0, 3, 0, 0, 0, 0, 4, 0,
    ]);
  });

  test('mirrors z if qfac is -1, and handles half turns', async () => {
    const none = { code: 2, quaternion: [0, 0, 0], offset: [0, 0, 0] };
    expect((await infoOf({ version, pixdim: [-1, 2, 3, 4], qform: none })).affine).toEqual([2, 0, 0, 0, 0, 3, 0, 0, 0, 0, -4, 0]);
    const aboutX = { code: 2, quaternion: [1, 0, 0], offset: [0, 0, 0] };
    const { affine } = await infoOf({ version, pixdim: [1, 2, 3, 4], qform: aboutX });
    expect(affine.map((value) => value + 0)).toEqual([2, 0, 0, 0, 0, -3, 0, 0, 0, 0, -4, 0]);
  });

  test('uses the qform if the sform is singular', async () => {
    const rows = [1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0];
    expect((await infoOf({ version, sform: { code: 1, rows } })).affine).toEqual([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0]);
    const broken = rows.map((_, index) => (index === 5 ? Number.NaN : 1));
    expect((await infoOf({ version, sform: { code: 1, rows: broken } })).affine).toEqual([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0]);
  });

  test.each([
    [1, 'single bits'],
    [32, 'complex64'],
    [128, 'RGB24'],
    [1536, 'float128'],
  ])('names the datatype %i that it does not read', async (datatype, name) => {
    const fault = await faultOf(infoOf({ version, datatype }));
    expect(fault?.tag).toBe('unsupported');
    expect(fault?.message).toContain(name);
  });

  test.each<[string, NiftiFields]>([
    ['no axes', { dim: [0, 4, 4, 4] }],
    ['eight axes', { dim: [8, 4, 4, 4] }],
    ['an empty axis', { dim: [3, 4, 0, 4] }],
    ['a negative axis', { dim: [3, 4, 4, -4] }],
    ['more voxels than bytes', { dim: [3, 4000, 4000, 4000] }],
    ['a product beyond 2⁵³', { dim: [7, 30000, 30000, 30000, 30000, 30000, 30000, 30000] }],
    ['an unknown datatype', { datatype: 3 }],
  ])('calls %s corrupt', async (_, fields) => {
    expect((await faultOf(infoOf({ version, ...fields })))?.tag).toBe('corrupt');
  });

  test.each([1, 347, 349, 351, 1e9, -5])('calls voxels at byte %d corrupt', async (voxOffset) => {
    const header = niftiHeaderBytes({ version, voxOffset });
    expect((await faultOf(openBytes(new Uint8Array([...header, ...noise(400)]))))?.tag).toBe('corrupt');
    expect((await faultOf(openBytes(gzipSync(new Uint8Array([...header, ...noise(400)])))))?.tag).toMatch(/corrupt|unsupported/);
  });
});

describe.each([1, 2] as const)('a NIfTI-%i file whose header gives no offset, or that of its own end', (version) => {
  const headerBytes = version === 1 ? 348 : 540;
  const voxels = noise(4 * 3 * 2);
  const file = (voxOffset: number, ...rest: readonly number[]) =>
    new Uint8Array([...niftiHeaderBytes({ version, voxOffset }), ...rest, ...voxels]);

  test.each([
    ['without an offset, after the extension flag', 0, [0, 0, 0, 0]],
    ['without an offset or a flag, after the header', 0, []],
    ['at the end of the header', headerBytes, []],
  ] as const)('%s: the voxels are found and the file is restored', async (_, voxOffset, flag) => {
    const bytes = file(voxOffset, ...flag);
    const volume = await openBytes(bytes);
    expect(await readVoxels(volume)).toEqual(voxels);
    expect(rebuild(await volume.source(), voxels, 'u8')).toEqual([{ name: 'scan.nii', bytes }]);
  });

  test('gzipped, the flag is assumed, and a file without one is refused when it ends early', async () => {
    expect(await readVoxels(await openBytes(gzipSync(file(0, 0, 0, 0, 0)), 'scan.nii.gz'))).toEqual(voxels);
    const first = file(0);
    first[headerBytes] = 0; // no extensions
    const volume = await openBytes(gzipSync(first), 'scan.nii.gz');
    expect((await faultOf(readVoxels(volume)))?.tag).toBe('corrupt');
  });

  test('extensions of unknown length are refused', async () => {
    expect((await faultOf(openBytes(file(0, 1, 0, 0, 0, ...noise(32)))))?.message).toContain(
      'does not say where the voxels begin',
    );
  });
});

test('refuses NIfTI-2 lengths beyond 2^53', async () => {
  const bytes = niftiHeaderBytes({ version: 2 });
  new DataView(bytes.buffer).setBigInt64(24, 2n ** 62n, true);
  expect((await faultOf(openBytes(new Uint8Array([...bytes, 0, 0, 0, 0, ...noise(24)]))))?.tag).toBe('corrupt');
});

test('refuses a NIfTI-1 offset that is not a whole number', async () => {
  for (const voxOffset of [352.5, Number.NaN, Infinity]) {
    const bytes = new Uint8Array([...niftiHeaderBytes({ voxOffset }), 0, 0, 0, 0, ...noise(100)]);
    expect((await faultOf(openBytes(bytes)))?.tag).toBe('corrupt');
  }
});

test('names the missing file of a pair', async () => {
  const header = niftiHeaderBytes({ isPair: true });
  for (const siblings of [undefined, siblingsAmong([])]) {
    const noImage = await faultOf(openVolume(memorySource('head.hdr', header), { siblings }));
    expect(noImage).toMatchObject({ tag: 'not-readable' });
    expect(noImage?.message).toContain('head.img');
    const noHeader = await faultOf(openVolume(memorySource('head.img', noise(100)), { siblings }));
    expect(noHeader).toMatchObject({ tag: 'not-readable' });
    expect(noHeader?.message).toContain('head.hdr');
  }
});

test('finds NIfTI by its content under any name', async () => {
  expect((await openBytes(niftiFile({}, noise(24)), 'download')).format).toBe('nifti');
});

test('reports where a file ends early', async () => {
  const bytes = niftiFile({}, noise(24)).subarray(0, 370);
  expect((await faultOf(openBytes(bytes)))?.message).toContain('promises 24 bytes of voxels, but there are at most 18');
  const zipped = await openBytes(gzipSync(bytes), 'scan.nii.gz');
  expect(await faultOf(readVoxels(zipped))).toMatchObject({ tag: 'corrupt' });
});
