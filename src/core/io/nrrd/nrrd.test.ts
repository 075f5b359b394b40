import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { memorySource } from '../../shared/bytes.ts';
import { type Dims4, type Endian, elementTypes, type VolumeInfo } from '../../shared/volume.ts';
import { joinBytes } from '../common/byte-stream.ts';
import {
  faultOf,
  noise,
  nrrdLines,
  nrrdText,
  readVoxels,
  rebuild,
  siblingsAmong,
  type TestFile,
  testVoxels,
  trickling,
  typeCodes,
} from '../common/source-testing.ts';
import { openVolume } from '../open-volume.ts';

const endians: readonly Endian[] = ['little', 'big'];
const dims: Dims4 = [5, 3, 7, 2];

function openFile(bytes: Uint8Array, name = 'scan.nrrd', beside: readonly TestFile[] = []) {
  return openVolume(trickling(memorySource(name, bytes), 53), { siblings: siblingsAmong(beside) });
}

/** A header with these fields that describes 64 KiB of voxels. */
async function infoOf(lines: readonly string[], magic?: string): Promise<VolumeInfo> {
  return (await openFile(joinBytes([nrrdText(lines, magic), noise(65536)]))).info;
}

const still = nrrdLines([4, 3, 2], 'u8');

describe.each(endians)('%s-endian', (endian) => {
  describe.each(elementTypes)('%s', (type) => {
    const { stored, read } = testVoxels(dims, type, endian);

    test('attached: raw, gzipped as a whole, and with the encoding gzip', async () => {
      const raw = joinBytes([nrrdText(nrrdLines(dims, type, endian)), stored, noise(9)]);
      const gzip = joinBytes([nrrdText(nrrdLines(dims, type, endian, 'gzip')), gzipSync(joinBytes([stored, noise(9)]))]);
      for (const [name, bytes] of [
        ['scan.nrrd', raw],
        ['scan.nrrd.gz', gzipSync(raw)],
        ['scan.nrrd', gzip],
      ] as const) {
        const volume = await openFile(bytes, name);
        expect(volume.info).toMatchObject({ dims, type });
        expect(await readVoxels(volume)).toEqual(read);
        const source = await volume.source();
        expect(source).toMatchObject({ format: 'nrrd', endian });
        expect(rebuild(source, read, type)).toEqual([{ name: 'scan.nrrd', bytes: raw }]);
      }
    });

    test('detached: raw and gzip, with what line skip and byte skip skip', async () => {
      const lead = new TextEncoder().encode('first line\nsecond line\n');
      const data = joinBytes([lead, noise(13), stored, noise(4)]);
      const header = (encoding: string, file: string) =>
        joinBytes([
          nrrdText([...nrrdLines(dims, type, endian, encoding), `data file: ${file}`, 'line skip: 2', 'byte skip: 13']),
          noise(3),
        ]);
      const zipped = joinBytes([lead, gzipSync(data.subarray(lead.byteLength))]);
      const expected = [
        { name: 'scan.nhdr', bytes: header('raw', 'scan.raw') },
        { name: 'scan.raw', bytes: data },
      ];
      for (const [encoding, name, bytes] of [
        ['raw', 'scan.raw', data],
        ['gz', 'scan.raw.gz', zipped],
      ] as const) {
        const volume = await openFile(header(encoding, name), 'scan.nhdr', [{ name, bytes }]);
        expect(await readVoxels(volume)).toEqual(read);
        expect(rebuild(await volume.source(), read, type)).toEqual(expected);
      }
    });
  });
});

test('finds the voxels at the end of the file for a byte skip of -1', async () => {
  const voxels = noise(24);
  for (const skip of [0, 17]) {
    const bytes = joinBytes([nrrdText([...still, 'byte skip: -1']), noise(skip), voxels]);
    const volume = await openFile(bytes);
    expect(await readVoxels(volume)).toEqual(voxels);
    expect(rebuild(await volume.source(), voxels, 'u8')).toEqual([{ name: 'scan.nrrd', bytes }]);
  }
  expect(await faultOf(openFile(joinBytes([nrrdText([...still, 'byte skip: -1']), noise(23)])))).toMatchObject({
    tag: 'corrupt',
  });
  const zipped = joinBytes([nrrdText([...nrrdLines([4, 3, 2], 'u8', 'little', 'gzip'), 'byte skip: -1']), gzipSync(voxels)]);
  expect(await faultOf(openFile(zipped))).toMatchObject({ tag: 'unsupported' });
});

