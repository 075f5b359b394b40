import { closeSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { expect, test } from 'vitest';
import { cpu, measured, testFolders } from './cli-testing.ts';

const { at } = testFolders();

test('levels of a volume with layers of 256 MiB take little memory', async () => {
  // Noise shows at once that it is no segmentation. The rest is a hole in the file, which is soon read and encoded.
  const noise = Uint8Array.from({ length: 2 ** 23 }, (_, at) => Math.imul(at + 1, 0x9e3779b1) >>> 24);
  const file = openSync(at('large.raw'), 'w');
  writeSync(file, noise);
  ftruncateSync(file, 2 ** 29);
  closeSync(file);
  const layout = ['--dims', '2048,2048,128', '--type', 'u8', '--codec', 'rle', '-q', '--threads', '2', ...cpu] as const;
  const { code, stderr, peakMiB } = await measured('compress', at('large.raw'), '--levels', '-o', at('a.stria'), ...layout);
  expect(code, stderr).toBe(0);
  expect(peakMiB).toBeLessThan(450);
});
