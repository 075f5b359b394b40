import { describe, expect, test } from 'vitest';
import { memorySource } from '../../shared/bytes.ts';
import { elementTypes } from '../../shared/volume.ts';
import { memoryTree } from '../common/file-tree.ts';
import { faultOf, noise, readVoxels } from '../common/source-testing.ts';
import type { OpenOptions } from '../common/volume-reader.ts';
import { listVolumes, openVolume } from '../open-volume.ts';
import type { TestTiff } from '../tiff/tiff-testing.ts';
import { describedTiff, omeTiff, omeXml, plane, planesInOrder, type TestImage, voxelsOfImage } from './ome-tiff-testing.ts';

const open = (bytes: Uint8Array, options: OpenOptions = {}) => openVolume(memorySource('cells.ome.tif', bytes), options);
const list = async (bytes: Uint8Array, options: OpenOptions = {}) =>
  (await listVolumes(memorySource('cells.ome.tif', bytes), options)) ?? [];
const expectSame = (actual: Uint8Array, expected: Uint8Array) => expect(Buffer.compare(actual, expected)).toBe(0);
const filesOf = (files: Readonly<Record<string, Uint8Array>>) => async (name: string) =>
  files[name] && memorySource(name, files[name]);

const image: TestImage = {
  sizes: [7, 5, 3, 2, 4],
  attributes:
    'PhysicalSizeX="325" PhysicalSizeXUnit="nm" PhysicalSizeY="0.65" PhysicalSizeZ="2" PhysicalSizeZUnit="µm" TimeIncrement="20" TimeIncrementUnit="ms"',
  channels: '<Channel ID="Channel:0:0" Name="DAPI" Color="65535"/><Channel ID="Channel:0:1" Fluor="GFP" Color="16711935"/>',
};

