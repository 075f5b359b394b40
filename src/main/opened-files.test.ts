import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createOpenedFiles } from './opened-files.ts';

let folder = '';
const files = createOpenedFiles((id) => `app://stria/file/${id}`);
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stria-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test('a file is opened under an id that says nothing of its path', async () => {
  writeFileSync(join(folder, 'scan.hdr'), 'abc');
  const opened = await files.open(join(folder, 'scan.hdr'));
  expect(opened).toEqual({ id: opened.id, name: 'scan.hdr', size: 3, url: `app://stria/file/${opened.id}` });
  expect(opened.url).not.toContain(folder);
  expect(files.get(opened.id).path).toBe(join(folder, 'scan.hdr'));
});

test('what is no regular file is refused by name', async () => {
  mkdirSync(join(folder, 'series'));
  execFileSync('mkfifo', [join(folder, 'pipe')]);
  const refused = (name: string) => files.open(join(folder, name));
  await expect(refused('series')).rejects.toMatchObject({
    tag: 'not-readable',
    message: expect.stringContaining("'series' is a folder"),
  });
  await expect(refused('pipe')).rejects.toMatchObject({
    tag: 'not-readable',
    message: expect.stringContaining("'pipe' is a device or a pipe"),
  });
  await expect(refused('none.nii')).rejects.toMatchObject({
    tag: 'not-readable',
    message: expect.stringContaining('no longer there'),
  });
});

test('a sibling is found beside the file, and nowhere else', async () => {
  mkdirSync(join(folder, 'inner'));
  writeFileSync(join(folder, 'secret.txt'), 'no');
  writeFileSync(join(folder, 'inner', 'scan.hdr'), 'header');
  writeFileSync(join(folder, 'inner', 'scan.img'), 'voxels');
  const { id } = await files.open(join(folder, 'inner', 'scan.hdr'));
  expect(await files.openSibling(id, 'scan.img')).toMatchObject({ name: 'scan.img', size: 6 });
  expect(await files.openSibling(id, 'none.img')).toBeNull();
  expect(await files.openSibling(id, 'x'.repeat(255))).toBeNull();
  for (const name of ['../secret.txt', '..', '.', '', '/etc/passwd', '..\\secret.txt', 'a\0b', 'x'.repeat(300)]) {
    await expect(files.openSibling(id, name), name).rejects.toMatchObject({ tag: 'invalid-input' });
  }
  await expect(files.openSibling('made-up', 'scan.img')).rejects.toMatchObject({ tag: 'invalid-input' });
});

test('a path leads from the file to others, in its folder and elsewhere', async () => {
  mkdirSync(join(folder, 'sessions'));
  mkdirSync(join(folder, 'data'));
  writeFileSync(join(folder, 'sessions', 'a.stria-session'), '{}');
  writeFileSync(join(folder, 'data', 'scan.nii'), 'voxels');
  const { id } = await files.open(join(folder, 'sessions', 'a.stria-session'));
  expect(await files.openRelative(id, '../data/scan.nii')).toMatchObject({ name: 'scan.nii', size: 6 });
  for (const path of ['scan.nii', '../data/none.nii', '../data', 'a.stria-session/scan.nii']) {
    expect(await files.openRelative(id, path), path).toBeNull();
  }
});

test('an id that was not handed out opens nothing', () => {
  expect(files.find('00000000-0000-0000-0000-000000000000')).toBeUndefined();
  expect(() => files.get('00000000-0000-0000-0000-000000000000')).toThrow('No such file is open');
});
