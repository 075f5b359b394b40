import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statfsSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { freePath } from './save-target.ts';
import { createSaves } from './saves.ts';

const owner = 1;
let folder = '';
let saves = createSaves();
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stria-'));
  saves = createSaves();
});
afterEach(() => rmSync(folder, { recursive: true }));

const bytes = (...values: number[]) => Uint8Array.from(values);
const left = () => readdirSync(folder).sort();

test("nothing has the target's name before the commit; everything is there in order after it", async () => {
  const target = join(folder, 'scan.stria');
  writeFileSync(target, 'before');
  const { id, name } = await saves.begin(owner, target);
  expect(name).toBe('scan.stria');
  // The writes are not awaited one by one: the order of the calls is the order in the file.
  await Promise.all([...Array(50).keys()].map((value) => saves.write(owner, id, bytes(value))));
  expect(readFileSync(target, 'utf8')).toBe('before');
  await saves.commit(owner, id);
  expect([...readFileSync(target)]).toEqual([...Array(50).keys()]);
  expect(left()).toEqual(['scan.stria']);
  expect(saves.savedPath(owner, id)).toBe(target);
  expect(saves.pending()).toBe(0);
});

test('a save that is begun again has only what is written after that', async () => {
  const { id } = await saves.begin(owner, join(folder, 'scan.stria'));
  await Promise.all([
    saves.write(owner, id, bytes(1, 2, 3, 4)),
    saves.restart(owner, id),
    saves.write(owner, id, bytes(5, 6)),
    saves.write(owner, id, bytes(7)),
  ]);
  await saves.commit(owner, id);
  expect([...readFileSync(join(folder, 'scan.stria'))]).toEqual([5, 6, 7]);
  await expect(saves.restart(owner, id)).rejects.toMatchObject({ tag: 'invalid-input' });
});

test('a save reports the free space of its disk', async () => {
  const { id, freeBytes } = await saves.begin(owner, join(folder, 'scan.stria'));
  const { bavail, bsize } = statfsSync(folder);
  expect(Math.abs((freeBytes ?? 0) - bavail * bsize)).toBeLessThan(2 ** 30);
  await saves.abort(owner, id);
});

test('an abort, even in the middle of a write, keeps the old file', async () => {
  const target = join(folder, 'scan.stria');
  writeFileSync(target, 'before');
  const { id } = await saves.begin(owner, target);
  const writing = saves.write(owner, id, new Uint8Array(4_000_000));
  await Promise.all([writing, saves.abort(owner, id)]);
  expect(left()).toEqual(['scan.stria']);
  expect(readFileSync(target, 'utf8')).toBe('before');
  await expect(saves.write(owner, id, bytes(1))).rejects.toMatchObject({ tag: 'invalid-input' });
  await expect(saves.commit(owner, id)).rejects.toMatchObject({ tag: 'invalid-input' });
  await saves.abort(owner, id);
});

test('a save to a name that another save writes to is refused at once, until that one has ended', async () => {
  const target = join(folder, 'scan.stria');
  const first = await saves.begin(owner, target);
  await saves.write(owner, first.id, bytes(1));
  await expect(saves.begin(2, target)).rejects.toMatchObject({
    tag: 'not-writable',
    message: "'scan.stria' is being written. Choose another name, or wait until it is saved",
  });
  await saves.commit(owner, first.id);
  expect([...readFileSync(target)]).toEqual([1]);
  const second = await saves.begin(2, target);
  await saves.abort(2, second.id);
  const third = await saves.begin(2, target);
  await saves.write(2, third.id, bytes(2));
  await saves.commit(2, third.id);
  expect([...readFileSync(target)]).toEqual([2]);
  // A save that cannot begin does not keep the name.
  const missing = join(folder, 'none', 'scan.stria');
  for (const _ of [0, 1]) await expect(saves.begin(owner, missing)).rejects.not.toThrow('is being written');
});

test('closing a window aborts its own saves, and no others', async () => {
  await saves.begin(owner, join(folder, 'a.stria'));
  await saves.beginBeside(owner, folder, 'b.stria');
  const other = await saves.begin(2, join(folder, 'c.stria'));
  await saves.abortAll(owner);
  expect(saves.pending()).toBe(1);
  await expect(saves.write(owner, other.id, bytes(1))).rejects.toMatchObject({ tag: 'invalid-input' });
  expect(() => saves.savedPath(2, other.id)).toThrow('No such file was saved');
  await saves.commit(2, other.id);
  expect(() => saves.savedPath(owner, other.id)).toThrow('No such file was saved');
  expect(left()).toEqual(['c.stria']);
});