describe('one file', () => {
  test('channels, colours, spacing and time', async () => {
    const volume = await open(omeTiff(image));
    expect(volume.format).toBe('ome-tiff');
    expect(volume.info).toMatchObject({
      dims: [7, 5, 3, 8],
      type: 'u16',
      spacing: [0.325, 0.65, 2, 20],
      spatialUnit: 'um',
      timeUnit: 'ms',
      channels: [
        { name: 'DAPI', color: '#0000ff' },
        { name: 'GFP', color: '#00ff00' },
      ],
    });
    expectSame(await readVoxels(volume), voxelsOfImage(image));
    expect(volume.tags).toContainEqual({ id: 'OME/Image/Name', name: 'Image Name', value: 'cells', isPersonal: false });
  });

  test('distances are not rounded, whatever the width', async () => {
    const wide: TestImage = { sizes: [52, 1, 1, 1, 1], attributes: 'PhysicalSizeX="0.325"' };
    expect((await open(omeTiff(wide))).info.spacing[0]).toBe(0.325);
  });

  test.each(['XYZCT', 'XYZTC', 'XYCTZ', 'XYCZT', 'XYTCZ', 'XYTZC'])('order %s', async (order) => {
    const ordered = { ...image, order };
    expectSame(await readVoxels(await open(omeTiff(ordered))), voxelsOfImage(ordered));
  });

  test.each(elementTypes)('%s', async (type) => {
    const typed = { ...image, type };
    const volume = await open(omeTiff(typed));
    expect(volume.info.type).toBe(type);
    expectSame(await readVoxels(volume), voxelsOfImage(typed));
  });

  test.each<Partial<TestTiff>>([
    { isBig: true },
    { endian: 'big' },
    { isBig: true, endian: 'big', compression: 'lzw', predictor: 2 },
    { compression: 'deflate', predictor: 2, tile: [16, 16] },
    { compression: 'packbits', rowsPerStrip: 2 },
  ])('stored as %j', async (spec) => {
    expectSame(await readVoxels(await open(omeTiff(image, spec))), voxelsOfImage(image));
  });

  test('OME’s prefix may be any', async () => {
    const text = omeXml([image]).replace('<OME xmlns=', '<ome:OME xmlns:ome=').replace('</OME>', '</ome:OME>');
    expect((await open(describedTiff(image, text, planesInOrder(image)))).info.dims).toEqual([7, 5, 3, 8]);
  });

  test('planes in any directories, by TiffData', async () => {
    const planes = planesInOrder(image);
    // In reverse: plane n is in directory count − 1 − n. One TiffData at the end covers the first six.
    const places = planes.map((_, number) => {
      const [z, c, t] = [number % 3, Math.floor(number / 3) % 2, Math.floor(number / 6)];
      return `<TiffData IFD="${planes.length - 1 - number}" FirstZ="${z}" FirstC="${c}" FirstT="${t}"/>`;
    });
    const text = omeXml([{ ...image, tiffData: places.join('') }]);
    expectSame(await readVoxels(await open(describedTiff(image, text, [...planes].reverse()))), voxelsOfImage(image));
    const half = [...planes.slice(12), ...planes.slice(0, 12)];
    const runs = '<TiffData IFD="0" FirstT="2" PlaneCount="12"/><TiffData IFD="12" PlaneCount="12"/>';
    const inRuns = omeXml([{ ...image, tiffData: runs }]);
    expectSame(await readVoxels(await open(describedTiff(image, inRuns, half))), voxelsOfImage(image));
  });

  test('missing planes are zeros, and are reported', async () => {
    const text = omeXml([{ ...image, tiffData: '<TiffData IFD="0" PlaneCount="20"/>' }]);
    const file = describedTiff(image, text, planesInOrder(image).slice(0, 20));
    const expected = Buffer.concat(
      [0, 1].flatMap((c) =>
        [0, 1, 2, 3].flatMap((t) => [0, 1, 2].map((z) => (z + 3 * c + 6 * t < 20 ? plane(image, z, c, t) : new Uint8Array(70)))),
      ),
    );
    expectSame(await readVoxels(await open(file)), expected);
    expect((await list(file))[0]?.details).toContain('4 of 24 planes are missing');
    const most = omeXml([{ ...image, tiffData: '<TiffData IFD="0" PlaneCount="4"/>' }]);
    const fault = await faultOf(open(describedTiff(image, most, planesInOrder(image).slice(0, 4))));
    expect(fault).toMatchObject({ tag: 'corrupt', message: expect.stringContaining('does not locate 20 of them') });
  });

  test('a truncated file, or one that promises too much, is refused when it is opened', async () => {
    const fault = await faultOf(open(describedTiff(image, omeXml([image]), planesInOrder(image).slice(0, 9))));
    expect(fault).toMatchObject({ tag: 'corrupt', message: expect.stringContaining('has 9 pictures') });
  });

  test('a single channel is listed only if it has a name', async () => {
    const one: TestImage = { sizes: [7, 5, 3, 1, 1] };
    expect((await open(omeTiff(one))).info.channels).toBeUndefined();
    const named = { ...one, channels: '<Channel ID="Channel:0:0" Name="Actin"/>' };
    expect((await open(omeTiff(named))).info.channels).toEqual([{ name: 'Actin' }]);
  });

  test.each([false, true])('the samples of a pixel are channels (planar: %s)', async (isPlanar) => {
    const colors: TestImage = { sizes: [7, 5, 3, 3, 1], type: 'u8', channels: '<Channel SamplesPerPixel="3"/>' };
    const pages = [0, 1, 2].map((z) => Buffer.concat([0, 1, 2].map((c) => plane(colors, z, c, 0))));
    const volume = await open(describedTiff(colors, omeXml([colors]), pages, { channels: 3, isPlanar }));
    expect(volume.info).toMatchObject({ dims: [7, 5, 3, 3] });
    expect(volume.info.channels?.map(({ name, color }) => [name, color])).toEqual([
      ['Red', '#ff0000'],
      ['Green', '#00ff00'],
      ['Blue', '#0000ff'],
    ]);
    expectSame(await readVoxels(volume), voxelsOfImage(colors));
  });

  test('several images are entries', async () => {
    const second: TestImage = {
      sizes: [6, 4, 2, 1, 1],
      type: 'u8',
      name: 'overview',
      tiffData: '<TiffData IFD="2" PlaneCount="2"/>',
    };
    const first: TestImage = { sizes: [7, 5, 2, 1, 1], tiffData: '<TiffData IFD="0" PlaneCount="2"/>' };
    // Both in one file: the second one's pages have another size and type.
    const file = tiffOfTwo(first, second);
    const entries = await list(file);
    expect(entries.map(({ id, label, shape, type }) => [id, label, shape, type])).toEqual([
      ['0', 'cells', [2, 5, 7], 'u16'],
      ['1', 'overview', [2, 4, 6], 'u8'],
    ]);
    expect(await faultOf(open(file))).toMatchObject({ tag: 'several' });
    expectSame(await readVoxels(await open(file, { dataset: '1' })), voxelsOfImage(second));
  });

  test('a fault in one image does not affect the others', async () => {
    const [good, bad]: TestImage[] = [
      { sizes: [7, 5, 2, 1, 1], tiffData: '<TiffData IFD="0" PlaneCount="2"/>' },
      { sizes: [7, 5, 2, 1, 1], tiffData: '<TiffData IFD="9" PlaneCount="2"/>', name: 'lost' },
    ];
    const text = omeXml([good as TestImage, bad as TestImage]);
    const entries = await list(describedTiff(good as TestImage, text, planesInOrder(good as TestImage)));
    expect(entries.map(({ label, problem }) => [label, problem !== undefined])).toEqual([
      ['cells', false],
      ['lost', true],
    ]);
  });
});

