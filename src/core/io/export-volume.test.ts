import fc from 'fast-check';
import { readHeader } from 'nifti-reader-js';
import { describe, expect, test } from 'vitest';
import { memorySource } from '../shared/bytes.ts';
import { type WrittenVoxelFormat, writtenVoxelFormats } from '../shared/source.ts';
import { type Endian, elementTypes, type VolumeInfo, volumeBytes } from '../shared/volume.ts';
import { affineFromRotation, diagonalAffine } from './common/affine.ts';
import { noise, readVoxels, rebuild } from './common/source-testing.ts';
import { describeExport } from './export-volume.ts';
import { openVolume } from './open-volume.ts';

/** Writes a volume as the engine does, and opens it again. */
async function exportAndOpen(info: VolumeInfo, format: WrittenVoxelFormat, endian: Endian) {
  const voxels = noise(volumeBytes(info), 3);
  const source = describeExport(info, format, 'scan', endian);
  const [file] = rebuild(source, voxels, info.type);
  if (file === undefined || source.parts.length !== 1) throw new Error('an export must be one file');
  const raw = format === 'raw' ? { dims: info.dims, type: info.type, endian } : undefined;
  const volume = await openVolume(memorySource(file.name, file.bytes), { raw });
  expect(Buffer.from(await readVoxels(volume)).equals(voxels)).toBe(true);
  // Single bytes have no order, so NRRD does not state one.
  if (!info.type.endsWith('8')) expect((await volume.source()).endian).toBe(format === 'mgh' ? 'big' : endian);
  return { info: volume.info, file };
}

function expectClose(values: readonly number[], expected: readonly number[]): void {
  const scale = Math.max(...expected.map(Math.abs));
  expect(values.length).toBe(expected.length);
  values.forEach((value, index) => {
    expect(Math.abs(value - (expected[index] as number))).toBeLessThanOrEqual(scale * 2 ** -22);
  });
}

const distance = fc.double({ min: 1e-3, max: 1e3, noNaN: true });
const scanned = fc.record({
  dims: fc.tuple(
    fc.integer({ min: 1, max: 6 }),
    fc.integer({ min: 1, max: 6 }),
    fc.integer({ min: 1, max: 6 }),
    fc.integer({ min: 1, max: 3 }),
  ),
  type: fc.constantFrom(...elementTypes),
  spacing: fc.tuple(distance, distance, distance, distance),
  spatialUnit: fc.constantFrom('m', 'mm', 'um', 'unknown'),
  timeUnit: fc.constantFrom('s', 'ms', 'us', 'unknown'),
  slope: fc.oneof(
    fc.constant(1),
    fc.double({ min: -1e6, max: 1e6, noNaN: true }).filter((slope) => Math.abs(slope) > 1e-6),
  ),
  // Avoids −0, because text does not keep its sign.
  intercept: fc.oneof(fc.constant(0), fc.double({ min: -1e6, max: 1e6, noNaN: true })).map((value) => value + 0),
  rotation: fc.record({
    b: fc.double({ min: -0.57, max: 0.57, noNaN: true }),
    c: fc.double({ min: -0.57, max: 0.57, noNaN: true }),
    d: fc.double({ min: -0.57, max: 0.57, noNaN: true }),
    qfac: fc.constantFrom(1 as const, -1 as const),
  }),
  origin: fc.tuple(distance, distance, distance),
  /** How much the affine deviates from a rotation. */
  shear: fc.constantFrom(0, 0, 0.25),
});

const infos: fc.Arbitrary<VolumeInfo> = scanned.map(({ rotation, origin, shear, ...rest }) => {
  const affine = [...affineFromRotation(rotation, rest.spacing, origin)];
  for (const row of [0, 4, 8]) affine[row + 1] = (affine[row + 1] as number) + shear * (affine[row] as number);
  return { ...rest, affine };
});

describe.each(['nifti', 'nrrd'] as const)('%s', (format) => {
  test('any volume survives writing and reading', async () => {
    await fc.assert(
      fc.asyncProperty(infos, fc.constantFrom<Endian>('little', 'big'), async (info, endian) => {
        const { info: back } = await exportAndOpen(info, format, endian);
        const { dims, type, spatialUnit, timeUnit } = info;
        expect(back).toMatchObject({ dims, type, spatialUnit, timeUnit });
        expectClose(back.spacing, info.spacing);
        expectClose(back.affine, info.affine);
        expectClose([back.slope], [info.slope]);
        expectClose([back.intercept], [info.intercept]);
        if (format === 'nrrd') expect(back).toEqual(info);
      }),
      { numRuns: 100 },
    );
  });
});

