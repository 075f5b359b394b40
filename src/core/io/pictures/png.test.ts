import fc from 'fast-check';
import { decode, encode } from 'fast-png';
import { zlibSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { memorySink, memorySource } from '../../shared/bytes.ts';
import type { VolumeInfo } from '../../shared/volume.ts';
import { joinBytes } from '../byte-stream.ts';
import { openVolume } from '../open-volume.ts';
import { faultOf, noise, readVoxels } from '../testing.ts';
import { describePictures, planPictures } from './describe-pictures.ts';
import { toPlanes } from './picture.ts';
import { parsePictureTable } from './picture-table.ts';
import { createPictureWriter } from './picture-writer.ts';
import { encodePngChunk, pngChunks, pngSignature } from './png-chunks.ts';

const open = (bytes: Uint8Array, name = 'frame.png') => openVolume(memorySource(name, bytes));

/** IHDR of a picture that is as hostile as a test wants it. */
function header(width: number, height: number, bitDepth: number, colourType: number, interlace = 0): Uint8Array {
  const view = new DataView(new ArrayBuffer(13));
  view.setUint32(0, width);
  view.setUint32(4, height);
  [bitDepth, colourType, 0, 0, interlace].forEach((value, index) => {
    view.setUint8(8 + index, value);
  });
  return encodePngChunk('IHDR', new Uint8Array(view.buffer));
}

function png(...chunks: readonly Uint8Array[]): Uint8Array {
  return joinBytes([pngSignature, ...chunks, encodePngChunk('IEND', new Uint8Array())]);
}

const pixels = (raw: Uint8Array) => encodePngChunk('IDAT', zlibSync(raw));

describe('reading', () => {
  const pictures = fc.record({
    width: fc.integer({ min: 1, max: 40 }),
    height: fc.integer({ min: 1, max: 30 }),
    channels: fc.constantFrom(1, 2, 3, 4),
    depth: fc.constantFrom(8 as const, 16 as const),
    interlace: fc.constantFrom('null' as const, 'Adam7' as const),
    seed: fc.nat(),
  });

  test('gray, RGB, with and without alpha, of 8 and 16 bits, interlaced or not', async () => {
    await fc.assert(
      fc.asyncProperty(pictures, async ({ width, height, channels, depth, interlace, seed }) => {
        const bytes = noise((width * height * channels * depth) / 8, seed);
        const data = depth === 16 ? new Uint16Array(bytes.buffer) : bytes;
        const volume = await open(encode({ width, height, channels, depth, data }, { interlace }));
        expect(volume.info).toMatchObject({ dims: [width, height, 1, channels], type: depth === 16 ? 'u16' : 'u8' });
        expect(Buffer.compare(await readVoxels(volume), toPlanes(bytes.slice(), channels, depth === 16 ? 2 : 1))).toBe(0);
      }),
      { numRuns: 100 },
    );
  });

  test.each([1, 2, 4] as const)('gray of %i bits comes as one byte a sample', async (depth) => {
    // Two rows of 5 samples: 0, 1, … modulo what fits. Rows start on whole bytes.
    const sample = (x: number, y: number) => (x + y) % (1 << depth);
    const row = (y: number) => {
      const bits = Array.from({ length: 5 }, (_, x) => sample(x, y).toString(2).padStart(depth, '0')).join('');
      const padded = bits.padEnd(Math.ceil(bits.length / 8) * 8, '0');
      return Uint8Array.from([0, ...(padded.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2))]);
    };
    const volume = await open(png(header(5, 2, depth, 0), pixels(joinBytes([row(0), row(1)]))));
    expect(volume.info).toMatchObject({ dims: [5, 2, 1, 1], type: 'u8' });
    expect([...(await readVoxels(volume))]).toEqual([0, 1].flatMap((y) => [0, 1, 2, 3, 4].map((x) => sample(x, y))));
  });

  test('a palette is spelled out', async () => {
    const palette = encodePngChunk('PLTE', Uint8Array.of(10, 20, 30, 40, 50, 60, 70, 80, 90));
    const raw = pixels(Uint8Array.of(0, 0b00_01_10_00));
    const rgb = await open(png(header(3, 1, 2, 3), palette, raw));
    expect([...(await readVoxels(rgb))]).toEqual([10, 40, 70, 20, 50, 80, 30, 60, 90]);
    const clear = await open(png(header(3, 1, 2, 3), palette, encodePngChunk('tRNS', Uint8Array.of(5)), raw));
    expect(clear.info.dims).toEqual([3, 1, 1, 4]);
    expect([...(await readVoxels(clear))].slice(9)).toEqual([5, 255, 255]);
    const short = png(header(3, 1, 2, 3), encodePngChunk('PLTE', Uint8Array.of(1, 2, 3)), raw);
    expect(await faultOf(open(short).then(readVoxels))).toMatchObject({ tag: 'corrupt' });
  });

  test('pHYs is spacing, and metadata are kept', async () => {
    const physical = encodePngChunk('pHYs', Uint8Array.of(0, 0, 7, 208, 0, 0, 3, 232, 1));
    const text = encodePngChunk('tEXt', new TextEncoder().encode('Title\0a test'));
    const volume = await open(png(header(1, 1, 8, 0), physical, pixels(Uint8Array.of(0, 7)), text));
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
    ['no pixels at all', png(header(4, 4, 8, 0)), 'corrupt'],
    ['sides of zero', png(header(0, 4, 8, 0), pixels(Uint8Array.of(0))), 'corrupt'],
    ['more pixels than the file can hold', png(header(2 ** 31 - 1, 2 ** 31 - 1, 16, 6), pixels(Uint8Array.of(0))), 'corrupt'],
    ['fewer pixels than promised', png(header(4, 4, 8, 0), pixels(new Uint8Array(10))), 'corrupt'],
    ['a bomb behind a small header', png(header(4, 4, 8, 0), pixels(new Uint8Array(30_000_000))), 'corrupt'],
    ['an unknown filter', png(header(1, 1, 8, 0), pixels(Uint8Array.of(9, 1))), 'corrupt'],
    ['a colour type of its own', png(header(1, 1, 8, 1), pixels(Uint8Array.of(0, 1))), 'corrupt'],
    ['16-bit palette', png(header(1, 1, 16, 3), pixels(Uint8Array.of(0, 1, 1))), 'corrupt'],
    ['no palette', png(header(1, 1, 8, 3), pixels(Uint8Array.of(0, 1))), 'corrupt'],
    ['a broken zlib stream', png(header(1, 1, 8, 0), encodePngChunk('IDAT', Uint8Array.of(1, 2, 3, 4))), 'corrupt'],
    ['interlacing of few bits', png(header(4, 4, 1, 0, 1), pixels(new Uint8Array(20))), 'unsupported'],
    [
      'an animation',
      png(header(1, 1, 8, 0), encodePngChunk('acTL', new Uint8Array(8)), pixels(Uint8Array.of(0, 1))),
      'unsupported',
    ],
    [
      'a colour profile that is a bomb is never unpacked',
      png(
        header(1, 1, 8, 0),
        encodePngChunk('iCCP', joinBytes([Uint8Array.of(65, 0, 0), zlibSync(new Uint8Array(9e6))])),
        pixels(Uint8Array.of(0, 1)),
      ),
      undefined,
    ],
  ])('%s', async (_name, bytes, tag) => {
    expect((await faultOf(open(bytes).then(readVoxels)))?.tag).toBe(tag);
  });

  test('every truncation and every flipped byte is found', async () => {
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
    for (const at of [0, planeBytes]) await writer.write([voxels.subarray(at, at + planeBytes)]);
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

  test.each(['i8', 'i16', 'u32', 'i32', 'f32', 'f64'] as const)('%s is refused with advice', async (type) => {
    expect(() => describePictures({ ...info, type }, 'png', 'scan', undefined)).toThrow(/--to tiff/);
  });
});