/** The pages of two images, concatenated. */
function tiffOfTwo(first: TestImage, second: TestImage): Uint8Array {
  // The second image's pages are smaller and have their own tags, so they come from a separate file, which is appended.
  const text = omeXml([first, second]);
  const own = describedTiff(first, text, planesInOrder(first));
  const other = describedTiff(second, 'x', planesInOrder(second));
  return appended(own, other);
}

/** Joins two little-endian TIFF files. The directories of the second follow those of the first. */
function appended(a: Uint8Array, b: Uint8Array): Uint8Array {
  const file = Buffer.concat([a, b]);
  const at = (offset: number) => file.readUInt32LE(offset);
  const endOf = (directory: number) => directory + 2 + 12 * file.readUInt16LE(directory);
  let last = at(4);
  while (at(endOf(last)) !== 0) last = at(endOf(last));
  let next = a.byteLength + at(a.byteLength + 4);
  file.writeUInt32LE(next, endOf(last));
  for (;;) {
    for (let tag = next + 2; tag < endOf(next); tag += 12) {
      const bytes = ({ 2: 1, 3: 2, 4: 4, 5: 8 }[file.readUInt16LE(tag + 2)] as number) * at(tag + 4);
      const isOffset = file.readUInt16LE(tag) === 273;
      if (bytes > 4) throw new Error('the pages of these tests have values of up to 4 bytes');
      if (isOffset) file.writeUInt32LE(at(tag + 8) + a.byteLength, tag + 8);
    }
    if (at(endOf(next)) === 0) return file;
    file.writeUInt32LE(at(endOf(next)) + a.byteLength, endOf(next));
    next = at(endOf(next));
  }
}

describe('levels', () => {
  const large: TestImage = { sizes: [40, 24, 2, 2, 1], attributes: 'PhysicalSizeX="0.5" PhysicalSizeY="0.5"' };
  const half: TestImage = { sizes: [20, 12, 2, 2, 1] };
  const quarter: TestImage = { sizes: [10, 6, 2, 2, 1] };
  const file = omeTiff(large, {
    compression: 'deflate',
    tile: [16, 16],
    levels: [half, quarter].map((level) => ({
      spec: { width: level.sizes[0], height: level.sizes[1], type: 'u16' },
      pages: planesInOrder(level),
    })),
  });

  test('are entries, of which the largest that fits is the volume', async () => {
    const entries = await list(file);
    expect(entries.map(({ id, shape, isAlternative = false }) => [id, shape, isAlternative])).toEqual([
      ['0', [2, 2, 24, 40], false],
      ['0/1', [2, 2, 12, 20], true],
      ['0/2', [2, 2, 6, 10], true],
    ]);
    expectSame(await readVoxels(await open(file)), voxelsOfImage(large));
    const small = await open(file, { levelBytes: 2000 });
    expect(small.info).toMatchObject({ dims: [20, 12, 2, 2], spacing: [1, 1, 0.5, 1] });
    expectSame(await readVoxels(small), voxelsOfImage(half));
    expectSame(await readVoxels(await open(file, { dataset: '0/2' })), voxelsOfImage(quarter));
    expect((await open(file, { levelBytes: 1 })).info.dims).toEqual([10, 6, 2, 2]);
  });
});