test('saving beside a file never replaces one, and saves do not replace each other', async () => {
  writeFileSync(join(folder, 'scan.stria'), 'before');
  const begun = await Promise.all([1, 2, 3].map(() => saves.beginBeside(owner, folder, 'scan.stria')));
  expect(begun.map(({ name }) => name)).toEqual(['scan (2).stria', 'scan (3).stria', 'scan (4).stria']);
  for (const [index, { id }] of begun.entries()) {
    await saves.write(owner, id, bytes(index));
    await saves.commit(owner, id);
  }
  expect(readFileSync(join(folder, 'scan.stria'), 'utf8')).toBe('before');
  expect(begun.map(({ name }) => readFileSync(join(folder, name))[0])).toEqual([0, 1, 2]);
});

test('levels beside a file are replaced, and so is a link in their place, but not what it leads to', async () => {
  writeFileSync(join(folder, 'theirs'), 'before');
  symlinkSync(join(folder, 'theirs'), join(folder, 'a.nii.levels.stria'));
  for (const value of [1, 2]) {
    const { id, name } = await saves.beginBeside(owner, folder, 'a.nii.levels.stria', true);
    expect(name).toBe('a.nii.levels.stria');
    await saves.write(owner, id, bytes(value));
    await saves.commit(owner, id);
    expect([...readFileSync(join(folder, name))]).toEqual([value]);
  }
  expect(readFileSync(join(folder, 'theirs'), 'utf8')).toBe('before');
});

test('a file that appears under the name meanwhile is kept', async () => {
  const { id, name } = await saves.beginBeside(owner, folder, 'scan.stria');
  writeFileSync(join(folder, name), 'theirs');
  await expect(saves.commit(owner, id)).rejects.toMatchObject({ tag: 'not-writable' });
  expect(left()).toEqual(['scan.stria']);
  expect(readFileSync(join(folder, name), 'utf8')).toBe('theirs');
});

test('a symbolic link is kept, and its target is written', async () => {
  mkdirSync(join(folder, 'far'));
  writeFileSync(join(folder, 'far', 'scan.stria'), 'before');
  symlinkSync(join(folder, 'far', 'scan.stria'), join(folder, 'link.stria'));
  const { id } = await saves.begin(owner, join(folder, 'link.stria'));
  await saves.write(owner, id, bytes(7));
  await saves.commit(owner, id);
  expect([...readFileSync(join(folder, 'far', 'scan.stria'))]).toEqual([7]);
  expect([...readFileSync(join(folder, 'link.stria'))]).toEqual([7]);
});

test('a dangling link is kept, and its target is created', async () => {
  mkdirSync(join(folder, 'far'));
  symlinkSync(join('far', 'inner.stria'), join(folder, 'link.stria'));
  symlinkSync('../new.stria', join(folder, 'far', 'inner.stria'));
  const { id } = await saves.begin(owner, join(folder, 'link.stria'));
  await saves.write(owner, id, bytes(7));
  await saves.commit(owner, id);
  expect(readlinkSync(join(folder, 'link.stria'))).toBe('far/inner.stria');
  expect(readlinkSync(join(folder, 'far', 'inner.stria'))).toBe('../new.stria');
  expect([...readFileSync(join(folder, 'new.stria'))]).toEqual([7]);
  symlinkSync('loop.stria', join(folder, 'loop.stria'));
  await expect(saves.begin(owner, join(folder, 'loop.stria'))).rejects.toMatchObject({
    tag: 'not-writable',
    message: expect.stringContaining('circular link'),
  });
  expect(saves.pending()).toBe(0);
});

test.each([0o600, 0o640, 0o666, 0o755])('a replaced file keeps its permissions, %o', async (mode) => {
  const target = join(folder, 'scan.stria');
  writeFileSync(target, 'before');
  chmodSync(target, mode);
  symlinkSync('scan.stria', join(folder, 'link.stria'));
  for (const chosen of ['scan.stria', 'link.stria']) {
    const { id } = await saves.begin(owner, join(folder, chosen));
    const [temporary = ''] = left().filter((name) => name.endsWith('.part'));
    expect(statSync(join(folder, temporary)).mode & 0o777).toBe(mode);
    await saves.commit(owner, id);
    expect(statSync(target).mode & 0o777).toBe(mode);
  }
});

test('a read-only file is not replaced', async () => {
  const target = join(folder, 'scan.stria');
  writeFileSync(target, 'before');
  chmodSync(target, 0o444);
  symlinkSync('scan.stria', join(folder, 'link.stria'));
  for (const name of ['scan.stria', 'link.stria']) {
    await expect(saves.begin(owner, join(folder, name))).rejects.toMatchObject({
      tag: 'not-writable',
      message: "'scan.stria' is read-only. Choose another name, or change its permissions first",
    });
  }
  expect(readFileSync(target, 'utf8')).toBe('before');
  expect(left()).toEqual(['link.stria', 'scan.stria']);
});