test('changes only the encoding of a gzip header', async () => {
  const lines = [
    '# odd but valid',
    'type:  uint8',
    'dimension: 1',
    'SIZES: 5 ',
    'encoding:   GZip  ',
    'note:=encoding: gzip',
    'content: grüße: µm',
  ];
  const text = (encoding: string) => ['NRRD0005', ...lines, '', ''].join('\r\n').replace('GZip', encoding);
  const encoder = new TextEncoder();
  const volume = await openFile(joinBytes([encoder.encode(text('GZip')), gzipSync(noise(5))]));
  expect(volume.info.dims).toEqual([5, 1, 1, 1]);
  const [file] = rebuild(await volume.source(), await readVoxels(volume), 'u8');
  expect(file?.bytes).toEqual(joinBytes([encoder.encode(text('raw')), noise(5)]));
});

test.each([
  ['signed char', 'i8'],
  ['int8_t', 'i8'],
  ['unsigned char', 'u8'],
  ['short int', 'i16'],
  ['signed short int', 'i16'],
  ['ushort', 'u16'],
  ['unsigned short int', 'u16'],
  ['signed int', 'i32'],
  ['unsigned int', 'u32'],
  ['uint', 'u32'],
  ['DOUBLE', 'f64'],
] as const)("reads the type '%s'", async (name, type) => {
  const lines = ['dimension: 3', 'sizes: 4 3 2', `type: ${name}`, 'endian: little', 'encoding: raw'];
  expect((await infoOf(lines)).type).toBe(type);
});

describe('axes', () => {
  test('missing axes are 1, and the fourth is t', async () => {
    expect((await infoOf(nrrdLines([7], 'u8'))).dims).toEqual([7, 1, 1, 1]);
    expect((await infoOf(nrrdLines([7, 6], 'u8'))).dims).toEqual([7, 6, 1, 1]);
    expect((await infoOf([...nrrdLines([7, 6, 5, 4], 'u8'), 'kinds: space space space list'])).dims).toEqual([7, 6, 5, 4]);
    expect((await infoOf([...nrrdLines([7, 6, 5], 'u8'), 'kinds: domain domain time'])).dims).toEqual([7, 6, 1, 5]);
  });

  test.each([
    ['kinds: time domain domain', 'time'],
    ['kinds: domain vector domain', 'vector'],
    ['kinds: domain list domain', 'list'],
  ])('refuses %s in plain words', async (kinds, named) => {
    const fault = await faultOf(infoOf([...still, kinds]));
    expect(fault).toMatchObject({ tag: 'unsupported' });
    expect(fault?.message).toContain(named);
  });

  test.each(['domain domain vector', 'vector domain domain'])('refuses %s if the dimension is another number', async (kinds) => {
    for (const dimension of [2, 4]) {
      const lines = ['type: uint8', `dimension: ${dimension}`, 'sizes: 3 4 3', `kinds: ${kinds}`, 'encoding: raw'];
      expect(await faultOf(infoOf(lines))).toMatchObject({ tag: 'corrupt' });
    }
  });

  /** Value c of voxel v is 10 v + c. */
  const besides = Uint8Array.from({ length: 3 * 24 }, (_, at) => 10 * Math.floor(at / 3) + (at % 3));
  const apart = Uint8Array.from({ length: 3 * 24 }, (_, at) => 10 * (at % 24) + Math.floor(at / 24));
  const placed = (directions: string) => ['space: LPS', `space directions: ${directions}`, 'space origin: (1,2,3)'];

  test.each([
    ['vector space space space', '3 4 3 2', 'none (2,0,0) (0,3,0) (0,0,4)', besides],
    ['space space space vector', '4 3 2 3', '(2,0,0) (0,3,0) (0,0,4) none', apart],
  ])('%s: the values of a voxel become channels, and come back', async (kinds, sizes, directions, voxels) => {
    const lines = ['type: uint8', 'dimension: 4', `sizes: ${sizes}`, `kinds: ${kinds}`, 'encoding: raw', ...placed(directions)];
    const bytes = joinBytes([nrrdText(lines), voxels]);
    const volume = await openVolume(memorySource('scan.nrrd', bytes));
    expect(volume.info).toMatchObject({
      dims: [4, 3, 2, 3],
      spacing: [2, 3, 4, 1],
      affine: [-2, 0, 0, -1, 0, -3, 0, -2, 0, 0, 4, 3],
    });
    expect(volume.info.channels?.map(({ name }) => name)).toEqual(['Red', 'Green', 'Blue']);
    const read = await readVoxels(volume);
    expect(read).toEqual(apart);
    expect(rebuild(await volume.source(), read, 'u8')).toEqual([{ name: 'scan.nrrd', bytes }]);
  });

  test('a list as the first axis is time points, and vectors have time points, too', async () => {
    const list = await infoOf([...nrrdLines([3, 4, 3, 2], 'u8'), 'kinds: list domain domain domain']);
    expect(list).toMatchObject({ dims: [4, 3, 2, 3] });
    expect(list.channels).toBeUndefined();
    const series = await infoOf([
      ...nrrdLines([3, 2, 2, 1, 2], 'u8'),
      'kinds: vector domain domain domain time',
      'spacings: nan 1 1 1 7',
    ]);
    expect(series).toMatchObject({ dims: [2, 2, 1, 6], spacing: [1, 1, 1, 7] });
    const fault = await faultOf(infoOf([...nrrdLines([2000, 1, 1], 'u8'), 'kinds: vector domain domain']));
    expect(fault).toMatchObject({ tag: 'unsupported', message: /2000 values/ });
  });

  test('refuses a first axis without direction', async () => {
    const lines = [...nrrdLines([3, 4, 3, 2], 'u8'), 'space: LPS', 'space directions: none (1,0,0) (0,1,0) (0,0,1)'];
    expect(await faultOf(infoOf(lines))).toMatchObject({ tag: 'unsupported' });
  });
});

