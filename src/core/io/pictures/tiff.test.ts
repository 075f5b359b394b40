import fc from 'fast-check';
import { fromArrayBuffer } from 'geotiff';
import { describe, expect, test } from 'vitest';
import { type ByteSource, memorySink, memorySource } from '../../shared/bytes.ts';
import { elementBytes, elementTypes, type VolumeInfo, volumeBytes } from '../../shared/volume.ts';
import { faultOf, noise, readVoxels } from '../common/source-testing.ts';
import { openVolume } from '../open-volume.ts';
import { type TestTiff, tiffFile } from '../tiff/tiff-testing.ts';
import { describePictures, planPictures } from './describe-pictures.ts';
import { createPictureWriter } from './picture-writer.ts';

const source = (bytes: Uint8Array): ByteSource => memorySource('stack.tif', bytes);
const open = (bytes: Uint8Array) => openVolume(source(bytes));

/** Samples with runs and with noise, so that every compression has something to do. */
function samples(length: number, seed: number): Uint8Array {
  const bytes = noise(length, seed);
  for (let at = 0; at < length; at++) if (at % 97 < 40) bytes[at] = (at >> 7) & 255;
  return bytes;
}

function expectSame(actual: Uint8Array, expected: Uint8Array): void {
  expect(Buffer.compare(actual, expected)).toBe(0);
}

const specs: fc.Arbitrary<TestTiff> = fc
  .record({
    width: fc.integer({ min: 1, max: 70 }),
    height: fc.integer({ min: 1, max: 40 }),
    type: fc.constantFrom(...elementTypes),
    channels: fc.constantFrom(1, 1, 1, 2, 3, 4),
    endian: fc.constantFrom('little' as const, 'big' as const),
    isBig: fc.boolean(),
    compression: fc.constantFrom('none' as const, 'lzw' as const, 'deflate' as const, 'packbits' as const),
    isPlanar: fc.boolean(),
    tile: fc.option(fc.constantFrom([16, 16] as const, [32, 16] as const), { nil: undefined }),
    rowsPerStrip: fc.integer({ min: 1, max: 50 }),
    isPredicted: fc.boolean(),
  })
  .map(({ tile, isPredicted, ...rest }): TestTiff => {
    const canPredict = isPredicted && (rest.compression === 'lzw' || rest.compression === 'deflate');
    const predictor = canPredict ? (rest.type.startsWith('f') ? 3 : 2) : 1;
    return { ...rest, predictor, ...(tile === undefined ? {} : { tile }) };
  });