test('a pipe is not replaced', async () => {
  execFileSync('mkfifo', [join(folder, 'pipe')]);
  await expect(saves.begin(owner, join(folder, 'pipe'))).rejects.toMatchObject({ message: expect.stringContaining('a pipe') });
  expect(statSync(join(folder, 'pipe')).isFIFO()).toBe(true);
});

test('a save counts as pending until its temporary file is gone', async () => {
  const { id } = await saves.begin(owner, join(folder, 'a.stria'));
  void saves.write(owner, id, new Uint8Array(40_000_000));
  const aborted = saves.abort(owner, id);
  expect([saves.pending(), saves.pending(owner), saves.pending(2)]).toEqual([1, 1, 0]);
  await saves.abortAll();
  expect(left()).toEqual([]);
  expect(saves.pending()).toBe(0);
  await aborted;

  const second = await saves.begin(owner, join(folder, 'b.stria'));
  void saves.write(owner, second.id, new Uint8Array(40_000_000));
  const committed = saves.commit(owner, second.id);
  expect(saves.pending()).toBe(1);
  await saves.abortAll();
  // A file whose renaming had already started is complete and has its final name.
  expect(left()).toEqual(['b.stria']);
  await committed;
});

test('a save that is aborted while it starts leaves no file', async () => {
  const begun = saves.begin(owner, join(folder, 'a.stria'));
  const beside = saves.beginBeside(owner, folder, 'b.stria');
  await vi.waitFor(() => expect(saves.pending()).toBe(2), { interval: 0 });
  await saves.abortAll(owner);
  expect(left()).toEqual([]);
  await expect(saves.write(owner, (await begun).id, bytes(1))).rejects.toMatchObject({ tag: 'invalid-input' });
  await beside;
});

test('an impossible target is refused at once', async () => {
  mkdirSync(join(folder, 'series'));
  await expect(saves.begin(owner, join(folder, 'series'))).rejects.toMatchObject({ tag: 'not-writable' });
  await expect(saves.begin(owner, join(folder, 'none', 'a.stria'))).rejects.toMatchObject({ tag: 'not-writable' });
  expect(existsSync(join(folder, 'none'))).toBe(false);
  expect(saves.pending()).toBe(0);
});

test('a commit whose rename fails leaves no temporary file', async () => {
  const { id } = await saves.begin(owner, join(folder, 'scan.stria'));
  mkdirSync(join(folder, 'scan.stria', 'inner'), { recursive: true });
  await expect(saves.commit(owner, id)).rejects.toMatchObject({ tag: 'not-writable' });
  expect(left()).toEqual(['scan.stria']);
});

test('numbers for free names go before the extension', () => {
  const taken = new Set(['a.nii', 'a (2).nii', 'b', '.c'].map((name) => join('/f', name)));
  const free = (name: string) => freePath('/f', name, (path) => taken.has(path));
  expect(['a.nii', 'b', '.c', 'd'].map(free)).toEqual(['a (3).nii', 'b (2)', '.c (2)', 'd'].map((name) => join('/f', name)));
});

test('the relative path from a save to another file, as a session writes it', async () => {
  mkdirSync(join(folder, 'sessions'));
  const { id } = await saves.begin(owner, join(folder, 'sessions', 'a.stria-session'));
  expect(saves.relativePath(owner, id, join(folder, 'sessions', 'scan.nii'))).toBe('scan.nii');
  expect(saves.relativePath(owner, id, join(folder, 'data', 'scan.nii'))).toBe('../data/scan.nii');
  expect(() => saves.relativePath(owner + 1, id, folder)).toThrow('ended');
  await saves.abort(owner, id);
});

test('the name of a running save is recognised through a linked folder, and in other letter case', async () => {
  const [real, link] = [join(folder, 'real'), join(folder, 'link')];
  mkdirSync(real);
  symlinkSync(real, link);
  const first = await saves.begin(owner, join(real, 'scan.stria'));
  for (const path of [join(link, 'scan.stria'), join(real, 'SCAN.stria')])
    await expect(saves.begin(owner, path)).rejects.toMatchObject({
      tag: 'not-writable',
      message: expect.stringContaining('is being written'),
    });
  const beside = await saves.beginBeside(owner, link, 'scan.stria');
  expect(beside.name).toBe('scan (2).stria');
  for (const { id } of [first, beside]) await saves.abort(owner, id);
  const again = await saves.begin(owner, join(link, 'scan.stria'));
  await saves.abort(owner, again.id);
});