const missingTypes: Partial<Record<WrittenVoxelFormat, readonly string[]>> = { mgh: ['i8', 'u32', 'f64'], mrc: ['u32', 'f64'] };

test.each(writtenVoxelFormats)('every type and byte order goes through %s', async (format) => {
  for (const type of elementTypes) {
    for (const endian of ['little', 'big'] as const) {
      if (missingTypes[format]?.includes(type)) {
        expect(() => describeExport({ ...plain, type }, format, 'scan')).toThrow(/no voxels of type/);
        continue;
      }
      const { info } = await exportAndOpen({ ...plain, type }, format, endian);
      expect(info).toMatchObject({ dims: plain.dims, type });
    }
  }
});

const plain: VolumeInfo = {
  dims: [5, 3, 2, 2],
  type: 'i16',
  spacing: [2, 3, 4, 0.5],
  spatialUnit: 'mm',
  timeUnit: 's',
  affine: [0, -3, 0, 10, 2, 0, 0, 20, 0, 0, 4, 30],
  slope: 0.5,
  intercept: -1024,
};

describe('an independent reader understands written NIfTI files', () => {
  test.each([
    ['little', plain],
    ['big', plain],
    ['little', { ...plain, dims: [40000, 1, 1, 2] }],
    ['big', { ...plain, dims: [40000, 1, 1, 2] }],
  ] as const)('%s-endian, %j', async (endian, info) => {
    const { file } = await exportAndOpen(info, 'nifti', endian);
    const bytes = file.bytes.slice();
    const header = readHeader(bytes.buffer);
    const isLong = info.dims[0] > 32767;
    expect(header).toMatchObject({
      littleEndian: endian === 'little',
      dims: [4, ...info.dims, 1, 1, 1],
      datatypeCode: 4,
      numBitsPerVoxel: 16,
      vox_offset: isLong ? 544 : 352,
      scl_slope: 0.5,
      scl_inter: -1024,
      xyzt_units: 2 + 8,
      qform_code: 2,
      sform_code: 2,
      affine: [...[0, 4, 8].map((row) => info.affine.slice(row, row + 4)), [0, 0, 0, 1]],
      qoffset_x: 10,
      qoffset_y: 20,
      qoffset_z: 30,
    });
    expect(header.magic).toMatch(isLong ? /^n\+2/ : /^n\+1/);
    expect(header.pixDims).toEqual([1, 2, 3, 4, 0.5, 0, 0, 0]);
    expect([header.quatern_b, header.quatern_c]).toEqual([0, 0]);
    expect(header.quatern_d).toBeCloseTo(Math.SQRT1_2, 6);
  });

  test('a sheared affine has no qform', async () => {
    const { file } = await exportAndOpen({ ...plain, affine: [2, 1, 0, 0, 0, 3, 0, 0, 0, 0, 4, 0] }, 'nifti', 'little');
    expect(readHeader(file.bytes.slice().buffer)).toMatchObject({ qform_code: 0, sform_code: 2 });
  });
});

test('the qform alone restores the affine, including half turns and mirrors', async () => {
  for (const [b, c, d] of [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
    [0.6, 0.8, 0],
    [0.1, 0.2, 0.3],
    [0, 0, 0],
  ] as const) {
    for (const qfac of [1, -1] as const) {
      const affine = affineFromRotation({ b, c, d, qfac }, plain.spacing, [1, 2, 3]);
      const source = describeExport({ ...plain, affine }, 'nifti', 'scan');
      const [file] = rebuild(source, noise(volumeBytes(plain)), plain.type);
      const bytes = file?.bytes ?? new Uint8Array();
      // No sform: its code is 0.
      new DataView(bytes.buffer).setInt16(254, 0, true);
      const volume = await openVolume(memorySource('scan.nii', bytes));
      expectClose(volume.info.affine, affine);
    }
  }
});

test('NIfTI-2 stores values that 32-bit floats cannot', async () => {
  const { info, file } = await exportAndOpen({ ...plain, slope: 1e-60 }, 'nifti', 'little');
  expect(info.slope).toBe(1e-60);
  expect(file.bytes[0]).toBe(540 & 255);
});

