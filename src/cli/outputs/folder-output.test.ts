import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createFolderOutput, type FolderOutput } from './folder-output.ts';
import { findLeftovers, replacedFolder } from './partial-files.ts';

const layout = {
  marker: 'zarr.json',
  files: /^(\d+\/)?zarr\.json$|^\d+\/c(\/\d+)+$/,
  folders: /^\d+(\/c(\/\d+)*)?$/,
};
const encode = (text: string) => new TextEncoder().encode(text);

let folder: string;
let target: string;
const at = (name: string) => join(folder, name);
const put = (name: string, text: string) => {
  mkdirSync(dirname(at(name)), { recursive: true });
  writeFileSync(at(name), text);
};
const open = (inputs: readonly string[] = [], overwrite = true) => createFolderOutput(target, { overwrite, inputs, layout });
const marker = () => readFileSync(join(target, 'zarr.json'), 'utf8');

async function fill(output: FolderOutput): Promise<void> {
  const sink = await output.makeSink('zarr.json', 3);
  await sink.write(encode('new'));
  await sink.close();
}

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'stria-folder-')));
  target = at('scan.zarr');
});
afterEach(() => rmSync(folder, { recursive: true }));

function putOld(): void {
  put('scan.zarr/zarr.json', 'old');
  put('scan.zarr/0/zarr.json', '{}');
  put('scan.zarr/0/c/0/0/0', 'voxels');
}

test('a folder of the same layout, or an empty one, is replaced on request', async () => {
  putOld();
  await expect(open([], false)).rejects.toThrow('already exists; add -f');
  for (const prepare of [putOld, () => mkdirSync(target), () => {}]) {
    rmSync(target, { recursive: true });
    prepare();
    const output = await open();
    await fill(output);
    await output.commit();
    expect(marker()).toBe('new');
    expect(readdirSync(target)).toEqual(['zarr.json']);
    expect(readdirSync(folder)).toEqual(['scan.zarr']);
  }
});

test.each(['note.txt', 'OME/METADATA.ome.xml', '1/0/zarr.json', '0/note.txt', '0/c/notes/1', '.zgroup'])(
  'a folder with %s beside its Zarr is kept',
  async (name) => {
    putOld();
    put(`scan.zarr/${name}`, 'mine');
    await expect(open()).rejects.toThrow('with other contents');
    expect(readFileSync(join(target, name), 'utf8')).toBe('mine');
    expect(readdirSync(folder)).toEqual(['scan.zarr']);
  },
);

test('a folder with a link, or without the metadata of a Zarr, is kept', async () => {
  putOld();
  put('elsewhere/zarr.json', '{}');
  symlinkSync(at('elsewhere'), join(target, '1'));
  await expect(open()).rejects.toThrow('with other contents (1)');
  rmSync(target, { recursive: true });
  put('scan.zarr/0/c/0', 'mine');
  await expect(open()).rejects.toThrow('with other contents (0)');
});

test('a folder that contains an input is kept, by any path', async () => {
  putOld();
  put('scan.zarr/x.stria', 'mine');
  symlinkSync(target, at('link'));
  symlinkSync(join(target, 'x.stria'), at('linked.stria'));
  for (const input of ['scan.zarr/x.stria', 'link/x.stria', 'linked.stria', 'scan.zarr']) {
    await expect(open([at(input)])).rejects.toMatchObject({
      tag: 'invalid-input',
      message: expect.stringContaining('contains the input'),
    });
  }
  await expect(createFolderOutput(at('link'), { overwrite: true, inputs: [join(target, 'x.stria')], layout })).rejects.toThrow(
    'contains the input',
  );
  rmSync(join(target, 'x.stria'));
  put('scan.zarr.stria', '');
  await (await open([at('scan.zarr.stria')])).discard();
});

test('what is put into the target while the output is written is kept', async () => {
  putOld();
  const output = await open();
  await fill(output);
  put('scan.zarr/note.txt', 'mine');
  await expect(output.commit()).rejects.toThrow('with other contents (note.txt)');
  await output.discard();
  expect(readFileSync(join(target, 'note.txt'), 'utf8')).toBe('mine');
  expect(marker()).toBe('old');
  expect(readdirSync(folder)).toEqual(['scan.zarr']);
});

test('a folder that appears while the output is written is kept', async () => {
  const output = await open([], false);
  await fill(output);
  putOld();
  await expect(output.commit()).rejects.toThrow('already exists');
  expect(marker()).toBe('old');
  await output.discard();
});

test('the old folder is back if the new one cannot take its place', async () => {
  putOld();
  const output = await open();
  await fill(output);
  for (const name of readdirSync(folder)) if (name.includes('.partial')) rmSync(at(name), { recursive: true });
  await expect(output.commit()).rejects.toMatchObject({ tag: 'not-writable' });
  expect(marker()).toBe('old');
  expect(readdirSync(folder)).toEqual(['scan.zarr']);
});

test('the old folder has no leftover’s name before the new one is in place', async () => {
  putOld();
  const output = await open();
  await fill(output);
  let isDone = false;
  const done = output.commit().finally(() => {
    isDone = true;
  });
  // The state that a kill would leave right after the renames.
  while (!isDone && marker() === 'old') await new Promise(setImmediate);
  const names = readdirSync(folder);
  await done;
  expect(names).toEqual([expect.stringMatching(/^\.scan\.zarr\..*\.replaced$/), 'scan.zarr']);
});

test('former contents that a killed run set aside are not cleaned up as leftovers, and are named', async () => {
  const old = replacedFolder(target).replace(`-${process.pid}-`, `-${2 ** 22 + 1}-`);
  mkdirSync(old);
  writeFileSync(join(old, 'zarr.json'), 'old');
  expect(await findLeftovers(folder)).toEqual([]);
  await expect(open()).rejects.toThrow(old);
  expect(readFileSync(join(old, 'zarr.json'), 'utf8')).toBe('old');
  // With a folder in its place, nothing is missing.
  putOld();
  const output = await open();
  await fill(output);
  await output.commit();
  expect(marker()).toBe('new');
  expect(existsSync(old)).toBe(true);
});
