import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createFolderSaves } from './folder-saves.ts';

const owner = 1;
let folder = '';
let saves = createFolderSaves();
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stria-'));
  saves = createFolderSaves();
});
afterEach(() => rmSync(folder, { recursive: true }));

const left = () => readdirSync(folder).sort();
const bytes = (text: string) => new TextEncoder().encode(text);

test('files appear under their names once the folder is complete, pieces in order', async () => {
  const id = await saves.begin(owner, folder, 'turn');
  await Promise.all([
    saves.write(owner, id, '1.png', bytes('a')),
    saves.write(owner, id, '1.png', bytes('b')),
    saves.write(owner, id, '2.png', bytes('c')),
  ]);
  expect(left()).toEqual([`.stria-${id}.part`]);
  expect(await saves.commit(owner, id)).toEqual({ name: 'turn', folder });
  expect(left()).toEqual(['turn']);
  expect(readdirSync(join(folder, 'turn'))).toEqual(['1.png', '2.png']);
  expect(readFileSync(join(folder, 'turn', '1.png'), 'utf8')).toBe('ab');
  expect(saves.savedPath(owner, id)).toBe(join(folder, 'turn'));
  expect(saves.pending()).toBe(0);
});

test('existing files and folders are never replaced', async () => {
  mkdirSync(join(folder, 'turn'));
  writeFileSync(join(folder, 'turn (2)'), 'a file');
  const id = await saves.begin(owner, folder, 'turn');
  expect((await saves.commit(owner, id)).name).toBe('turn (3)');
  expect(left()).toEqual(['turn', 'turn (2)', 'turn (3)']);
});

test('an abort, even during a write, and a closed window leave nothing behind', async () => {
  const id = await saves.begin(owner, folder, 'turn');
  const writing = saves.write(owner, id, '1.png', new Uint8Array(4_000_000));
  await Promise.all([writing, saves.abort(owner, id)]);
  const second = await saves.begin(owner, folder, 'turn');
  await saves.write(owner, second, '1.png', bytes('a'));
  await saves.abortAll(owner + 1);
  expect(saves.pending()).toBe(1);
  await saves.abortAll(owner);
  expect(left()).toEqual([]);
  await expect(saves.commit(owner, second)).rejects.toThrow('ended already');
});

test('another window has no access, and faults say what cannot be written', async () => {
  const id = await saves.begin(owner, folder, 'turn');
  await expect(saves.write(owner + 1, id, '1.png', bytes('a'))).rejects.toThrow('ended already');
  await expect(saves.begin(owner, join(folder, 'missing'), 'turn')).rejects.toMatchObject({ tag: 'not-writable' });
  expect(() => saves.savedPath(owner, id)).toThrow('No such folder');
});