test.each(writtenVoxelFormats)('%s accepts a volume with a geometry that no header can store', async (format) => {
  const odd = { ...plain, spacing: [0, -2, Number.NaN, 0] as const, affine: Array(12).fill(0), slope: 0, intercept: 9 };
  const { info } = await exportAndOpen(odd, format, 'little');
  expect(info.dims).toEqual(plain.dims);
  if (!['raw', 'npy', 'mgh', 'mrc', 'vti'].includes(format)) {
    expect(info).toMatchObject({ spacing: [1, 2, 1, 1], affine: diagonalAffine([1, 2, 1]), slope: 1, intercept: 0 });
  }
});

test('names follow the format', () => {
  expect(writtenVoxelFormats.map((format) => describeExport(plain, format, 'scan').parts[0]?.name)).toEqual([
    'scan.nii',
    'scan.nrrd',
    'scan.mha',
    'scan.mgh',
    'scan.npy',
    'scan.mrc',
    'scan.vti',
    'scan.raw',
  ]);
});

describe.each([1, 2])('channels with %i time points', (timePoints) => {
  const channels = ['Red', 'Green', 'Blue'].map((name) => ({ name }));
  const info: VolumeInfo = { ...plain, dims: [5, 3, 2, 3 * timePoints], type: 'i16', channels };

  test.each(['nifti', 'nrrd', 'mha'] as const)('are values of a voxel in %s, and are read back', async (format) => {
    const { info: back, file } = await exportAndOpen(info, format, 'little');
    expect(back.dims).toEqual(info.dims);
    expect(back.channels).toHaveLength(3);
    if (timePoints > 1 || format === 'nrrd') expect(back.spacing).toEqual(info.spacing);
    const text = new TextDecoder('latin1').decode(file.bytes.subarray(0, 600));
    if (format === 'nifti') {
      expect(readHeader(file.bytes.slice().buffer)).toMatchObject({ dims: [5, 5, 3, 2, timePoints, 3, 1, 1], intent_code: 1007 });
    } else if (format === 'mha') {
      expect(text).toContain('\nElementNumberOfChannels = 3\n');
      expect(text).toContain(timePoints > 1 ? '\nDimSize = 5 3 2 2\n' : '\nDimSize = 5 3 2\n');
    } else {
      expect(text).toContain(timePoints > 1 ? '\nsizes: 5 3 2 2 3\n' : '\nsizes: 5 3 2 3\n');
      expect(text).toContain(timePoints > 1 ? '\nkinds: space space space time vector\n' : '\nkinds: space space space vector\n');
    }
  });
});

test.each(['nifti', 'nrrd', 'mha', 'vti'] as const)(
  'more channels than %s is read with are refused, or read back as a series',
  async (format) => {
    const channels = Array.from({ length: 1100 }, (_, index) => ({ name: `λ${index}` }));
    const info: VolumeInfo = { ...plain, dims: [2, 1, 1, 1100], type: 'u8', channels };
    if (format === 'vti') {
      expect(() => describeExport(info, format, 'scan')).toThrow(expect.objectContaining({ tag: 'unsupported' }));
    } else {
      expect((await exportAndOpen(info, format, 'little')).info).toMatchObject({ dims: info.dims });
    }
  },
);

test('a written NRRD header has exactly this text', () => {
  const text = new TextDecoder().decode(describeExport(plain, 'nrrd', 'scan', 'big').parts[0]?.before);
  expect(text.split('\n')).toEqual([
    'NRRD0004',
    '# Written by Stria',
    'type: int16',
    'dimension: 4',
    'space: right-anterior-superior',
    'sizes: 5 3 2 2',
    'space directions: (0,2,0) (-3,0,0) (0,0,4) none',
    'kinds: space space space time',
    'encoding: raw',
    'space origin: (10,20,30)',
    'endian: big',
    'space units: "mm" "mm" "mm"',
    'spacings: NaN NaN NaN 0.5',
    'units: "" "" "" "s"',
    'stria_slope:=0.5',
    'stria_intercept:=-1024',
    '',
    '',
  ]);
});

test('a single volume is written to NRRD with three axes, and keeps its time step', async () => {
  const info: VolumeInfo = { ...plain, dims: [5, 3, 2, 1] };
  const text = new TextDecoder().decode(describeExport(info, 'nrrd', 'scan').parts[0]?.before);
  expect(text).toContain('\ndimension: 3\n');
  expect(text).toContain('\nsizes: 5 3 2\n');
  expect(text).toContain('\nkinds: space space space\n');
  const { info: back } = await exportAndOpen(info, 'nrrd', 'little');
  expect(back).toMatchObject({ dims: info.dims, spacing: info.spacing, timeUnit: 's' });
});
