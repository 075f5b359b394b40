import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { NodeFiles } from './node-source.ts';

let folder: string;
const files = new NodeFiles();
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stria-source-'));
});
afterEach(async () => {
  await files.close();
  rmSync(folder, { recursive: true });
});

test('reads at any offset, and returns fewer bytes only at the end', async () => {
  writeFileSync(
    join(folder, 'a.raw'),
    Uint8Array.from({ length: 100 }, (_, i) => i),
  );
  const source = await files.open(join(folder, 'a.raw'));
  expect(source).toMatchObject({ name: 'a.raw', size: 100 });
  expect([...(await source.read(10, 3))]).toEqual([10, 11, 12]);
  expect([...(await source.read(98, 1e15))]).toEqual([98, 99]);
  expect((await source.read(100, 5)).length).toBe(0);
  expect((await source.read(1e12, 5)).length).toBe(0);
});

test('a file that shrinks while open gives what is left', async () => {
  const path = join(folder, 'a.raw');
  writeFileSync(path, new Uint8Array(100));
  const source = await files.open(path);
  truncateSync(path, 40);
  expect((await source.read(30, 50)).length).toBe(10);
});

test('a write to an open file is noticed at the end', async () => {
  const path = join(folder, 'a.raw');
  writeFileSync(path, 'before');
  await files.open(path);
  await files.checkUnchanged();
  writeFileSync(path, 'after!');
  await expect(files.checkUnchanged()).rejects.toMatchObject({ tag: 'not-readable', message: /changed while it was read/ });
});

test.each(['rewritten', 'replaced'])('a file of a stack that is %s between two reads is refused', async (how) => {
  const path = join(folder, 'a.png');
  writeFileSync(path, 'before');
  const source = await NodeFiles.openWhenRead(path);
  expect(String(Buffer.from(await source.read(0, 6)))).toBe('before');
  if (how === 'replaced') rmSync(path);
  writeFileSync(path, 'after!');
  await expect(source.read(0, 6)).rejects.toMatchObject({ tag: 'not-readable', message: /changed while it was read/ });
});

test('a read can be cancelled', async () => {
  writeFileSync(join(folder, 'a.raw'), 'x');
  const source = await files.open(join(folder, 'a.raw'));
  await expect(source.read(0, 1, { signal: AbortSignal.abort() })).rejects.toMatchObject({
    tag: 'aborted',
  });
});

test('a path that is not a readable file gives a clear message', async () => {
  mkdirSync(join(folder, 'sub'));
  await expect(files.open(join(folder, 'none'))).rejects.toMatchObject({ tag: 'not-readable', message: /no such file/ });
  await expect(files.open(join(folder, 'sub'))).rejects.toMatchObject({
    tag: 'not-readable',
    message: /is a folder; name a file/,
  });
  await expect(files.open('/dev/null')).rejects.toMatchObject({ tag: 'not-readable', message: /not a regular file/ });
});

test('siblings are found only in the same folder', async () => {
  writeFileSync(join(folder, 'a.hdr'), '');
  writeFileSync(join(folder, 'a.img'), 'voxels');
  mkdirSync(join(folder, 'sub'));
  const find = files.siblingsOf(join(folder, 'a.hdr'));
  expect(await find('a.img')).toMatchObject({ name: 'a.img', size: 6 });
  for (const name of ['b.img', '../a.img', 'sub/../a.img', '', '.', '..', '/etc/passwd', 'a\0.img']) {
    expect(await find(name)).toBeUndefined();
  }
  await expect(find('sub')).rejects.toMatchObject({ tag: 'not-readable' });
});

test('of many siblings only some stay open; a change to any of them is noticed', async () => {
  const names = Array.from({ length: 100 }, (_, number) => `${number}.tif`);
  for (const name of names) writeFileSync(join(folder, name), name);
  const own = new NodeFiles();
  const find = own.siblingsOf(join(folder, '0.tif'));
  const sources = [];
  for (const name of names) sources.push(await find(name));
  expect(sources.filter((source) => source?.file).length).toBeLessThan(50);
  for (const [number, name] of names.entries()) expect(String(Buffer.from((await sources[number]?.read(0, 9)) ?? []))).toBe(name);
  expect(own.paths).toEqual(names.map((name) => join(folder, name)));
  expect(await find('none.tif')).toBeUndefined();
  await own.checkUnchanged();
  writeFileSync(join(folder, '99.tif'), 'after!');
  await expect(sources[99]?.read(0, 6)).rejects.toMatchObject({ tag: 'not-readable', message: /changed while it was read/ });
  await expect(own.checkUnchanged()).rejects.toMatchObject({ message: /99\.tif changed while it was read/ });
  await own.close();
});
