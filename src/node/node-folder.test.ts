import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isExistingFolder, openFolder, treeOfFiles } from './node-folder.ts';

let folder: string;
const at = (name: string) => join(folder, name);
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stria-folder-'));
  mkdirSync(at('study/series'), { recursive: true });
  writeFileSync(at('study/series/2'), 'two');
  writeFileSync(at('study/a.nii'), 'first');
  writeFileSync(at('outside'), 'secret');
});
afterEach(() => rmSync(folder, { recursive: true }));

const pathsIn = async (path: string) => (await (await openFolder(path)).files()).map((file) => file.path);

test('all files are listed in the order of their paths, with their sizes, and read', async () => {
  const opened: string[] = [];
  const tree = await openFolder(at('study'), (path) => opened.push(path));
  expect(tree.name).toBe('study');
  const files = await tree.files();
  expect(files.map(({ path, size }) => [path, size])).toEqual([
    ['a.nii', 5],
    ['series/2', 3],
  ]);
  expect(opened).toEqual([]);
  const source = await files[1]?.open();
  expect(source).toMatchObject({ name: '2', size: 3 });
  expect(String(Buffer.from((await source?.read(0, 3)) ?? []))).toBe('two');
  expect(opened).toEqual([at('study/series/2')]);
  expect((await tree.find('series/2'))?.size).toBe(3);
});

test('hidden files and what systems leave behind are left out; the metadata of Zarr is not', async () => {
  for (const name of ['.DS_Store', '.zattrs', 'Thumbs.db']) writeFileSync(at(`study/${name}`), '');
  mkdirSync(at('study/.git'));
  writeFileSync(at('study/.git/config'), '');
  expect(await pathsIn(at('study'))).toEqual(['.zattrs', 'a.nii', 'series/2']);
});

test.skipIf(process.platform === 'win32')('links lead to files inside, and never outside or round in circles', async () => {
  symlinkSync(at('outside'), at('study/out'));
  symlinkSync(at('study/a.nii'), at('study/in'));
  symlinkSync(at('study'), at('study/series/circle'));
  symlinkSync(at('nowhere'), at('study/broken'));
  expect(await pathsIn(at('study'))).toEqual(['a.nii', 'in', 'series/2']);
  const tree = await openFolder(at('study'));
  expect(await tree.find('out')).toBeUndefined();
  for (const path of ['../outside', 'series/../../outside', '/etc/passwd', '', '.', 'series', 'a\0', 'none', 'series//2']) {
    expect(await tree.find(path), path).toBeUndefined();
  }
});

test.skipIf(process.platform === 'win32' || process.getuid?.() === 0)('a folder that may not be read is named', async () => {
  chmodSync(at('study/series'), 0);
  await expect(pathsIn(at('study'))).rejects.toMatchObject({ tag: 'not-readable', message: expect.stringContaining('series') });
  chmodSync(at('study/series'), 0o755);
});

test('a listing is cancelled, and can be had again', async () => {
  const tree = await openFolder(at('study'));
  await expect(tree.files({ signal: AbortSignal.abort() })).rejects.toMatchObject({ tag: 'aborted' });
  expect(await tree.files()).toHaveLength(2);
});

test('what is no folder is none', async () => {
  expect(await isExistingFolder(at('study'))).toBe(true);
  expect(await isExistingFolder(at('outside'))).toBe(false);
  expect(await isExistingFolder(at('none'))).toBe(false);
  await expect(openFolder(at('none'))).rejects.toMatchObject({ tag: 'not-readable' });
});

test('files named together are a tree; two of one name are refused', async () => {
  const tree = await treeOfFiles([at('study/series/2'), at('study/a.nii')]);
  expect((await tree.files()).map(({ path }) => path)).toEqual(['2', 'a.nii']);
  expect((await tree.find('2'))?.size).toBe(3);
  await expect(treeOfFiles([at('study/a.nii'), at('study/./a.nii')])).rejects.toMatchObject({ tag: 'invalid-input' });
  await expect(treeOfFiles([at('none')])).rejects.toMatchObject({ tag: 'not-readable' });
});
