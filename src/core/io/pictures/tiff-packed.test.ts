import { zlibSync } from 'fflate';
import { fromArrayBuffer } from 'geotiff';
import { expect, test } from 'vitest';
import { type ByteSource, memorySink, memorySource } from '../../shared/bytes.ts';
import { floatsOfHalves, halvesOfFloats } from '../../shared/stored-voxels.ts';
import { type Endian, elementBytes, swapBytes } from '../../shared/volume.ts';
import { faultOf, noise, readVoxels } from '../common/source-testing.ts';
import type { OpenVolume } from '../common/volume-reader.ts';
import { openVolume } from '../open-volume.ts';
import { ownLabels } from '../own-labels.ts';
import { readDirectory, readNumbers, readTiffHeader } from '../tiff/tiff-directory.ts';
import { type TestTiff, tiffFile } from '../tiff/tiff-testing.ts';
import { planPictures } from './describe-pictures.ts';
import { createPictureWriter } from './picture-writer.ts';

const source = (bytes: Uint8Array): ByteSource => memorySource('stack.tif', bytes);
const open = (bytes: Uint8Array) => openVolume(source(bytes));

function expectSame(actual: Uint8Array, expected: Uint8Array): void {
  expect(Buffer.compare(actual, expected)).toBe(0);
}

/** The file that a volume's description restores. */
async function restored(volume: OpenVolume): Promise<Uint8Array> {
  const voxels = await readVoxels(volume);
  const sink = memorySink();
  const plan = planPictures(volume.info, 'tiff', await volume.source());
  const writer = createPictureWriter(volume.info, plan, { open: async () => sink, close: (open) => open.close() });
  const [width, height] = volume.info.dims;
  const pictureBytes = width * height * elementBytes(volume.info.type);
  for (let at = 0; at < voxels.byteLength; at += pictureBytes) await writer.rows([voxels.subarray(at, at + pictureBytes)]);
  return sink.bytes();
}

/** The first number of a tag of the first picture. */
async function tagOf(file: Uint8Array, tag: number): Promise<number | undefined> {
  const tiff = await readTiffHeader(source(file), {});
  const found = (await readDirectory(tiff, tiff.firstDirectory, {})).tags.get(tag);
  return found && (await readNumbers(tiff, found, {}))[0];
}

test('half floats become f32, and are restored as half floats', async () => {
  const [width, height] = [37, 11];
  const halves = noise(2 * width * height, 4);
  const expected = floatsOfHalves(halves);
  const bits = { tag: 258, type: 3, values: [16] } as const;
  for (const endian of ['little', 'big'] as const) {
    for (const blocks of [
      { rowsPerStrip: 4 },
      { tile: [16, 16] as const },
      { rowsPerStrip: 11, compression: 'deflate' as const },
    ]) {
      const encode = (block: Uint8Array) => {
        const stored = halvesOfFloats(block);
        if (endian === 'big') swapBytes(stored, 2);
        return 'compression' in blocks ? zlibSync(stored) : stored;
      };
      const volume = await open(tiffFile({ width, height, type: 'f32', endian, ...blocks, tags: [bits], encode }, [expected]));
      expect(volume.info).toMatchObject({ dims: [width, height, 1, 1], type: 'f32' });
      expectSame(await readVoxels(volume), expected);
      const written = await restored(volume);
      expect(await tagOf(written, 258)).toBe(16);
      expectSame(await readVoxels(await open(written)), expected);
    }
  }
  // Predictor 3 sorts the two bytes of each half.
  const row = Uint8Array.of(0x3c, 0x04, 0xc0, 0x00);
  const predicted = { tag: 317, type: 3, values: [3] } as const;
  const two = { width: 2, height: 1, type: 'f32', compression: 'deflate', tags: [bits, predicted] } as const;
  const volume = await open(tiffFile({ ...two, encode: () => zlibSync(row) }, [new Uint8Array(8)]));
  expect([...new Float32Array((await readVoxels(volume)).slice().buffer)]).toEqual([1, 2]);
});