describe('several files', () => {
  const uuid = (c: number) => `urn:uuid:0000000${c}`;
  const set: TestImage = {
    sizes: [7, 5, 3, 2, 4],
    tiffData: [0, 1]
      .map((c) =>
        [0, 1, 2, 3]
          .map(
            (t) =>
              `<TiffData IFD="${3 * t}" FirstC="${c}" FirstT="${t}" PlaneCount="3"><UUID FileName="c${c}.ome.tif">${uuid(c)}</UUID></TiffData>`,
          )
          .join(''),
      )
      .join(''),
  };
  const part = (c: number, text = omeXml([set], `UUID="${uuid(c)}"`)) =>
    describedTiff(
      set,
      text,
      [0, 1, 2, 3].flatMap((t) => [0, 1, 2].map((z) => plane(set, z, c, t))),
    );
  const files = { 'c0.ome.tif': part(0), 'c1.ome.tif': part(1) };

  test('are one volume, whichever is opened', async () => {
    for (const name of ['c0.ome.tif', 'c1.ome.tif'] as const) {
      const volume = await openVolume(memorySource(name, files[name]), { siblings: filesOf(files) });
      expect(volume.info.dims).toEqual([7, 5, 3, 8]);
      expectSame(await readVoxels(volume), voxelsOfImage(set));
    }
  });

  test('a missing one is named', async () => {
    const fault = await faultOf(openVolume(memorySource('c0.ome.tif', files['c0.ome.tif']), { siblings: async () => undefined }));
    expect(fault).toMatchObject({ tag: 'not-readable' });
    expect(fault?.message).toContain('c1.ome.tif is missing; the volume consists of 2 files');
  });

  test('a renamed file recognises itself by its UUID', async () => {
    const volume = await openVolume(memorySource('mine.ome.tif', files['c0.ome.tif']), { siblings: filesOf(files) });
    expectSame(await readVoxels(volume), voxelsOfImage(set));
    const alone = {
      ...image,
      tiffData: '<TiffData IFD="0" PlaneCount="24"><UUID FileName="old.ome.tif">urn:uuid:9</UUID></TiffData>',
    };
    expectSame(await readVoxels(await open(omeTiff(alone))), voxelsOfImage(image));
  });

  test('of a folder are one entry, beside other volumes', async () => {
    const tree = memoryTree('slides', {
      'a/c0.ome.tif': files['c0.ome.tif'],
      'a/c1.ome.tif': files['c1.ome.tif'],
      'a/broken.ome.tif': noise(100),
      'b.ome.tif': omeTiff(image),
    });
    const entries = (await listVolumes(tree)) ?? [];
    expect(entries.map(({ id, problem }) => [id, problem !== undefined])).toEqual([
      ['a/broken.ome.tif', true],
      ['a/c0.ome.tif', false],
      ['b.ome.tif', false],
    ]);
    const volume = await openVolume(tree, { dataset: 'a/c0.ome.tif' });
    expectSame(await readVoxels(volume), voxelsOfImage(set));
  });

  test('metadata in a separate file', async () => {
    const binaryOnly = (c: number) =>
      `<OME xmlns="http://www.openmicroscopy.org/Schemas/OME/2016-06" UUID="${uuid(c)}"><BinaryOnly MetadataFile="set.companion.ome" UUID="urn:uuid:1"/></OME>`;
    const parts = {
      'c0.ome.tif': part(0, binaryOnly(0)),
      'c1.ome.tif': part(1, binaryOnly(1)),
      'set.companion.ome': new TextEncoder().encode(omeXml([set], 'UUID="urn:uuid:1"')),
    };
    for (const name of Object.keys(parts) as (keyof typeof parts)[]) {
      const volume = await openVolume(memorySource(name, parts[name]), { siblings: filesOf(parts) });
      expectSame(await readVoxels(volume), voxelsOfImage(set));
    }
    expect((await listVolumes(memoryTree('set', parts)))?.map(({ id }) => id)).toEqual(['set.companion.ome']);
    const { 'c0.ome.tif': first } = parts;
    const fault = await faultOf(openVolume(memorySource('c0.ome.tif', first), { siblings: async () => undefined }));
    expect(fault?.message).toContain('set.companion.ome, which describes the volume, is missing');
  });
});

