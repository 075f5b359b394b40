import Zstd from 'numcodecs/zstd';
import { describe, expect, test } from 'vitest';
import { memorySink, memorySource } from '../../shared/bytes.ts';
import { faultOf, noise, readVoxels } from '../common/source-testing.ts';
import { encodeLosslessJpeg, encodeWith } from '../dicom/pixels/encoders-testing.ts';
import { openVolume } from '../open-volume.ts';
import { planPictures } from '../pictures/describe-pictures.ts';
import { createPictureWriter } from '../pictures/picture-writer.ts';
import { type TestTiff, tiffFile } from './tiff-testing.ts';

const read = async (bytes: Uint8Array) => readVoxels(await openVolume(memorySource('a.tif', bytes)));
const compression = (number: number) => ({ tag: 259, type: 3, values: [number] }) as const;
const zstd = Zstd.fromConfig({ id: 'zstd' } as never);
/** A file whose one block is stored as these bytes. */
const stored = (spec: TestTiff, pixels: Uint8Array, block: Uint8Array) => tiffFile({ ...spec, encode: () => block }, [pixels]);

describe('Zstandard', () => {
  const spec: TestTiff = { width: 60, height: 50, type: 'u16', tags: [compression(50000)] };
  const pixels = Uint8Array.from({ length: 6000 }, (_, at) => (at % 7) * (at >> 9));

  test('blocks', async () => {
    const block = await zstd.encode(pixels);
    expect(block.byteLength).toBeLessThan(1000);
    expect(await read(stored(spec, pixels, block))).toEqual(pixels);
  });

  test('a block that would be too long is refused before it is decoded', async () => {
    const bomb = await zstd.encode(new Uint8Array(2 ** 24));
    const fault = await faultOf(read(stored(spec, pixels, bomb)));
    expect(fault).toMatchObject({ tag: 'corrupt', message: expect.stringContaining('at most 71536 belong') });
  });

  test('truncated or changed anywhere, it is refused or gives pixels', async () => {
    const block = await zstd.encode(pixels);
    for (let at = 0; at < block.byteLength; at++) {
      expect(await faultOf(read(stored(spec, pixels, block.slice(0, at)))), `cut at ${at}`).toMatchObject({ tag: 'corrupt' });
      const changed = block.slice();
      changed[at] = (changed[at] as number) ^ 0x55;
      const fault = await faultOf(read(stored(spec, pixels, changed)));
      if (fault !== undefined && fault.tag !== 'corrupt') throw fault;
    }
    expect(await read(stored(spec, pixels, block))).toEqual(pixels);
  });

  test('is not decoded if it exceeds the memory limit', async () => {
    const block = await zstd.encode(pixels);
    const source = memorySource('a.tif', stored(spec, pixels, block));
    const fault = await faultOf(openVolume(source, { pictureMemory: 10_000 }).then(readVoxels));
    expect(fault).toMatchObject({ tag: 'unsupported', message: expect.stringContaining('a block of 60 × 50 pixels') });
  });
});

