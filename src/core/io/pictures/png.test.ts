import fc from 'fast-check';
import { decode, encode } from 'fast-png';
import { zlibSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { memorySink, memorySource } from '../../shared/bytes.ts';
import { StriaError } from '../../shared/errors.ts';
import type { VolumeInfo } from '../../shared/volume.ts';
import { joinBytes } from '../common/byte-stream.ts';
import { faultOf, noise, readVoxels } from '../common/source-testing.ts';
import { openVolume } from '../open-volume.ts';
import { describePictures, planPictures } from './describe-pictures.ts';
import { type PictureEntry, parsePictureTable } from './picture-table.ts';
import { createPictureWriter } from './picture-writer.ts';
import { encodePngChunk, pngChunks } from './png-chunks.ts';
import { pngFile, pngHeader, pngOf, pngPixels, storedSamples } from './png-testing.ts';
import { PngWriter } from './png-writer.ts';

const open = (bytes: Uint8Array, name = 'frame.png') => openVolume(memorySource(name, bytes));

describe('reading', () => {
  const kinds = [0, 2, 3, 4, 6].flatMap(
    (colourType) =>
      ({ 0: [1, 2, 4, 8, 16], 3: [1, 2, 4, 8] })[colourType as 0 | 3]?.map((bitDepth) => ({ colourType, bitDepth })) ??
      [8, 16].map((bitDepth) => ({ colourType, bitDepth })),
  );
  const specs = fc.record({
    kind: fc.constantFrom(...kinds),
    width: fc.integer({ min: 1, max: 40 }),
    height: fc.integer({ min: 1, max: 30 }),
    isInterlaced: fc.boolean(),
    chunkBytes: fc.constantFrom(1, 7, 1000),
    seed: fc.nat(),
  });

  test('all colour types and depths, with all filters, interlaced or not', async () => {
    const palette = noise(768, 5);
    await fc.assert(
      fc.asyncProperty(specs, async ({ kind, seed, ...size }) => {
        const { colourType, bitDepth } = kind;
        const inPixel = storedSamples[colourType] as number;
        const count = size.width * size.height * inPixel;
        const random = noise(2 * count, seed);
        const samples = Array.from(
          { length: count },
          (_, at) => ((random[2 * at] as number) * 256 + (random[2 * at + 1] as number)) >> (16 - bitDepth),
        );
        const chunks = colourType === 3 ? [encodePngChunk('PLTE', palette)] : [];
        const volume = await open(pngFile({ ...size, ...kind, chunks }, samples));
        const channels = colourType === 3 ? 3 : inPixel;
        const type = bitDepth === 16 ? 'u16' : 'u8';
        expect(volume.info).toMatchObject({ dims: [size.width, size.height, 1, channels], type });
        const pixelCount = size.width * size.height;
        const planes = Array.from({ length: channels * pixelCount }, (_, at) => {
          const [channel, pixel] = [Math.floor(at / pixelCount), at % pixelCount];
          const sample = samples[colourType === 3 ? pixel : pixel * channels + channel] as number;
          return colourType === 3 ? (palette[3 * sample + channel] as number) : sample;
        });
        const expected = type === 'u16' ? new Uint8Array(Uint16Array.from(planes).buffer) : Uint8Array.from(planes);
        expect(Buffer.compare(await readVoxels(volume), expected)).toBe(0);
      }),
      { numRuns: 300 },
    );
  });

  test('files of an independent writer', async () => {
    for (const channels of [1, 2, 3, 4] as const) {
      for (const interlace of ['null', 'Adam7'] as const) {
        const data = noise(23 * 17 * channels, channels);
        const volume = await open(encode({ width: 23, height: 17, channels, depth: 8, data }, { interlace }));
        const planes = Array.from({ length: channels }, (_, channel) => data.filter((_, at) => at % channels === channel));
        expect(Buffer.compare(await readVoxels(volume), Buffer.concat(planes))).toBe(0);
      }
    }
  });

  test('a large picture is read once per channel, a small one only once', async () => {
    const read = async (side: number) => {
      const raw = new Uint8Array((1 + side * 4) * side);
      const bytes = pngOf(pngHeader(side, side, 8, 6), pngPixels(raw));
      let count = 0;
      const source = memorySource('a.png', bytes);
      const counted = { ...source, read: (at: number, length: number) => source.read(at, length, {}) };
      counted.read = (at, length) => {
        count += length;
        return source.read(at, length);
      };
      for await (const piece of (await openVolume(counted)).voxels()) expect(piece.byteLength).toBeLessThanOrEqual(2 ** 22);
      return count / bytes.byteLength;
    };
    expect(await read(64)).toBeLessThan(4);
    expect(await read(4200)).toBeGreaterThan(4);
  });

  test('a palette is expanded', async () => {
    const palette = encodePngChunk('PLTE', Uint8Array.of(10, 20, 30, 40, 50, 60, 70, 80, 90));
    const raw = pngPixels(Uint8Array.of(0, 0b00_01_10_00));
    const rgb = await open(pngOf(pngHeader(3, 1, 2, 3), palette, raw));
    expect([...(await readVoxels(rgb))]).toEqual([10, 40, 70, 20, 50, 80, 30, 60, 90]);
    const clear = await open(pngOf(pngHeader(3, 1, 2, 3), palette, encodePngChunk('tRNS', Uint8Array.of(5)), raw));
    expect(clear.info.dims).toEqual([3, 1, 1, 4]);
    expect([...(await readVoxels(clear))].slice(9)).toEqual([5, 255, 255]);
    const short = pngOf(pngHeader(3, 1, 2, 3), encodePngChunk('PLTE', Uint8Array.of(1, 2, 3)), raw);
    expect(await faultOf(open(short).then(readVoxels))).toMatchObject({ tag: 'corrupt' });
  });

  test('animation chunks after the pixels do not make an animation, and are not kept', async () => {
    const animation = ['acTL', 'fcTL', 'fdAT'].map((type) => encodePngChunk(type, new Uint8Array(8)));
    const volume = await open(pngOf(pngHeader(1, 1, 8, 0), pngPixels(Uint8Array.of(0, 7)), ...animation));
    expect([...(await readVoxels(volume))]).toEqual([7]);
    const table = parsePictureTable((await volume.source()).parts[0]?.before ?? new Uint8Array());
    expect(table.pages[0]?.extra.byteLength).toBe(0);
  });

  test('pHYs is spacing, and metadata are kept', async () => {
    const physical = encodePngChunk('pHYs', Uint8Array.of(0, 0, 7, 208, 0, 0, 3, 232, 1));
    const text = encodePngChunk('tEXt', new TextEncoder().encode('Title\0a test'));
    const volume = await open(pngOf(pngHeader(1, 1, 8, 0), physical, pngPixels(Uint8Array.of(0, 7)), text));
    expect(volume.info).toMatchObject({ spatialUnit: 'mm', spacing: [0.5, 1, 0.5, 1] });
    const source = await volume.source();
    const table = parsePictureTable(source.parts[0]?.before ?? new Uint8Array());
    expect(table).toMatchObject({ channels: 1, bits: 8 });
    expect(table.pages).toEqual([{ name: 'frame.png', extra: joinBytes([physical, text]) }]);
  });
});

describe('hostile files', () => {
  const good = encode({ width: 20, height: 10, channels: 1, depth: 8, data: noise(200) });

  test.each([
    ['no pixels at all', pngOf(pngHeader(4, 4, 8, 0)), 'corrupt'],
    ['sides of zero', pngOf(pngHeader(0, 4, 8, 0), pngPixels(Uint8Array.of(0))), 'corrupt'],
    [
      'more pixels than the file can hold',
      pngOf(pngHeader(2 ** 31 - 1, 2 ** 31 - 1, 16, 6), pngPixels(Uint8Array.of(0))),
      'corrupt',
    ],
    ['fewer pixels than promised', pngOf(pngHeader(4, 4, 8, 0), pngPixels(new Uint8Array(10))), 'corrupt'],
    ['a bomb behind a small header', pngOf(pngHeader(4, 4, 8, 0), pngPixels(new Uint8Array(30_000_000))), 'corrupt'],
    ['an unknown filter', pngOf(pngHeader(1, 1, 8, 0), pngPixels(Uint8Array.of(9, 1))), 'corrupt'],
    ['a colour type of its own', pngOf(pngHeader(1, 1, 8, 1), pngPixels(Uint8Array.of(0, 1))), 'corrupt'],
    ['16-bit palette', pngOf(pngHeader(1, 1, 16, 3), pngPixels(Uint8Array.of(0, 1, 1))), 'corrupt'],
    ['no palette', pngOf(pngHeader(1, 1, 8, 3), pngPixels(Uint8Array.of(0, 1))), 'corrupt'],
    ['a broken zlib stream', pngOf(pngHeader(1, 1, 8, 0), encodePngChunk('IDAT', Uint8Array.of(1, 2, 3, 4))), 'corrupt'],
    [
      'an animation',
      pngOf(pngHeader(1, 1, 8, 0), encodePngChunk('acTL', new Uint8Array(8)), pngPixels(Uint8Array.of(0, 1))),
      'unsupported',
    ],
    [
      'a colour profile that is a bomb is never unpacked',
      pngOf(
        pngHeader(1, 1, 8, 0),
        encodePngChunk('iCCP', joinBytes([Uint8Array.of(65, 0, 0), zlibSync(new Uint8Array(9e6))])),
        pngPixels(Uint8Array.of(0, 1)),
      ),
      undefined,
    ],
  ])('%s', async (_name, bytes, tag) => {
    expect((await faultOf(open(bytes).then(readVoxels)))?.tag).toBe(tag);
  });

  test('every truncation and every flipped byte is detected', async () => {
    for (let length = 0; length < good.byteLength; length++) {
      const fault = await faultOf(open(good.slice(0, length)).then(readVoxels));
      expect(['corrupt', 'unsupported'], `${length} bytes`).toContain(fault?.tag);
    }
    for (let at = 8; at < good.byteLength; at++) {
      const flipped = good.slice();
      flipped[at] = (flipped[at] as number) ^ 0x10;
      expect(await faultOf(open(flipped).then(readVoxels)), `byte ${at}`).toMatchObject({
        tag: expect.stringMatching(/corrupt|unsupported/),
      });
    }
  });
});

describe('writing', () => {
  const info: VolumeInfo = {
    dims: [6, 4, 2, 1],
    type: 'u8',
    spacing: [0.5, 0.25, 1, 1],
    spatialUnit: 'mm',
    timeUnit: 'unknown',
    affine: [0.5, 0, 0, 0, 0, 0.25, 0, 0, 0, 0, 1, 0],
    slope: 1,
    intercept: 0,
  };

  test.each(['u8', 'u16'] as const)('%s: an independent reader and Stria’s own find the samples', async (type) => {
    const volume = { ...info, type };
    const planeBytes = type === 'u16' ? 48 : 24;
    const voxels = noise(2 * planeBytes, 3);
    const plan = planPictures(volume, 'png', describePictures(volume, 'png', 'scan', undefined));
    expect(plan.files).toEqual(['scan-0001.png', 'scan-0002.png']);
    const files = new Map<string, ReturnType<typeof memorySink>>();
    const writer = createPictureWriter(volume, plan, {
      open: async (name) => {
        const sink = memorySink();
        files.set(name, sink);
        return sink;
      },
      close: (sink) => sink.close(),
    });
    for (const at of [0, planeBytes]) await writer.rows([voxels.subarray(at, at + planeBytes)]);
    for (const [index, sink] of [...files.values()].entries()) {
      const expected = voxels.slice(index * planeBytes, (index + 1) * planeBytes);
      const { data, resolution } = decode(sink.bytes());
      expect(new Uint8Array(data.buffer, data.byteOffset, data.byteLength)).toEqual(expected);
      expect(resolution).toEqual({ x: 2000, y: 4000, unit: 1 });
      const back = await open(sink.bytes());
      expect(back.info.spacing.slice(0, 2)).toEqual([0.5, 0.25]);
      expect(await readVoxels(back)).toEqual(expected);
      expect([...pngChunks(sink.bytes())].map((chunk) => chunk.type)).toEqual(['IHDR', 'pHYs', 'IDAT', 'IEND']);
    }
  });

  test('a forged table cannot make a still picture an animation', async () => {
    const extra = joinBytes([encodePngChunk('acTL', new Uint8Array(8)), encodePngChunk('tIME', new Uint8Array(7))]);
    const sink = memorySink();
    const table = { channels: 1, bits: 8, pages: [{ name: 'a.png', extra }] };
    const writer = new PngWriter({ ...info, dims: [2, 1, 1, 1] }, table, { name: 'a.png', extra }, sink.write);
    await writer.rows([Uint8Array.of(1, 2)]);
    await writer.end();
    expect([...pngChunks(sink.bytes())].map((chunk) => chunk.type)).toEqual(['IHDR', 'tIME', 'IDAT', 'IEND']);
  });

  test('a fault of the sink ends the writing', async () => {
    const table = { channels: 1, bits: 8, pages: [{ name: '', extra: new Uint8Array() }] };
    const full = async () => {
      throw new StriaError('not-writable', 'the disk is full');
    };
    const side = 2000;
    const work = async () => {
      const writer = new PngWriter({ ...info, dims: [side, side, 1, 1] }, table, table.pages[0] as PictureEntry, full);
      await writer.rows([noise(side * side)]);
      await writer.end();
    };
    expect(await faultOf(work())).toMatchObject({ tag: 'not-writable' });
    // The header is written; the compressed pixels are not.
    let writes = 0;
    const laterFull = async () => {
      if (++writes > 1) await full();
    };
    const later = async () => {
      const writer = new PngWriter({ ...info, dims: [side, side, 1, 1] }, table, table.pages[0] as PictureEntry, laterFull);
      await writer.rows([noise(side * side)]);
      await writer.end();
    };
    expect(await faultOf(later())).toMatchObject({ tag: 'not-writable' });
  });

  test.each(['i8', 'i16', 'u32', 'i32', 'f32', 'f64'] as const)('%s is refused with advice', async (type) => {
    expect(() => describePictures({ ...info, type }, 'png', 'scan', undefined)).toThrow(/--to tiff/);
  });
});