/** 64-bit integers in the byte order of a file. */
function longs(values: readonly (number | bigint)[], endian: Endian = 'little'): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(BigInt64Array.from(values, BigInt).buffer);
  if (endian === 'big') swapBytes(bytes, 8);
  return bytes;
}

const wideBits = { tag: 258, type: 3, values: [64] } as const;
const [width, height] = [37, 11];
const wholeNumbers = Array.from({ length: width * height }, (_, index) => (index % 5 === 0 ? -1 : 1) * index * 5_000_000);

test.each(['little', 'big'] as const)('%s-endian integers of 64 bits become those of 32, and are restored', async (endian) => {
  for (const [type, as] of [
    ['i32', 'i64'],
    ['u32', 'u64'],
  ] as const) {
    const values = type === 'i32' ? wholeNumbers : wholeNumbers.map((value) => value >>> 0);
    const expected = new Uint8Array((type === 'i32' ? Int32Array : Uint32Array).from(values).buffer);
    /** Rows of 32 bits, where those of tiles have padding that no 32 bits hold. */
    const wide = (block: Uint8Array) => [...new (type === 'i32' ? Int32Array : Uint32Array)(block.slice().buffer)];
    for (const blocks of [{ rowsPerStrip: 4 }, { rowsPerStrip: 11, compression: 'deflate' as const }]) {
      const encode = (block: Uint8Array) => {
        const stored = longs(wide(block), endian);
        return 'compression' in blocks ? zlibSync(stored) : stored;
      };
      const bytes = tiffFile({ width, height, type, endian, ...blocks, tags: [wideBits], encode }, [expected]);
      const volume = await open(bytes);
      expect(volume).toMatchObject({ info: { dims: [width, height, 1, 1], type }, sampleForm: as });
      expectSame(await readVoxels(volume), expected);
      const written = await restored(volume);
      expect(await tagOf(written, 258)).toBe(64);
      expectSame(await readVoxels(await open(written)), expected);
      expect(Buffer.from(written).includes(Buffer.from(longs(values)))).toBe(true);
    }
  }
});

test('integers of 64 bits in tiles, with a predictor, and with values that do not fit', async () => {
  const expected = new Uint8Array(Int32Array.from(wholeNumbers).buffer);
  const tile = [16, 16] as const;
  const untiled = (block: Uint8Array) => {
    const values = [...new Int32Array(block.slice().buffer)].map(BigInt);
    // The last tile of a row has 5 columns of the picture.
    const isLast = values.every((value, at) => at % 16 < 5 || value === 0n);
    return longs(values.map((value, at) => (isLast && at % 16 >= 5 ? 2n ** 40n : value)));
  };
  const tiled = await open(tiffFile({ width, height, type: 'i32', tile, tags: [wideBits], encode: untiled }, [expected]));
  expectSame(await readVoxels(tiled), expected);

  const differences = (block: Uint8Array) => {
    const values = [...new Int32Array(block.slice().buffer)].map(BigInt);
    return zlibSync(longs(values.map((value, at) => (at % width === 0 ? value : value - (values[at - 1] as bigint)))));
  };
  const predicted = { compression: 'deflate', tags: [wideBits, { tag: 317, type: 3, values: [2] }] } as const;
  const volume = await open(tiffFile({ width, height, type: 'i32', ...predicted, encode: differences }, [expected]));
  expectSame(await readVoxels(volume), expected);

  const large = { width: 3, height: 2, type: 'u32', tags: [wideBits], encode: () => longs([1, 2, 3, 4, 2n ** 32n, 6]) } as const;
  const fault = await faultOf(open(tiffFile(large, [new Uint8Array(24)])).then(readVoxels));
  expect(fault).toMatchObject({ tag: 'unsupported' });
  expect(fault?.message).toContain('the value 4294967296 at pixel (1, 1) does not fit into u32');
});