describe('geometry', () => {
  const directions = ['space directions: (2,0,0) (0,0,-3) (0,4,0)', 'space origin: (10, 20, 30)'];

  test.each([
    ['RAS', [2, 0, 0, 10, 0, 0, 4, 20, 0, -3, 0, 30]],
    ['right-anterior-superior', [2, 0, 0, 10, 0, 0, 4, 20, 0, -3, 0, 30]],
    ['LPS', [-2, 0, 0, -10, 0, 0, -4, -20, 0, -3, 0, 30]],
    ['left-posterior-superior', [-2, 0, 0, -10, 0, 0, -4, -20, 0, -3, 0, 30]],
    ['LAS', [-2, 0, 0, -10, 0, 0, 4, 20, 0, -3, 0, 30]],
    ['scanner-xyz', [2, 0, 0, 10, 0, 0, 4, 20, 0, -3, 0, 30]],
  ])('turns %s into RAS', async (space, affine) => {
    const info = await infoOf([...still, `space: ${space}`, ...directions, 'space units: "mm" "mm" "mm"']);
    expect(info.affine).toEqual(affine);
    expect(info).toMatchObject({ spacing: [2, 3, 4, 1], spatialUnit: 'mm' });
  });

  test.each([
    [['space: LPS'], 'mm'],
    [['space: RAS', 'space units: "um" "um" "um"'], 'um'],
    [['space: RAS', 'space units: "" "" ""'], 'unknown'],
    [['space: scanner-xyz'], 'unknown'],
    [[], 'unknown'],
  ])('the unit of %j is %s', async (lines, unit) => {
    expect((await infoOf([...still, ...lines])).spatialUnit).toBe(unit);
  });

  test('reads the time step from spacings and from a space with time', async () => {
    const four = nrrdLines([4, 3, 2, 5], 'u8');
    const mixed = [
      'space: LPS',
      'space directions: (1,0,0) (0,1,0) (0,0,1) none',
      'spacings: nan nan nan 2.5',
      'units: "" "" "" "ms"',
    ];
    expect(await infoOf([...four, ...mixed])).toMatchObject({ spacing: [1, 1, 1, 2.5], timeUnit: 'ms' });
    const together = [
      'space: RAST',
      'space directions: (2,0,0,0) (0,2,0,0) (0,0,2,0) (0,0,0,7)',
      'space units: "um" "um" "um" "s"',
    ];
    expect(await infoOf([...four, ...together])).toMatchObject({ spacing: [2, 2, 2, 7], spatialUnit: 'um', timeUnit: 's' });
  });

  test('makes the third axis of a slice perpendicular to its two directions', async () => {
    const lines = [
      ...nrrdLines([4, 3], 'u8'),
      'space dimension: 3',
      'space directions: (0,2,0) (0,0,3)',
      'space origin: (5,6,7)',
    ];
    expect((await infoOf(lines)).affine).toEqual([0, 0, 1, 5, 2, 0, 0, 6, 0, 3, 0, 7]);
  });

  test('does not need the field space', async () => {
    const info = await infoOf([...still, 'spacings: 0.5 0.25 nan', 'units: "mm" "mm" "um"']);
    expect(info).toMatchObject({
      spacing: [0.5, 0.25, 1, 1],
      spatialUnit: 'unknown',
      affine: [0.5, 0, 0, 0, 0, 0.25, 0, 0, 0, 0, 1, 0],
    });
  });

  test.each([
    ['of cells', 'centerings: cell cell cell', [2, 3, 5], [11, 21.5, 32.5]],
    ['of nodes', 'centerings: node node node', [8 / 3, 4.5, 10], [10, 20, 30]],
    ['without a centering, as cells', 'kinds: space space space', [2, 3, 5], [11, 21.5, 32.5]],
    ['with other spacings', 'spacings: 1 1 1', [1, 1, 1], [10.5, 20.5, 30.5]],
  ])('takes the position from axis mins and axis maxs %s', async (_name, line, [x, y, z], [ox, oy, oz]) => {
    const lines = [...nrrdLines([4, 3, 2], 'u8'), 'axis mins: 10 20 30', 'axis maxs: 18 29 40'];
    const { affine } = await infoOf([...lines, line]);
    expect(affine).toEqual([x, 0, 0, ox, 0, y, 0, oy, 0, 0, z, oz]);
  });

  test.each([
    ['axis maxs: 2 29 40', [-2, 9]],
    ['spacings: -2 3 5', [-2, 9]],
  ])('reverses an axis that runs from a maximum: %s', async (line, [x, ox]) => {
    const { affine, spacing } = await infoOf([...nrrdLines([4, 3, 2], 'u8'), 'axis mins: 10 20 30', line]);
    expect([affine[0], affine[3], spacing[0]]).toEqual([x, ox, 2]);
  });

  test('needs a minimum along each axis for a position', async () => {
    const { affine } = await infoOf([...still, 'spacings: 1 1 1', 'axis mins: 10 nan 30']);
    expect([affine[3], affine[7], affine[11]]).toEqual([0, 0, 0]);
  });

  test.each([
    'axis mins: 1 2',
    'space directions: (1,0,0) (0,1,0) (0,0,1)',
    'spacings: 1 1',
    'kinds: space space',
    'space: LPS\nspace directions: (1,0) (0,1,0) (0,0,1)',
    'space: LPS\nspace directions: (1,0,0) (0,1,0)',
    'space: LPS\nspace directions: 1 2 3',
  ])('calls %j corrupt', async (line) => {
    expect(await faultOf(infoOf([...still, line]))).toMatchObject({ tag: 'corrupt' });
  });
});