describe('ImageJ', () => {
  const stack: TestImage = { sizes: [7, 5, 3, 2, 4], order: 'XYCZT' };
  const text = (more = '') =>
    `ImageJ=1.54f\nimages=24\nchannels=2\nslices=3\nframes=4\nhyperstack=true\nmode=composite\nunit=micron\nspacing=1.5\nfinterval=0.5\n${more}`;
  const resolution = [
    { tag: 282, type: 5, values: [4, 1] },
    { tag: 283, type: 5, values: [4, 1] },
    { tag: 296, type: 3, values: [1] },
  ] as const;

  test.each(['little', 'big'] as const)('a hyperstack with its colours and ranges, %s-endian', async (endian) => {
    const word = (value: number) => {
      const bytes = new Uint8Array(4);
      new DataView(bytes.buffer).setUint32(0, value, endian === 'little');
      return [...bytes];
    };
    const numbers = new Uint8Array(32);
    [10, 200, 5, 60].forEach((value, at) => {
      new DataView(numbers.buffer).setFloat64(8 * at, value, endian === 'little');
    });
    const name = (letters: string) => new DataView(new TextEncoder().encode(letters).buffer).getUint32(0);
    const head = [...word(name('IJIJ')), ...word(name('rang')), ...word(1), ...word(name('luts')), ...word(2)];
    const ramp = (color: readonly number[]) => color.flatMap((part) => Array.from({ length: 256 }, (_, at) => at * part));
    const metadata = [...head, ...numbers, ...ramp([0, 1, 0]), ...ramp([1, 0, 1])];
    const firstTags = [
      ...resolution,
      { tag: 50838, type: 4, values: [head.length, 32, 768, 768] },
      { tag: 50839, type: 1, values: metadata },
    ] as const;
    const file = describedTiff(stack, text(), planesInOrder(stack), { endian, firstTags });
    const volume = await openVolume(memorySource('stack.tif', file));
    expect(volume.info).toMatchObject({
      dims: [7, 5, 3, 8],
      spacing: [0.25, 0.25, 1.5, 0.5],
      spatialUnit: 'um',
      timeUnit: 's',
      channels: [
        { name: 'Channel 1', color: '#00ff00', window: [10, 200] },
        { name: 'Channel 2', color: '#ff00ff', window: [5, 60] },
      ],
    });
    expectSame(await readVoxels(volume), voxelsOfImage(stack));
  });

  test('a hyperstack with one directory and consecutive pictures', async () => {
    const voxels = Buffer.concat(planesInOrder(stack));
    // The pixels follow the header, and the directory follows all pixels.
    const firstTags = [
      { tag: 257, type: 4, values: [5] },
      { tag: 278, type: 4, values: [5] },
    ] as const;
    const file = describedTiff({ ...stack, sizes: [7, 5 * 24, 1, 1, 1] }, text(), [voxels], { tags: firstTags });
    const volume = await openVolume(memorySource('stack.tif', file));
    expect(volume.info.dims).toEqual([7, 5, 3, 8]);
    expectSame(await readVoxels(volume), voxelsOfImage(stack));
  });

  test('of one channel it is a stack of pictures, as is any other TIFF', async () => {
    const single: TestImage = { sizes: [7, 5, 3, 1, 2] };
    const imageJ = 'ImageJ=1.54f\nimages=6\nslices=3\nframes=2\nhyperstack=true\n';
    const volume = await openVolume(memorySource('a.tif', describedTiff(single, imageJ, planesInOrder(single))));
    expect(volume).toMatchObject({ format: 'tiff', info: { dims: [7, 5, 3, 2] } });
    const wrong = 'ImageJ=1.54f\nimages=6\nchannels=4\nslices=3\n';
    const other = await openVolume(memorySource('a.tif', describedTiff(single, wrong, planesInOrder(single))));
    expect(other).toMatchObject({ format: 'tiff', info: { dims: [7, 5, 6, 1] } });
  });
});