test.each([1, 2, 4] as const)('samples of %i bits become u8, and are restored with as many bits', async (bits) => {
  const [width, height] = [21, 9];
  const expected = noise(width * height, 7).map((value) => value >> (8 - bits));
  /** TIFF 6.0: the first sample is in the high bits, and rows start on whole bytes. */
  const encode = (block: Uint8Array) => {
    const columns = block.length % 16 === 0 && block.length > width * 4 ? 32 : width;
    const rows = Array.from({ length: block.length / columns }, (_, y) => block.subarray(y * columns, (y + 1) * columns));
    return Uint8Array.from(
      rows.flatMap((row) => {
        const text = [...row].map((value) => value.toString(2).padStart(bits, '0')).join('');
        return (text.padEnd(8 * Math.ceil(text.length / 8), '0').match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2));
      }),
    );
  };
  const tags = [{ tag: 258, type: 3, values: [bits] } as const];
  for (const blocks of [{ rowsPerStrip: 4 }, { tile: [32, 16] as const }]) {
    const volume = await open(tiffFile({ width, height, type: 'u8', ...blocks, tags, encode }, [expected, expected]));
    expect(volume.info).toMatchObject({ dims: [width, height, 2, 1], type: 'u8' });
    expectSame(await readVoxels(volume), Buffer.concat([expected, expected]));
    const written = await restored(volume);
    expect(await tagOf(written, 258)).toBe(bits);
    expectSame(await readVoxels(await open(written)), Buffer.concat([expected, expected]));
    const raster = await (await (await fromArrayBuffer(written.slice().buffer as ArrayBuffer)).getImage()).readRasters();
    expectSame(Uint8Array.from(raster[0] as Uint8Array), expected);
  }
});

test('the colours of a palette are those of labels, and its indexes stay', async () => {
  const indexes = Uint8Array.of(0, 1, 2, 3, 2, 1);
  const map = [0, 0xffff, 0x8000, 0, 0, 0, 0x4000, 0, 0, 0, 0, 0xff00];
  const palette = { tag: 320, type: 3, values: map } as const;
  const spec: TestTiff = { width: 3, height: 2, type: 'u8', tags: [{ tag: 262, type: 3, values: [3] }, palette] };
  const remarks: string[] = [];
  const volume = await openVolume(source(tiffFile(spec, [indexes])), { onRemark: (text) => remarks.push(text) });
  expect(remarks).toEqual([expect.stringMatching(/^stack\.tif: .*palette/)]);
  expectSame(await readVoxels(volume), indexes);
  expect(ownLabels(await volume.source()).table).toEqual([
    { number: 0, color: '#000000' },
    { number: 1, color: '#ff0000' },
    { number: 2, color: '#804000' },
    { number: 3, color: '#0000ff' },
  ]);
  expect(ownLabels(await (await open(tiffFile({ ...spec, tags: [] }, [indexes]))).source())).toEqual({});
  // Colours of 8 bits, by old programs.
  const eight = { ...palette, values: map.map((value) => value >> 8) } as const;
  const old: TestTiff = { ...spec, tags: [{ tag: 262, type: 3, values: [3] }, eight] };
  expect(ownLabels(await (await open(tiffFile(old, [indexes]))).source()).table?.[2]).toEqual({ number: 2, color: '#804000' });
});

test('the colours of a palette of 16 bits are kept, although they are more than 64 KiB', async () => {
  const indexes = noise(2 * 3 * 2, 5);
  const map = Array.from({ length: 3 * 65536 }, (_, at) => (at * 7) % 65536);
  const colours = { tag: 320, type: 3, values: map } as const;
  const spec: TestTiff = { width: 3, height: 2, type: 'u16', tags: [{ tag: 262, type: 3, values: [3] }, colours] };
  const volume = await open(tiffFile(spec, [indexes]));
  expectSame(await readVoxels(volume), indexes);
  const written = await restored(volume);
  expect([await tagOf(written, 262), await tagOf(written, 320)]).toEqual([3, 0]);
  const table = ownLabels(await (await open(written)).source()).table;
  expect(table?.[40_000]).toEqual(ownLabels(await volume.source()).table?.[40_000]);
  expect(table).toHaveLength(65_536);
  // Without colours the indexes are gray, so that other programs can read the file.
  const without = await restored(await open(tiffFile({ ...spec, tags: [{ tag: 262, type: 3, values: [3] }] }, [indexes])));
  expect([await tagOf(without, 262), await tagOf(without, 320)]).toEqual([1, undefined]);
});