describe('reading', () => {
  test('every way of storing the samples gives the same samples', async () => {
    await fc.assert(
      fc.asyncProperty(specs, fc.integer({ min: 1, max: 3 }), async (spec, count) => {
        const { width, height, type, channels = 1 } = spec;
        const planeBytes = width * height * elementBytes(type);
        const pages = Array.from({ length: count }, (_, index) => samples(planeBytes * channels, index + 1));
        const volume = await open(tiffFile(spec, pages));
        expect(volume.info).toMatchObject({ dims: [width, height, count, channels], type });
        // The samples of a pixel are along t.
        const expected = Array.from({ length: channels }, (_, channel) =>
          pages.map((page) => page.subarray(channel * planeBytes, (channel + 1) * planeBytes)),
        ).flat();
        expectSame(await readVoxels(volume), Buffer.concat(expected));
      }),
      { numRuns: 150 },
    );
  });

  test('an independent reader also understands the files of these tests', async () => {
    const common = { width: 90, height: 50, endian: 'little' } as const;
    const kinds: readonly TestTiff[] = [
      { ...common, type: 'u8', compression: 'lzw' },
      { ...common, type: 'u8', compression: 'packbits', rowsPerStrip: 7 },
      { ...common, type: 'u16', compression: 'lzw', predictor: 2 },
      { ...common, type: 'i32', compression: 'deflate', predictor: 2, tile: [32, 16] },
      { ...common, type: 'f32', compression: 'lzw', predictor: 3 },
      { ...common, type: 'u16', isBig: true, rowsPerStrip: 9 },
    ];
    for (const spec of kinds) {
      const bytes = samples(90 * 50 * elementBytes(spec.type), 6);
      // The other reader converts floats, which changes some NaN; these samples have none.
      if (spec.type === 'f32') bytes.set(new Uint8Array(Float32Array.from({ length: 4500 }, (_, at) => Math.sin(at)).buffer));
      const image = await (await fromArrayBuffer(tiffFile(spec, [bytes]).slice().buffer as ArrayBuffer)).getImage();
      const raster = (await image.readRasters({ interleave: true })) as unknown as Uint8Array;
      expectSame(new Uint8Array(raster.buffer, raster.byteOffset, raster.byteLength), bytes);
      expectSame(await readVoxels(await open(tiffFile(spec, [bytes]))), bytes);
    }
  });

  test('LZW uses all code widths and resets its table', async () => {
    for (const bytes of [noise(60_000, 5), new Uint8Array(60_000), samples(60_000, 9)]) {
      const spec: TestTiff = { width: 300, height: 200, type: 'u8', compression: 'lzw' };
      expectSame(await readVoxels(await open(tiffFile(spec, [bytes]))), bytes);
    }
  });

  test('resolution, ImageJ’s unit and spacing, and its time points', async () => {
    const page = samples(12, 1);
    const resolution = (unit: number) => [
      { tag: 282, type: 5, values: [4, 1] } as const,
      { tag: 283, type: 5, values: [2, 1] } as const,
      { tag: 296, type: 3, values: [unit] } as const,
    ];
    const spec: TestTiff = { width: 4, height: 3, type: 'u8' };
    const at = async (tags: TestTiff['tags'], count = 1) =>
      (
        await open(
          tiffFile(
            { ...spec, tags: tags ?? [] },
            Array.from({ length: count }, () => page),
          ),
        )
      ).info;
    expect(await at([])).toMatchObject({ spatialUnit: 'unknown', spacing: [1, 1, 1, 1] });
    expect(await at(resolution(2))).toMatchObject({ spatialUnit: 'mm', spacing: [6.35, 12.7, 6.35, 1] });
    expect(await at(resolution(3))).toMatchObject({ spatialUnit: 'mm', spacing: [2.5, 5, 2.5, 1] });
    expect(await at(resolution(1))).toMatchObject({ spatialUnit: 'unknown', spacing: [0.25, 0.5, 0.25, 1] });
    const description = (text: string) => ({ tag: 270, type: 2, values: text }) as const;
    const imageJ = description('ImageJ=1.53t\nimages=6\nslices=3\nframes=2\nunit=micron\nspacing=1.5\nloop=false\n');
    expect(await at([description('other'), ...resolution(1)])).toMatchObject({ spatialUnit: 'unknown' });
    expect(await at([imageJ, ...resolution(1)], 6)).toMatchObject({
      dims: [4, 3, 3, 2],
      spatialUnit: 'um',
      spacing: [0.25, 0.5, 1.5, 1],
    });
    const timed = (text: string) => description(`ImageJ=1.53t\nimages=6\nslices=3\nframes=2\n${text}\n`);
    expect(await at([timed('finterval=2.5')], 6)).toMatchObject({ dims: [4, 3, 3, 2], spacing: [1, 1, 1, 2.5], timeUnit: 's' });
    expect(await at([timed('finterval=2.5\ntunit=min')], 6)).toMatchObject({ spacing: [1, 1, 1, 1], timeUnit: 'unknown' });
    // A description that does not match its pictures is ignored.
    expect(await at([imageJ], 5)).toMatchObject({ dims: [4, 3, 5, 1] });
    // ImageJ leaves out a spacing of 1, and has no code of TIFF for micrometres.
    const stackIn = (text: string) => description(`ImageJ=1.53t\nimages=3\nslices=3\n${text}\n`);
    expect((await at([stackIn('unit=micron'), ...resolution(1)], 3)).spacing).toEqual([0.25, 0.5, 1, 1]);
    expect(await at([stackIn('unit=nm\nspacing=30'), ...resolution(1)], 3)).toMatchObject({
      spatialUnit: 'um',
      spacing: [0.00025, 0.0005, 0.03, 1],
    });
    expect((await at([stackIn('unit=cm\nspacing=0.5'), ...resolution(3)], 3)).spacing).toEqual([2.5, 5, 5, 1]);
    expect((await at([stackIn('unit=inch\nspacing=0.5'), ...resolution(2)], 3)).spacing).toEqual([6.35, 12.7, 12.7, 1]);
  });

  test('ImageJ’s labels are restored in the byte order of the restored file', async () => {
    const letters = (text: string) => [...text].map((letter) => letter.charCodeAt(0));
    const metadata = [...letters('IJIJlabl'), 0, 0, 0, 1, ...letters('\0a\0b')];
    const tags = [
      { tag: 50838, type: 4, values: [12, 4] },
      { tag: 50839, type: 1, values: metadata },
    ] as const;
    const file = tiffFile({ width: 4, height: 3, type: 'u8', endian: 'big', tags }, [samples(12, 1)]);
    expect(Buffer.from(file).includes(Buffer.from(metadata))).toBe(true);
    const volume = await open(file);
    const sink = memorySink();
    const plan = planPictures(volume.info, 'tiff', await volume.source());
    const writer = createPictureWriter(volume.info, plan, { open: async () => sink, close: (open) => open.close() });
    await writer.rows([await readVoxels(volume)]);
    const little = [...letters('JIJIlbal'), 1, 0, 0, 0, ...letters('a\0b\0')];
    expect(Buffer.from(sink.bytes()).includes(Buffer.from(little))).toBe(true);
  });

  test('ImageJ’s linear calibration of whole numbers, with which it stores signed ones', async () => {
    const description = 'ImageJ=1.53t\nimages=1\ncf=0\nc0=-32768.0\nc1=1.0\nvunit=Gray Value\n';
    const tags = [{ tag: 270, type: 2, values: description } as const];
    const infoOf = async (type: 'u16' | 'f32') =>
      (await open(tiffFile({ width: 4, height: 3, type, tags }, [samples(12 * elementBytes(type), 1)]))).info;
    expect(await infoOf('u16')).toMatchObject({ slope: 1, intercept: -32768 });
    expect(await infoOf('f32')).toMatchObject({ slope: 1, intercept: 0 });
  });

  test('an ImageJ stack with one directory is read completely, if the file holds all of it', async () => {
    const voxels = samples(4 * 3 * 5 * 2, 3);
    const tags = [{ tag: 270, type: 2, values: 'ImageJ=1.53t\nimages=5\nslices=5\n' } as const];
    const file = tiffFile({ width: 4, height: 3, type: 'u16', tags }, [voxels.slice(0, 24)]);
    expect((await open(file)).info.dims).toEqual([4, 3, 1, 1]);
    // The first strip follows the header, at byte 8; then the other pictures, then the directory.
    const whole = tiffFile(
      {
        width: 4,
        height: 15,
        type: 'u16',
        tags: [...tags, { tag: 257, type: 4, values: [3] }, { tag: 278, type: 4, values: [3] }],
      },
      [voxels],
    );
    const volume = await open(whole);
    expect(volume.info.dims).toEqual([4, 3, 5, 1]);
    expectSame(await readVoxels(volume), voxels);
  });

  test.each([
    ['CMYK', 4, [], ['Cyan', 'Magenta', 'Yellow', 'Black']],
    ['CMYK with alpha', 5, [{ tag: 338, type: 3, values: [2] }], ['Cyan', 'Magenta', 'Yellow', 'Black', 'Alpha']],
    ['CMYK with a spot colour', 5, [{ tag: 338, type: 3, values: [0] }], ['Cyan', 'Magenta', 'Yellow', 'Black', 'Sample 5']],
    [
      'named inks',
      3,
      [
        { tag: 332, type: 3, values: [2] },
        { tag: 333, type: 2, values: 'Gold\0Silver' },
      ],
      ['Gold', 'Silver', 'Sample 3'],
    ],
  ] as const)('the channels of %s have the names of the inks, also when it is restored', async (_, channels, more, names) => {
    const page = samples(12 * channels, 1);
    const tags = [{ tag: 262, type: 3, values: [5] } as const, ...more];
    const volume = await open(tiffFile({ width: 4, height: 3, type: 'u8', channels, tags }, [page]));
    expect(volume.info.channels).toEqual(names.map((name) => ({ name })));
    const sink = memorySink();
    const plan = planPictures(volume.info, 'tiff', await volume.source());
    const writer = createPictureWriter(volume.info, plan, { open: async () => sink, close: (open) => open.close() });
    const voxels = await readVoxels(volume);
    await writer.rows(Array.from({ length: channels }, (_, channel) => voxels.subarray(12 * channel, 12 * (channel + 1))));
    const restored = await open(sink.bytes());
    expect(restored.info).toEqual(volume.info);
    expectSame(await readVoxels(restored), voxels);
    const { fileDirectory } = await (await fromArrayBuffer(sink.bytes().slice().buffer as ArrayBuffer)).getImage();
    expect(fileDirectory.hasTag('ExtraSamples')).toBe(more.some(({ tag }) => tag === 338));
  });

  test('thumbnails and masks are skipped', async () => {
    const page = samples(12, 1);
    const small = tiffFile({ width: 4, height: 3, type: 'u8', tags: [{ tag: 254, type: 4, values: [1] }] }, [page]);
    expect(await faultOf(open(small))).toMatchObject({ tag: 'corrupt' });
  });
});