describe('JPEG', () => {
  const gray = { width: 32, height: 24, bits: 8, components: 1 };
  const ramp = Uint8Array.from({ length: 32 * 24 }, (_, at) => 4 * (at % 32) + 2 * Math.floor(at / 32));
  const spec: TestTiff = { width: 32, height: 24, type: 'u8', tags: [compression(7)] };

  test('gray, with its tables in the block or for all blocks', async () => {
    const stream = await encodeWith('jpeg', ramp, gray);
    const whole = await read(stored(spec, ramp, stream));
    expect(Math.max(...whole.map((value, at) => Math.abs(value - (ramp[at] as number))))).toBeLessThan(8);
    const { tables, rest } = withoutTables(stream);
    const tags = [compression(7), { tag: 347, type: 1, values: [...tables] } as const];
    expect(await faultOf(read(stored(spec, ramp, rest)))).toMatchObject({ tag: 'corrupt' });
    expect(await read(stored({ ...spec, tags }, ramp, rest))).toEqual(whole);
  });

  test('colours are RGB or YCbCr, as the TIFF file says', async () => {
    const red = Uint8Array.from({ length: 3 * 32 * 24 }, (_, at) => [200, 40, 60][at % 3] as number);
    const stream = await encodeWith('jpeg', red, { ...gray, components: 3 });
    const colors: TestTiff = { ...spec, channels: 3 };
    const read3 = async (photometric: number) => {
      const tags = [compression(7), { tag: 262, type: 3, values: [photometric] } as const];
      const planes = await read(stored({ ...colors, tags }, red, withoutMarkers(stream)));
      return [0, 1, 2].map((plane) => planes[plane * 32 * 24 + 100] as number);
    };
    const close = (values: readonly number[], wanted: readonly number[]) =>
      values.every((value, at) => Math.abs(value - (wanted[at] as number)) < 6);
    expect(close(await read3(6), [200, 40, 60])).toBe(true);
    // The same stream taken as RGB: luma and the colour differences.
    expect(close(await read3(2), [90, 111, 206])).toBe(true);
  });

  test('YCbCr is restored as the RGB that it was read as', async () => {
    const red = Uint8Array.from({ length: 3 * 32 * 24 }, (_, at) => [200, 40, 60][at % 3] as number);
    const stream = await encodeWith('jpeg', red, { ...gray, components: 3 });
    const tags = [compression(7), { tag: 262, type: 3, values: [6] }, { tag: 530, type: 3, values: [2, 2] }] as const;
    const bytes = stored({ ...spec, channels: 3, tags }, red, withoutMarkers(stream));
    const volume = await openVolume(memorySource('a.tif', bytes));
    const planes = await readVoxels(volume);
    const sink = memorySink();
    const plan = planPictures(volume.info, 'tiff', await volume.source());
    const writer = createPictureWriter(volume.info, plan, { open: async () => sink, close: (open) => open.close() });
    await writer.rows([0, 1, 2].map((plane) => planes.subarray(plane * 32 * 24, (plane + 1) * 32 * 24)));
    expect(await read(sink.bytes())).toEqual(planes);
  });

  test('lossless, of 12 bits, in both byte orders', async () => {
    const samples = new Uint16Array(noise(2 * 32 * 24).buffer).map((sample) => sample & 0xfff);
    const stream = encodeLosslessJpeg(samples, 32, 24, 12);
    for (const endian of ['little', 'big'] as const) {
      const bytes = new Uint8Array(samples.buffer);
      expect(await read(stored({ ...spec, type: 'u16', endian }, bytes, stream))).toEqual(bytes);
    }
  });

  test('a stream of another size is refused before it is decoded', async () => {
    const stream = await encodeWith('jpeg', new Uint8Array(64 * 64), { ...gray, width: 64, height: 64 });
    const fault = await faultOf(read(stored(spec, ramp, stream)));
    expect(fault).toMatchObject({ tag: 'corrupt', message: expect.stringContaining('64 × 64') });
  });

  test('truncated anywhere, it is refused or gives pixels', async () => {
    const stream = await encodeWith('jpeg', ramp, gray);
    for (let length = 0; length < stream.byteLength; length += 19) {
      const fault = await faultOf(read(stored(spec, ramp, stream.slice(0, length))));
      if (fault !== undefined && fault.tag !== 'corrupt') throw fault;
    }
  });
});

test('a missing block is blank, as slide scanners intend', async () => {
  const tags = [
    { tag: 324, type: 4, values: [0, 8] },
    { tag: 325, type: 4, values: [0, 256] },
  ] as const;
  const pixels = noise(20 * 16);
  const file = tiffFile({ width: 20, height: 16, type: 'u8', tile: [16, 16], tags }, [pixels]);
  const rows = await read(file);
  expect(rows.filter((_, at) => at % 20 < 16).every((value) => value === 0)).toBe(true);
  expect(rows.some((value) => value !== 0)).toBe(true);
});

/** The quantization and Huffman tables of a stream as a stream of their own, and the stream without them. */
function withoutTables(stream: Uint8Array) {
  const tables: Uint8Array[] = [Uint8Array.of(0xff, 0xd8)];
  const rest: Uint8Array[] = [Uint8Array.of(0xff, 0xd8)];
  for (const { marker, bytes } of segmentsOf(stream)) (marker === 0xdb || marker === 0xc4 ? tables : rest).push(bytes);
  return { tables: Buffer.concat([...tables, Uint8Array.of(0xff, 0xd9)]), rest: Buffer.concat(rest) };
}

/** A stream without JFIF's and Adobe's markers, which say what its colours are. */
function withoutMarkers(stream: Uint8Array) {
  const kept = segmentsOf(stream).filter(({ marker }) => marker !== 0xe0 && marker !== 0xee);
  return Buffer.concat([Uint8Array.of(0xff, 0xd8), ...kept.map(({ bytes }) => bytes)]);
}

/** The segments behind the start, the last one with all of the scan. */
function segmentsOf(stream: Uint8Array): { marker: number; bytes: Uint8Array }[] {
  const segments: { marker: number; bytes: Uint8Array }[] = [];
  for (let at = 2; at < stream.byteLength; ) {
    const marker = stream[at + 1] as number;
    const isScan = marker === 0xda;
    const end = isScan ? stream.byteLength : at + 2 + (((stream[at + 2] as number) << 8) | (stream[at + 3] as number));
    segments.push({ marker, bytes: stream.slice(at, end) });
    at = end;
  }
  return segments;
}
