import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openVolume } from '../core/io/open-volume.ts';
import { encodePngChunk } from '../core/io/pictures/png-chunks.ts';
import { pngFile, pngHeader, pngOf } from '../core/io/pictures/png-testing.ts';
import { memorySource } from '../core/shared/bytes.ts';
import { measured, requireBuild, stria } from './cli-testing.ts';

const side = 3400;
const work = mkdtempSync(join(tmpdir(), 'stria-picture-memory-'));
const at = (name: string) => join(work, name);

beforeAll(requireBuild);
afterAll(() => rmSync(work, { recursive: true, force: true }));

/** The peak memory of a command, in MiB. */
async function peakOf(...args: readonly string[]): Promise<number> {
  const { code, stderr, peakMiB } = await measured(...args, '--device', 'cpu', '-q');
  expect(code, stderr).toBe(0);
  return peakMiB;
}

// The picture is 88 MiB, and the command without it takes about 100. Whole pictures took four times their size.
test('16-bit RGBA is compressed and restored in memory that does not grow with the picture', async () => {
  const row = new Uint8Array(1 + side * 8);
  for (let x = 1; x < row.length; x++) row[x] = x % 251;
  const pixels = deflateSync(Buffer.alloc(row.length * side, row), { level: 1 });
  writeFileSync(at('large.png'), pngOf(pngHeader(side, side, 16, 6), encodePngChunk('IDAT', pixels)));
  const peaks = {
    compressed: await peakOf('compress', at('large.png'), '-o', at('png.stria'), '--codec', 'rle'),
    restored: await peakOf('decompress', at('png.stria'), '-o', at('restored.png')),
    exported: await peakOf('decompress', at('png.stria'), '--to', 'tiff', '-o', at('exported.tif')),
    compressedTiff: await peakOf('compress', at('exported.tif'), '-o', at('tiff.stria'), '--codec', 'rle'),
  };
  for (const [what, peak] of Object.entries(peaks)) expect(peak, what).toBeLessThan(320);
  const first = await openVolume(memorySource('a.png', readFileSync(at('large.png'))));
  const restored = (await openVolume(memorySource('b.png', readFileSync(at('restored.png'))))).voxels()[Symbol.asyncIterator]();
  for await (const piece of first.voxels()) expect(Buffer.compare(piece, (await restored.next()).value)).toBe(0);
}, 300_000);

test('an interlaced picture over the limit is refused with advice, and read once the limit is raised', async () => {
  const spec = { width: 1200, height: 1200, bitDepth: 16, colourType: 0, isInterlaced: true };
  writeFileSync(at('woven.png'), pngFile(spec, new Uint16Array(1200 * 1200)));
  const limited = await stria('compress', at('woven.png'), '-o', at('woven.stria'), '--device', 'cpu', '--picture-memory', '2');
  expect(limited.code).not.toBe(0);
  expect(limited.stderr).toMatch(/interlaced picture of 1200 × 1200 takes 3 MiB .* limit is 2 MiB.*--picture-memory/s);
  const allowed = await stria('compress', at('woven.png'), '-o', at('woven.stria'), '--device', 'cpu', '--picture-memory', '4');
  expect(allowed, allowed.stderr).toMatchObject({ code: 0 });
});
