import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { decode, encode } from 'fast-png';
import { beforeEach, describe, expect, test } from 'vitest';
import { noise } from '../core/io/common/source-testing.ts';
import { tiffFile } from '../core/io/tiff/tiff-testing.ts';
import { cpu, niftiFile, scanBytes, stria, succeed, testFolders } from './cli-testing.ts';

const [width, height, count] = [37, 21, 12];
const place = testFolders();
const { at } = place;

beforeEach(() => {
  mkdirSync(at('frames'));
});

/** Frames `frame1.png` to `frame12.png`, gray or RGB, and their samples in the volume's order. */
function writeFrames(depth: 8 | 16, channels: 1 | 3): Buffer[] {
  return Array.from({ length: count }, (_, index) => {
    const bytes =
      channels === 1 ? scanBytes([width, height, 1], depth === 8 ? 1 : 2) : noise((width * height * channels * depth) / 8, index);
    bytes[0] = index;
    const data = depth === 16 ? new Uint16Array(bytes.slice().buffer) : bytes;
    writeFileSync(
      at(`frames/frame${index + 1}.png`),
      encode({ width, height, channels, depth, data, text: { Title: `frame ${index}` } }),
    );
    return Buffer.from(bytes);
  });
}

const frames = () => readdirSync(at('frames')).map((name) => at(`frames/${name}`));

function pixelsOf(path: string): Buffer {
  const { data } = decode(readFileSync(path));
  return Buffer.from(data.buffer, data.byteOffset, data.byteLength);
}

describe('PNG', () => {
  test.each([
    [8, 1],
    [16, 1],
    [8, 3],
    [16, 3],
  ] as const)('frames of %i bits and %i samples become one stack and are restored', async (depth, channels) => {
    const samples = writeFrames(depth, channels);
    const { stdout } = await succeed('compress', ...frames(), '-o', at('stack.stria'), ...cpu);
    expect(stdout).toContain('12 pictures');
    await succeed('verify', at('stack.stria'), ...cpu);
    const info = JSON.parse((await succeed('info', at('stack.stria'), '--json')).stdout);
    expect(info).toMatchObject({
      sourceFormat: 'png',
      // Pictures this small share a chunk.
      chunkShape: [width, height, count, 1],
      volume: { dims: [width, height, count, channels], type: depth === 8 ? 'u8' : 'u16' },
    });
    await succeed('decompress', at('stack.stria'), '-o', at('out'), ...cpu);
    expect(readdirSync(at('out')).sort()).toEqual(readdirSync(at('frames')).sort());
    for (const [index, expected] of samples.entries()) {
      const path = at(`out/frame${index + 1}.png`);
      expect(Buffer.compare(pixelsOf(path), expected)).toBe(0);
      expect(decode(readFileSync(path)).text).toEqual({ Title: `frame ${index}` });
    }
  });

  test('a stack is exported to TIFF and restored', async () => {
    const samples = writeFrames(16, 3);
    await succeed('compress', ...frames(), '-o', at('a.stria'), ...cpu);
    await succeed('decompress', at('a.stria'), '--to', 'tiff', '-o', at('out'), ...cpu);
    expect(readdirSync(at('out'))).toEqual(['a.tif']);
    await succeed('compress', at('out/a.tif'), ...cpu);
    await succeed('decompress', at('out/a.stria'), '--to', 'png', '-o', at('png'), ...cpu);
    for (const [index, expected] of samples.entries()) {
      expect(Buffer.compare(pixelsOf(at(`png/frame${index + 1}.png`)), expected)).toBe(0);
    }
  });

  test('without a .stria name each picture becomes its own file', async () => {
    writeFrames(8, 1);
    await succeed('compress', ...frames(), '-o', at('each'), ...cpu);
    expect(readdirSync(at('each'))).toHaveLength(count);
    await succeed('decompress', at('each/frame3.stria'), '-o', at('three.png'), ...cpu);
    expect(Buffer.compare(pixelsOf(at('three.png')), pixelsOf(at('frames/frame3.png')))).toBe(0);
  });

  test('existing pictures are kept without -f', async () => {
    writeFrames(8, 1);
    await succeed('compress', ...frames(), '-o', at('stack.stria'), ...cpu);
    const refused = await stria('decompress', at('stack.stria'), '-o', at('frames'), ...cpu);
    expect(refused.code).toBe(3);
    expect(refused.stderr).toMatch(/already exists/);
    await succeed('decompress', at('stack.stria'), '-o', at('frames'), '-f', ...cpu);
    await succeed('decompress', at('stack.stria'), '-o', at('n.png'), ...cpu);
    expect(readdirSync(place.folder).filter((name) => name.startsWith('n-'))).toHaveLength(count);
    expect(existsSync(at('n-0012.png'))).toBe(true);
  });

  test('a run that fails half-way leaves no pictures', async () => {
    writeFrames(8, 1);
    await succeed('compress', ...frames(), '-o', at('stack.stria'), ...cpu);
    mkdirSync(at('out/frame7.png'), { recursive: true });
    const { code, stderr } = await stria('decompress', at('stack.stria'), '-o', at('out'), ...cpu);
    expect(code).toBe(3);
    expect(stderr).toMatch(/frame7\.png is a folder/);
    expect(readdirSync(at('out'))).toEqual(['frame7.png']);
  });

  test('a picture of another size is named, and no output is left', async () => {
    writeFrames(8, 1);
    writeFileSync(at('frames/frame7.png'), encode({ width: 5, height: 5, channels: 1, depth: 8, data: new Uint8Array(25) }));
    const ended = await stria('compress', ...frames(), '-o', at('stack.stria'), ...cpu);
    expect(ended.code).toBe(2);
    expect(ended.stderr).toMatch(/frame7\.png is 5 × 5/);
    expect(existsSync(at('stack.stria'))).toBe(false);
  });

  test('a stack of more pictures than may be open at once', async () => {
    const one = encode({ width: 2, height: 2, channels: 1, depth: 8, data: noise(4) });
    writeFileSync(at('frames/0.png'), one);
    for (let index = 1; index < 1500; index++) copyFileSync(at('frames/0.png'), at(`frames/${index}.png`));
    await succeed('compress', ...frames(), '-o', at('many.stria'), ...cpu);
    await succeed('decompress', at('many.stria'), '-o', at('out'), ...cpu);
    expect(readdirSync(at('out'))).toHaveLength(1500);
  });
});