describe('hostile files', () => {
  const spec: TestTiff = { width: 20, height: 10, type: 'u16', compression: 'deflate', rowsPerStrip: 4 };
  const page = samples(400, 1);
  const changed = (tags: TestTiff['tags'], base: TestTiff = spec) => tiffFile({ ...base, tags: tags ?? [] }, [page]);

  test.each([
    ['no width', [{ tag: 256, type: 3, values: [0] }], 'corrupt'],
    ['more pixels than the file can hold', [{ tag: 257, type: 4, values: [2 ** 31] }], 'corrupt'],
    ['too few strips', [{ tag: 278, type: 4, values: [1] }], 'corrupt'],
    ['strips behind the end', [{ tag: 273, type: 4, values: [8, 2 ** 31, 8] }], 'corrupt'],
    ['old JPEG', [{ tag: 259, type: 3, values: [6] }], 'unsupported'],
    ['JPEG that is none', [{ tag: 259, type: 3, values: [7] }], 'corrupt'],
    ['Zstandard that is none', [{ tag: 259, type: 3, values: [50000] }], 'corrupt'],
    ['an unknown compression', [{ tag: 259, type: 3, values: [999] }], 'unsupported'],
    ['12 bits', [{ tag: 258, type: 3, values: [12] }], 'unsupported'],
    ['no bits', [{ tag: 339, type: 3, values: [9] }], 'unsupported'],
    ['YCbCr', [{ tag: 262, type: 3, values: [6] }], 'unsupported'],
    ['reversed bits', [{ tag: 266, type: 3, values: [2] }], 'unsupported'],
    ['several slices in a picture', [{ tag: 32997, type: 4, values: [20] }], 'unsupported'],
    ['tiles of several slices', [{ tag: 32998, type: 4, values: [16] }], 'unsupported'],
    ['too many samples', [{ tag: 277, type: 3, values: [60_000] }], 'unsupported'],
    ['predictor 3 of whole numbers', [{ tag: 317, type: 3, values: [3] }], 'unsupported'],
    ['a width that is a text', [{ tag: 256, type: 2, values: 'wide' }], 'corrupt'],
  ] as const)('%s', async (_name, tags, tag) => {
    const fault = await faultOf(open(changed(tags)).then(readVoxels));
    expect(fault?.tag).toBe(tag);
  });

  test('circular directories', async () => {
    const file = tiffFile(spec, [page]);
    const view = new DataView(file.buffer);
    const directory = view.getUint32(4, true);
    view.setUint32(directory + 2 + 12 * view.getUint16(directory, true), directory, true);
    expect(await faultOf(open(file))).toMatchObject({ tag: 'corrupt' });
  });

  test('LZW, PackBits and deflate bombs stop at the block’s length', async () => {
    for (const compression of ['lzw', 'packbits', 'deflate'] as const) {
      const base: TestTiff = { width: 2000, height: 1000, type: 'u8', compression };
      const file = tiffFile({ ...base, tags: [{ tag: 257, type: 4, values: [10] }] }, [new Uint8Array(2_000_000)]);
      expectSame(await readVoxels(await open(file)), new Uint8Array(20_000));
    }
  });

  test('every truncation and many flipped bytes give a typed fault or samples', async () => {
    for (const compression of ['none', 'lzw', 'packbits', 'deflate'] as const) {
      const file = tiffFile({ ...spec, compression, predictor: compression === 'lzw' ? 2 : 1 }, [page, page]);
      for (let length = 0; length < file.byteLength; length += 13) {
        const fault = await faultOf(openVolume(source(file.slice(0, length))).then(readVoxels));
        expect(fault === undefined || ['corrupt', 'unsupported'].includes(fault.tag), fault?.message).toBe(true);
      }
      for (let at = 0; at < file.byteLength; at += 7) {
        const flipped = file.slice();
        flipped[at] = (flipped[at] as number) ^ 0x5a;
        const fault = await faultOf(openVolume(source(flipped)).then(readVoxels));
        const tags = ['corrupt', 'unsupported', 'invalid-input'];
        expect(fault === undefined || tags.includes(fault.tag), `byte ${at}: ${fault?.message}`).toBe(true);
      }
    }
  });

  test('a cancelled job ends', async () => {
    const volume = await open(tiffFile(spec, [page, page]));
    const work = (async () => {
      for await (const piece of volume.voxels({ signal: AbortSignal.abort() })) expect(piece).toBeUndefined();
    })();
    expect(await faultOf(work)).toMatchObject({ tag: 'aborted' });
  });
});

