import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createOpenedFiles, type OpenedFiles } from './opened-files.ts';

let folder = '';
let recent: string[] = [];
let files: OpenedFiles;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'stria-')));
  recent = [];
  files = createOpenedFiles(
    (id, kind) => `app://stria/${kind}/${id}`,
    () => recent,
  );
});
afterEach(() => rmSync(folder, { recursive: true }));

const never = () => expect.fail('a person was asked');
/** Creates a file, with its folders, and returns its path. */
function make(path: string, content = 'voxels'): string {
  const whole = join(folder, path);
  mkdirSync(dirname(whole), { recursive: true });
  writeFileSync(whole, content);
  return whole;
}

test('a file is opened under an id that reveals nothing about its path', async () => {
  const opened = await files.choose(make('scan.hdr', 'abc'));
  expect(opened).toEqual({ id: opened.id, name: 'scan.hdr', size: 3, url: `app://stria/file/${opened.id}` });
  expect(opened.url).not.toContain(folder);
  expect(files.get(opened.id).path).toBe(join(folder, 'scan.hdr'));
});

test('anything but a regular file is refused by name', async () => {
  execFileSync('mkfifo', [join(folder, 'pipe'), join(folder, 'scan.img')]);
  const refused = (name: string, message: string) =>
    expect(files.choose(join(folder, name))).rejects.toMatchObject({
      tag: 'not-readable',
      message: expect.stringContaining(message),
    });
  await refused('pipe', "'pipe' is a device or a pipe");
  await refused('none.nii', 'no longer exists');
  const { id } = await files.choose(make('scan.hdr'));
  expect(await files.openReferred(id, 'scan.img', never)).toBeNull();
});

test('a sibling is found beside the file, and nowhere else', async () => {
  make('secret.txt');
  make('inner/.netrc');
  make('inner/letter.txt');
  make('inner/scan.img');
  const { id } = await files.choose(make('inner/scan.hdr'));
  expect(await files.openReferred(id, 'scan.img', never)).toMatchObject({ name: 'scan.img', size: 6 });
  expect(await files.openReferred(id, 'scan.hdr.json', never)).toBeNull();
  const hostile = [
    '../secret.txt',
    '..',
    '.',
    '',
    '/etc/passwd',
    '..\\secret.txt',
    'a\0b',
    'x'.repeat(300),
    '.netrc',
    'letter.txt',
  ];
  for (const path of hostile) expect(await files.openReferred(id, path, never), path).toBe('refused');
  await expect(files.openReferred('made-up', 'scan.img', never)).rejects.toMatchObject({ tag: 'invalid-input' });
});

test('the levels beside a file are found without a question, those of another file never', async () => {
  make('a.nii.levels.stria');
  make('a.h5-entry-data.levels.stria');
  make('b.nii.levels.stria');
  for (const [name, levels, other] of [
    ['a.nii', 'a.nii.levels.stria', 'b.nii.levels.stria'],
    ['a.h5', 'a.h5-entry-data.levels.stria', 'a.nii.levels.stria'],
  ] as const) {
    const { id } = await files.choose(make(name));
    expect(await files.openReferred(id, levels, never)).toMatchObject({ name: levels });
    expect(await files.openReferred(id, other, never)).toBe('refused');
  }
  const { id } = await files.choose(make('c.nii'));
  expect(await files.openReferred(id, 'c.nii.levels.stria', never)).toBeNull();
});

test("a file below the session's folder is opened; for one elsewhere the user is asked once per folder", async () => {
  make('s/data/scan.nii');
  const outside = [make('far/1.png'), make('far/2.png'), make('far/deep/3.png'), make('far/odd')];
  const session = make('s/a.stria-session', '{}');
  const { id } = await files.choose(session);
  const ask = vi.fn(async () => true);
  expect(await files.openReferred(id, 'data/scan.nii', ask)).toMatchObject({ name: 'scan.nii' });
  for (const path of ['none.nii', 'data', 'a.stria-session/scan.nii', '../far/none.png'])
    expect(await files.openReferred(id, path, ask), path).toBeNull();
  expect(ask).not.toHaveBeenCalled();

  const pictures = ['../far/1.png', '../far/2.png', '../far/deep/3.png', '../far/1.png'];
  const opened = await Promise.all(pictures.map((path) => files.openReferred(id, path, ask)));
  expect(opened).toMatchObject([{ name: '1.png' }, { name: '2.png' }, { name: '3.png' }, { name: '1.png' }]);
  // The question may be about any of them, depending on which one is checked first.
  const anyPicture = outside.slice(0, 3).map((path) => [[session, path]]);
  expect(anyPicture).toContainEqual(ask.mock.calls);
  // Consent to pictures does not extend to other files.
  await files.openReferred(id, '../far/odd', ask);
  expect(ask.mock.calls.slice(1)).toEqual([[session, outside[3]]]);
});

test('a refusal applies to everything that the file refers to, until it is chosen again', async () => {
  const paths = [make('far/1.nii'), make('near/2.nii')];
  const session = make('s/a.stria-session', '{}');
  const { id } = await files.choose(session);
  const ask = vi.fn(async () => false);
  const asked = await Promise.all(['../far/1.nii', '../near/2.nii'].map((path) => files.openReferred(id, path, ask)));
  expect(asked).toEqual(['declined', 'declined']);
  expect(ask).toHaveBeenCalledTimes(1);
  const again = await files.choose(session);
  await files.openReferred(again.id, '../near/2.nii', ask);
  expect(ask.mock.calls[1]).toEqual([session, paths[1]]);
});

