import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { niftiFile } from '../cli-testing.ts';
import { listFolder } from './folder-listing.ts';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'stria-listing-')));
afterEach(() => rmSync(root, { recursive: true, force: true }));

test('a header that took too long is read again for the next page', async () => {
  writeFileSync(join(root, 'scan.nii'), niftiFile([6, 5, 4], 2));
  const shapes = async () => (await listFolder(root, []))?.volumes.map(({ shape }) => shape);
  const late = vi.spyOn(AbortSignal, 'timeout').mockReturnValueOnce(AbortSignal.abort());
  expect(await shapes()).toEqual([undefined]);
  expect(await shapes()).toEqual(['6 × 5 × 4']);
  expect(await shapes()).toEqual(['6 × 5 × 4']);
  expect(late).toHaveBeenCalledTimes(2);
  late.mockRestore();
});

test('levels beside a file are not listed, unless the file is missing', async () => {
  mkdirSync(root, { recursive: true });
  for (const name of ['a.nii', 'a.nii.levels.stria', 'b.nii.levels.stria'])
    writeFileSync(join(root, name), niftiFile([6, 5, 4], 2));
  expect((await listFolder(root, []))?.volumes.map(({ name }) => name)).toEqual(['a.nii', 'b.nii.levels.stria']);
});

test('other files do not take the place of volumes, however many there are', async () => {
  mkdirSync(root, { recursive: true });
  for (let number = 0; number < 1001; number++) writeFileSync(join(root, `frame-${number}.log`), '');
  writeFileSync(join(root, 'scan.nii'), niftiFile([6, 5, 4], 2));
  const listing = await listFolder(root, []);
  expect(listing?.volumes.map(({ name }) => name)).toEqual(['scan.nii']);
  expect(listing?.more).toBe(0);
});
