import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkEnding } from './file-endings.ts';
import { createNodeSink } from './node-sink.ts';

test.each([
  ['scan.nii', 'stria'],
  ['scan.NII.gz', 'stria'],
  ['scan.tif', 'stria'],
  ['brain.img', 'stria'],
  ['brain.hdr', 'stria'],
  ['scan.stria.gz', 'stria'],
  ['scan.png.gz', 'png'],
  ['scan.png', 'stria'],
  ['scan.jpg', 'png'],
  ['scan.tiff', 'png'],
  ['scan.PDF', 'png'],
] as const)('%s is no name for a %s', (path, holds) => {
  expect(() => checkEnding(path, holds)).toThrow(`end its name with .${holds}`);
});

test.each([
  ['scan.stria', 'stria'],
  ['scan', 'stria'],
  ['scan.v2', 'stria'],
  ['scan.png', 'png'],
  ['-', 'png'],
  ['scan.nii', undefined],
] as const)('%s may hold %s', (path, holds) => {
  expect(() => checkEnding(path, holds)).not.toThrow();
});

test('a volume is not replaced by a .stria under its name', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'stria-endings-'));
  try {
    const path = join(folder, 'other.nii');
    writeFileSync(path, 'voxels');
    await expect(createNodeSink(path, { overwrite: true, holds: 'stria' })).rejects.toMatchObject({ tag: 'invalid-input' });
    expect(readFileSync(path, 'utf8')).toBe('voxels');
  } finally {
    rmSync(folder, { recursive: true });
  }
});