test('links are resolved before any decision', async () => {
  make('far/id_rsa', 'secret');
  make('far/scan.img');
  const header = make('s/scan.hdr');
  const { id } = await files.choose(header);
  const ask = vi.fn(async () => false);
  for (const [link, target] of [
    ['s/scan.img', 'far/id_rsa'],
    ['s/scan.img', 'far/scan.img'],
    ['s/scan.hdr.json', 'far/id_rsa'],
  ] as const) {
    symlinkSync(join(folder, target), join(folder, link));
    const { id: fresh } = await files.choose(header);
    expect(await files.openReferred(fresh, link.slice(2), ask), link).toBe('declined');
    expect(ask).toHaveBeenLastCalledWith(header, join(folder, target));
    rmSync(join(folder, link));
  }
  symlinkSync(join(folder, 'far'), join(folder, 's', 'inner'));
  const session = await files.choose(make('s/a.stria-session'));
  expect(await files.openReferred(session.id, 'inner/scan.img', ask)).toBe('declined');
  symlinkSync('scan.img', join(folder, 's', 'scan.img'));
  expect(await files.openReferred(id, 'scan.img', never)).toBeNull();
});

test('a chosen folder may itself be a link', async () => {
  make('real/scan.hdr');
  make('real/scan.img');
  symlinkSync(join(folder, 'real'), join(folder, 'link'));
  const { id } = await files.choose(join(folder, 'link', 'scan.hdr'));
  expect(await files.openReferred(id, 'scan.img', never)).toMatchObject({ name: 'scan.img' });
  expect(await files.chosenFolder(id)).toBe(join(folder, 'link'));
});

test('a file that the user has chosen before needs no question, wherever it is', async () => {
  const volume = make('data/scan.nii');
  recent = [make('data/old.nii'), join(folder, 'gone.nii')];
  const { id } = await files.choose(make('s/a.stria-session'));
  expect(await files.openReferred(id, '../data/old.nii', never)).toMatchObject({ name: 'old.nii' });
  await files.choose(volume);
  expect(await files.openReferred(id, '../data/scan.nii', never)).toMatchObject({ name: 'scan.nii' });
});

test('a referenced file gives no access to its own folder', async () => {
  make('s/data/scan.img');
  make('s/scan.img');
  make('s/data/scan.hdr');
  make('far/scan.hdr');
  make('far/scan.img');
  const { id } = await files.choose(make('s/a.stria-session'));
  const inner = await files.openReferred(id, 'data/scan.hdr', never);
  if (inner === null || typeof inner === 'string') throw new Error('it was not opened');
  // References within the chosen file's folder are allowed, but writing to this folder is not, since no file in it was chosen.
  expect(await files.openReferred(inner.id, 'scan.img', never)).toMatchObject({ name: 'scan.img' });
  await expect(files.chosenFolder(inner.id)).rejects.toMatchObject({ tag: 'invalid-input' });
  expect(() => files.chosenPath(inner.id)).toThrow('not chosen by the user');
  expect(files.chosenPath(id)).toBe(join(folder, 's', 'a.stria-session'));

  const agreed = await files.openReferred(id, '../far/scan.hdr', async () => true);
  if (agreed === null || typeof agreed === 'string') throw new Error('it was not opened');
  expect(await files.openReferred(agreed.id, 'scan.img', never)).toMatchObject({ name: 'scan.img' });
  await expect(files.chosenFolder(agreed.id)).rejects.toMatchObject({ tag: 'invalid-input' });
  expect(() => files.chosenPath(agreed.id)).toThrow('not chosen by the user');
});

test('an unknown id opens nothing', async () => {
  const id = '00000000-0000-0000-0000-000000000000';
  expect(files.find(id)).toBeUndefined();
  expect(() => files.get(id)).toThrow('No such file is open');
  await expect(files.chosenFolder(id)).rejects.toMatchObject({ tag: 'invalid-input' });
});

test('a folder is opened under an id, and its files are found below it and nowhere else', async () => {
  make('study/S1/IM0', 'abc');
  make('secret');
  const opened = await files.choose(join(folder, 'study'));
  expect(opened).toEqual({ id: opened.id, name: 'study', size: 0, url: `app://stria/folder/${opened.id}`, isFolder: true });
  const tree = files.folder(opened.id);
  expect((await tree?.files())?.map(({ path, size }) => [path, size])).toEqual([['S1/IM0', 3]]);
  expect(await tree?.find('../secret')).toBeUndefined();
  expect(files.find(opened.id)).toBeUndefined();
  expect(files.folder('none')).toBeUndefined();
  // It can be a recent file, and a .stria can be written beside it.
  expect(files.chosenPath(opened.id)).toBe(join(folder, 'study'));
  expect(await files.chosenFolder(opened.id)).toBe(folder);
  expect(() => files.get(opened.id)).toThrow();
});

test('levels may be kept beside a file that a chosen session refers to: its name and its folder are known', async () => {
  make('s/scan.nii');
  const { id } = await files.choose(make('s/a.stria-session'));
  const volume = await files.openReferred(id, 'scan.nii', never);
  if (volume === null || typeof volume === 'string') throw new Error('it was not opened');
  expect(await files.chosenFolder(volume.id)).toBe(join(folder, 's'));
  expect(files.nameOf(volume.id)).toBe('scan.nii');
});