describe('faults', () => {
  test.each([
    ['encoding', 'encoding: bzip2', 'bzip2'],
    ['encoding', 'encoding: ascii', 'ascii'],
    ['type', 'type: block', 'block'],
    ['type', 'type: block', 'block'],
    ['encoding', 'encoding: raw\ndata file: LIST\na.raw\nb.raw', 'list'],
    ['encoding', 'encoding: raw\ndata file: slice%03d.raw 1 9 1', 'slice%03d.raw'],
    ['dimension', 'dimension: 5', '5 axes'],
    ['space', 'space: constructor', 'constructor'],
    ['space directions', `space directions: ${'('.repeat(1_000_000)}`, 'longer than'],
  ])('names what it does not read: %s as %j', async (field, line, named) => {
    const lines = [...still.filter((other) => !other.startsWith(`${field}:`)), line];
    const fault = await faultOf(infoOf(lines));
    expect(fault).toMatchObject({ tag: 'unsupported' });
    expect(fault?.message).toContain(named);
  });

  test.each([['type'], ['dimension'], ['sizes'], ['encoding']])('names the missing field %s', async (field) => {
    const fault = await faultOf(infoOf(still.filter((other) => !other.startsWith(`${field}:`))));
    expect(fault).toMatchObject({ tag: 'corrupt' });
    expect(fault?.message).toContain(`'${field}'`);
  });

  test.each([
    ['a missing byte order', nrrdLines([4, 3, 2], 'u16').filter((line) => !line.startsWith('endian'))],
    ['an invalid byte order', [...nrrdLines([4, 3, 2], 'u16').filter((line) => !line.startsWith('endian')), 'endian: middle']],
    ['a field given twice', [...still, 'encoding: gzip']],
    ['a line that is not a field', [...still, 'what is this']],
    ['sizes of zero', [...still.filter((line) => !line.startsWith('sizes')), 'sizes: 4 0 2']],
    ['sizes that are not numbers', [...still.filter((line) => !line.startsWith('sizes')), 'sizes: 4 x 2']],
    ['too few sizes', [...still.filter((line) => !line.startsWith('sizes')), 'sizes: 4 3']],
    ['too many voxels', [...still.filter((line) => !line.startsWith('sizes')), 'sizes: 4 3 20000']],
    ['absurd sizes', [...still.filter((line) => !line.startsWith('sizes')), 'sizes: 999999999999999 999999999999999 2']],
    ['a skip of absurd length', [...still, 'byte skip: 99999999999']],
    ['a skip of too many lines', [...still, 'line skip: 1000000']],
    ['a skip that is not a number', [...still, 'byte skip: some']],
    ['gzip that is none', nrrdLines([4, 3, 2], 'u8', 'little', 'gzip')],
    ['a slope that is not a number', [...still, 'stria_slope:=steep']],
  ])('calls %s corrupt', async (_, lines) => {
    expect(await faultOf(infoOf(lines))).toMatchObject({ tag: 'corrupt' });
  });

  test.each(['scan.raw', './scan.raw', '../data/scan.raw', 'C:\\data\\scan.raw'])(
    'names the missing data file: %s',
    async (path) => {
      const bytes = nrrdText([...still, `datafile: ${path}`]);
      const fault = await faultOf(openFile(bytes, 'scan.nhdr'));
      expect(fault).toMatchObject({ tag: 'not-readable', missing: ['scan.raw'] });
      expect(fault?.message).toContain('the file scan.raw is missing, which belongs to scan.nhdr');
      // It is only looked for beside the header.
      const volume = await openFile(bytes, 'scan.nhdr', [{ name: 'scan.raw', bytes: noise(24) }]);
      expect(await readVoxels(volume)).toEqual(noise(24));
      expect((await volume.source()).parts).toMatchObject([{ before: bytes }, { name: 'scan.raw' }]);
    },
  );

  test('reports that the end of the header is missing', async () => {
    expect((await faultOf(openFile(new TextEncoder().encode(['NRRD0004', ...still].join('\n')))))?.message).toContain('no end');
  });
});

test('a detached header may end with its file', async () => {
  const bytes = new TextEncoder().encode(['NRRD0004', ...still, 'data file: scan.raw'].join('\n'));
  const volume = await openFile(bytes, 'scan.nhdr', [{ name: 'scan.raw', bytes: noise(24) }]);
  expect(await readVoxels(volume)).toEqual(noise(24));
  expect((await volume.source()).parts[0]?.before).toEqual(bytes);
});

test('every type has a name here', () => {
  expect(Object.keys(typeCodes).sort()).toEqual([...elementTypes].sort());
});