describe('writing', () => {
  const base: VolumeInfo = {
    dims: [7, 5, 3, 2],
    type: 'u16',
    spacing: [0.325, 0.5, 2, 1],
    spatialUnit: 'um',
    timeUnit: 'unknown',
    affine: [0.325, 0, 0, 0, 0, 0.5, 0, 0, 0, 0, 2, 0],
    slope: 1,
    intercept: 0,
  };

  async function write(info: VolumeInfo, voxels: Uint8Array): Promise<Uint8Array> {
    const description = describePictures(info, 'tiff', 'scan', undefined);
    const sink = memorySink();
    const plan = planPictures(info, 'tiff', description);
    expect(plan.files).toEqual(['scan.tif']);
    const writer = createPictureWriter(info, plan, { open: async () => sink, close: (open) => open.close() });
    const planeBytes = info.dims[0] * info.dims[1] * elementBytes(info.type);
    for (let at = 0; at < voxels.byteLength; at += planeBytes) await writer.rows([voxels.subarray(at, at + planeBytes)]);
    return sink.bytes();
  }

  test.each(elementTypes)('%s volumes keep their dims and spacing', async (type) => {
    const info = { ...base, type };
    const voxels = samples(volumeBytes(info), 4);
    const volume = await open(await write(info, voxels));
    expect(volume.info).toEqual(info);
    expectSame(await readVoxels(volume), voxels);
  });

  test('time points keep their distance, in seconds', async () => {
    const inUnit = async (timeUnit: VolumeInfo['timeUnit'], step: number, more: Partial<VolumeInfo> = {}) => {
      const info = { ...base, timeUnit, spacing: [0.325, 0.5, 2, step] as const, ...more };
      const { spacing, timeUnit: unit } = (await open(await write(info, samples(volumeBytes(info), 4)))).info;
      return [spacing[3], unit];
    };
    expect(await inUnit('s', 2.5)).toEqual([2.5, 's']);
    expect(await inUnit('ms', 40)).toEqual([0.04, 's']);
    expect(await inUnit('unknown', 7)).toEqual([1, 'unknown']);
    expect(await inUnit('s', 2.5, { channels: [{ name: 'a' }, { name: 'b' }] })).toEqual([1, 'unknown']);
  });

  test.each(elementTypes)('an independent reader understands %s', async (type) => {
    const info = { ...base, type };
    const voxels = samples(volumeBytes(info), 4);
    const file = await write(info, voxels);
    const tiff = await fromArrayBuffer(file.slice().buffer as ArrayBuffer);
    expect(await tiff.getImageCount()).toBe(6);
    const planeBytes = 35 * elementBytes(type);
    for (let index = 0; index < 6; index++) {
      const image = await tiff.getImage(index);
      const raster = (await image.readRasters({ interleave: true })) as unknown as Uint8Array;
      const bytes = new Uint8Array(raster.buffer, raster.byteOffset, raster.byteLength);
      expectSame(bytes, voxels.subarray(index * planeBytes, (index + 1) * planeBytes));
    }
  });
});