describe('TIFF', () => {
  test.each(['u8', 'i16', 'f32'] as const)('a stack of %s is restored as one TIFF with the same samples', async (type) => {
    const bytes = { u8: 1, i16: 2, f32: 4 }[type];
    const pages = Array.from({ length: 5 }, (_, index) => noise(width * height * bytes, index));
    const tags = [{ tag: 305, type: 2, values: 'made by a test' }] as const;
    writeFileSync(
      at('stack.tif'),
      tiffFile({ width, height, type, endian: 'big', compression: 'lzw', rowsPerStrip: 5, tags }, pages),
    );
    await succeed('compress', at('stack.tif'), ...cpu);
    await succeed('decompress', at('stack.stria'), '-o', at('out'), ...cpu);
    const restored = readFileSync(at('out/stack.tif'));
    expect(restored.includes('made by a test')).toBe(true);
    await succeed('compress', at('out/stack.tif'), ...cpu);
    await succeed('decompress', at('out/stack.stria'), '--to', 'raw', '-o', at('voxels.raw'), ...cpu);
    expect(Buffer.compare(readFileSync(at('voxels.raw')), Buffer.concat(pages))).toBe(0);
  });

  test('TIFF with half floats and with 64-bit integers is compressed and restored', async () => {
    for (const [name, type, bits] of [
      ['half', 'f32', 16],
      ['wide', 'i32', 64],
    ] as const) {
      const samples = noise((width * height * bits) / 8, 3);
      // The upper halves of 64-bit integers are 0, and their lower halves are not negative.
      if (bits === 64) for (let byte = 0; byte < samples.length; byte++) if (byte % 8 > 2) samples[byte] = 0;
      const tags = [{ tag: 258, type: 3, values: [bits] }] as const;
      const voxels = new Uint8Array(4 * width * height);
      writeFileSync(
        at(`${name}.tif`),
        tiffFile({ width, height, type, rowsPerStrip: height, tags, encode: () => samples }, [voxels]),
      );
      await succeed('compress', at(`${name}.tif`), ...cpu);
      await succeed('decompress', at(`${name}.stria`), '-o', at(`${name}-again.tif`), ...cpu);
      expect(readFileSync(at(`${name}-again.tif`)).includes(Buffer.from(samples)), name).toBe(true);
      for (const file of [`${name}.stria`, `${name}-again.tif`]) {
        const info = JSON.parse((await succeed('info', at(file), '--json')).stdout);
        expect(info).toMatchObject({ volume: { type }, storedAs: bits === 16 ? 'f16' : 'i64' });
      }
    }
  });

  test('a scan is exported to TIFF and to PNG; what PNG cannot store is refused with advice', async () => {
    writeFileSync(at('scan.nii'), niftiFile([20, 10, 4], 1));
    writeFileSync(at('signed.nii'), niftiFile([20, 10, 4], 2));
    await succeed('compress', at('scan.nii'), ...cpu);
    await succeed('compress', at('signed.nii'), ...cpu);
    await succeed('decompress', at('scan.stria'), '--to', 'png', '-o', at('out'), ...cpu);
    expect(readdirSync(at('out'))).toEqual([1, 2, 3, 4].map((number) => `scan-000${number}.png`));
    expect(Buffer.compare(pixelsOf(at('out/scan-0002.png')), scanBytes([20, 10, 4], 1).subarray(200, 400))).toBe(0);
    await succeed('decompress', at('signed.stria'), '--to', 'tiff', '-o', at('signed.tif'), ...cpu);
    const info = JSON.parse((await succeed('info', at('signed.tif'), '--json')).stdout);
    expect(info).toMatchObject({
      format: 'tiff',
      volume: { dims: [20, 10, 4, 1], type: 'i16', spacing: [0.5, 0.5, 2, 1], spatialUnit: 'mm' },
    });
    const refused = await stria('decompress', at('signed.stria'), '--to', 'png', '-o', at('none'), ...cpu);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(/--to tiff/);
    expect(existsSync(at('none'))).toBe(false);
  });
});
