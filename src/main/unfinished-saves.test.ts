import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createFolderSaves } from './folder-saves.ts';
import { createSaves } from './saves.ts';
import { createUnfinishedSaves, temporaryName } from './unfinished-saves.ts';

const owner = 1;
let folder = '';
let list = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stria-'));
  mkdirSync(join(folder, 'saved'));
  list = join(folder, 'unfinished-saves.json');
});
afterEach(() => rmSync(folder, { recursive: true }));
const saved = (name = '') => join(folder, 'saved', name);

test('the next start removes the unfinished files of a killed app', async () => {
  writeFileSync(saved('old.stria'), 'before');
  const killed = createUnfinishedSaves(list);
  const saves = createSaves(killed);
  const { id } = await saves.begin(owner, saved('old.stria'));
  expect(id).toBeTruthy();
  await createFolderSaves(killed).begin(owner, saved(), 'frames');
  expect(readdirSync(saved())).toHaveLength(3);

  const next = createUnfinishedSaves(list);
  expect(await next.removeLeft()).toHaveLength(2);
  expect(readdirSync(saved())).toEqual(['old.stria']);
  expect(await createUnfinishedSaves(list).removeLeft()).toEqual([]);
  await saves.abortAll(); // Closes the file, as the end of the killed app would.
});

test('a save of this run is not removed, and one that has ended is forgotten', async () => {
  const unfinished = createUnfinishedSaves(list);
  const saves = createSaves(unfinished);
  const { id } = await saves.begin(owner, saved('a.stria'));
  const other = await saves.begin(owner, saved('b.stria'));
  const failed = await saves.begin(owner, saved('c.stria'));
  expect(await unfinished.removeLeft()).toEqual([]);
  await saves.commit(owner, id);
  await saves.abort(owner, failed.id);
  expect(readdirSync(saved()).sort()).toEqual([temporaryName(other.id), 'a.stria']);
  expect(await createUnfinishedSaves(list).removeLeft()).toEqual([saved(temporaryName(other.id))]);
  await saves.abortAll();
});

test('a save that cannot begin is forgotten', async () => {
  const unfinished = createUnfinishedSaves(list);
  await expect(createSaves(unfinished).begin(owner, join(folder, 'missing', 'a.stria'))).rejects.toThrow();
  mkdirSync(join(folder, 'missing'));
  expect(await createUnfinishedSaves(list).removeLeft()).toEqual([]);
});

test('only files with temporary names are removed, and files on a missing disk are tried again', async () => {
  const away = join(folder, 'away');
  const id = '01234567-89ab-4cde-8f01-23456789abcd';
  writeFileSync(saved('scan.nii'), 'mine');
  const paths = [saved('scan.nii'), saved(), 'relative/.stria-x.part', 7, join(away, temporaryName(id))];
  writeFileSync(list, JSON.stringify(paths));
  expect(await createUnfinishedSaves(list).removeLeft()).toEqual([]);
  expect(existsSync(saved('scan.nii'))).toBe(true);
  mkdirSync(away);
  writeFileSync(join(away, temporaryName(id)), 'part');
  expect(await createUnfinishedSaves(list).removeLeft()).toEqual([join(away, temporaryName(id))]);
});

test('a list that is damaged or cannot be written does not stop a save', async () => {
  writeFileSync(list, '[');
  expect(await createUnfinishedSaves(list).removeLeft()).toEqual([]);
  const saves = createSaves(createUnfinishedSaves(saved()));
  const { id } = await saves.begin(owner, saved('a.stria'));
  await saves.commit(owner, id);
  expect(readdirSync(saved())).toContain('a.stria');
});
