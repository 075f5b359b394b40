import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createNodeSink, lowSpace } from './node-sink.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stria-sink-'));
});
afterEach(() => {
  chmodSync(folder, 0o700);
  rmSync(folder, { recursive: true });
});

const bytes = (text: string) => new TextEncoder().encode(text);
const fresh = { overwrite: false };

test('the file has its name only once it is closed', async () => {
  const path = join(folder, 'a.stria');
  const sink = await createNodeSink(path, fresh);
  await sink.write(bytes('one '));
  await sink.write(bytes('two'));
  expect(existsSync(path)).toBe(false);
  expect(readdirSync(folder)).toEqual([expect.stringMatching(/^\.a\.stria\.[0-9a-f]{8}-\d+-[0-9a-f]{8}\.partial$/)]);
  await sink.close();
  expect(readFileSync(path, 'utf8')).toBe('one two');
  expect(readdirSync(folder)).toEqual(['a.stria']);
});

test('an abort leaves no new file and keeps the old one', async () => {
  const path = join(folder, 'a.stria');
  writeFileSync(path, 'before');
  const sink = await createNodeSink(path, { overwrite: true });
  await sink.write(bytes('after'));
  await sink.abort();
  await sink.abort();
  expect(readFileSync(path, 'utf8')).toBe('before');
  expect(readdirSync(folder)).toEqual(['a.stria']);
});

test('an existing file is replaced only with permission, and keeps its mode', async () => {
  const path = join(folder, 'a.stria');
  writeFileSync(path, 'before', { mode: 0o600 });
  await expect(createNodeSink(path, fresh)).rejects.toMatchObject({ tag: 'not-writable', message: /already exists; add -f/ });
  const sink = await createNodeSink(path, { overwrite: true });
  await sink.write(bytes('after'));
  await sink.close();
  expect(readFileSync(path, 'utf8')).toBe('after');
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('a file created in the meantime is not replaced', async () => {
  const path = join(folder, 'a.stria');
  const sink = await createNodeSink(path, fresh);
  writeFileSync(path, 'meanwhile');
  await expect(sink.close()).rejects.toMatchObject({ tag: 'not-writable' });
  expect(readFileSync(path, 'utf8')).toBe('meanwhile');
  expect(readdirSync(folder)).toEqual(['a.stria']);
});

test('an input is never replaced, under any name', async () => {
  const input = join(folder, 'in.raw');
  writeFileSync(input, 'precious');
  symlinkSync(input, join(folder, 'link.raw'));
  for (const path of [input, join(folder, 'link.raw'), join(folder, '.', 'in.raw')]) {
    const made = createNodeSink(path, { overwrite: true, inputs: [input] });
    await expect(made).rejects.toMatchObject({ tag: 'invalid-input', message: /would replace the input/ });
  }
  expect(readFileSync(input, 'utf8')).toBe('precious');
});

test('a link is followed, not replaced', async () => {
  const target = join(folder, 'target');
  writeFileSync(target, 'before');
  symlinkSync(target, join(folder, 'link'));
  const sink = await createNodeSink(join(folder, 'link'), { overwrite: true });
  await sink.write(bytes('after'));
  await sink.close();
  expect(readFileSync(target, 'utf8')).toBe('after');
});

test('a folder and a missing folder give different messages', async () => {
  mkdirSync(join(folder, 'sub'));
  await expect(createNodeSink(join(folder, 'sub'), fresh)).rejects.toMatchObject({
    tag: 'not-writable',
    message: /is a folder; name a file in it/,
  });
  const missing = createNodeSink(join(folder, 'none', 'a'), fresh);
  await expect(missing).rejects.toMatchObject({ tag: 'not-writable', message: /none does not exist/ });
  writeFileSync(join(folder, 'file'), '');
  const under = createNodeSink(join(folder, 'file', 'a'), fresh);
  await expect(under).rejects.toMatchObject({ tag: 'not-writable', message: /not a folder/ });
});

test.runIf(existsSync('/dev/full'))('a full disk is reported as such', async () => {
  const sink = await createNodeSink('/dev/full', fresh);
  await expect(sink.write(bytes('x'))).rejects.toMatchObject({ tag: 'not-writable', message: '/dev/full: the disk is full' });
  await sink.abort();
  expect(existsSync('/dev/full')).toBe(true);
});

test('a device is written directly, and stays a device', async () => {
  const sink = await createNodeSink('/dev/null', fresh);
  await sink.write(bytes('x'));
  await sink.close();
  expect(statSync('/dev/null').isCharacterDevice()).toBe(true);
});

test.each(['n'.repeat(249), '脳'.repeat(83)])('a name of the maximum length works', async (name) => {
  const path = join(folder, `${name}.stria`);
  const sink = await createNodeSink(path, fresh);
  await sink.close();
  expect(existsSync(path)).toBe(true);
});

test('of two writers of one new name that may replace files, the second is refused and leaves nothing, unless forced', async () => {
  const path = join(folder, 'a.stria');
  const sinks = [{ overwrite: true }, { overwrite: true }, { overwrite: true, force: true }].map((options) =>
    createNodeSink(path, options),
  );
  for (const [at, sink] of (await Promise.all(sinks)).entries()) {
    await sink.write(bytes(String(at)));
    const closed = sink.close();
    if (at === 1)
      await expect(closed).rejects.toMatchObject({ tag: 'not-writable', message: /created by another program meanwhile/ });
    else await closed;
    expect(readFileSync(path, 'utf8')).toBe(['0', '0', '2'][at]);
  }
  expect(readdirSync(folder)).toEqual(['a.stria']);
});

test('a dangling link created in the meantime is not replaced', async () => {
  const path = join(folder, 'a.stria');
  const sink = await createNodeSink(path, fresh);
  symlinkSync('nowhere', path);
  await expect(sink.close()).rejects.toMatchObject({ tag: 'not-writable', message: /already exists/ });
  expect(readdirSync(folder)).toEqual(['a.stria']);
  expect(readlinkSync(path)).toBe('nowhere');
});

test('a dangling link: its target is written', async () => {
  symlinkSync('named', join(folder, 'middle'));
  symlinkSync('middle', join(folder, 'link'));
  await expect(createNodeSink(join(folder, 'link'), fresh)).rejects.toMatchObject({ message: /already exists/ });
  const sink = await createNodeSink(join(folder, 'link'), { overwrite: true });
  await sink.write(bytes('new'));
  await sink.close();
  expect(readlinkSync(join(folder, 'link'))).toBe('middle');
  expect(readFileSync(join(folder, 'named'), 'utf8')).toBe('new');
});

test('the permissions of a replaced file do not depend on the umask', async () => {
  const path = join(folder, 'a.stria');
  writeFileSync(path, 'before');
  chmodSync(path, 0o664);
  const sink = await createNodeSink(path, { overwrite: true });
  await sink.close();
  expect(statSync(path).mode & 0o777).toBe(0o664);
});

test('written bytes reach the file within a second, even if nothing follows', async () => {
  const sink = await createNodeSink(join(folder, 'a.stria'), fresh);
  const partial = join(folder, readdirSync(folder)[0] as string);
  await sink.write(bytes('one '));
  await sleep(1000);
  expect(readFileSync(partial, 'utf8')).toBe('one ');
  await sink.write(bytes('two '));
  await sleep(1000);
  await sink.write(bytes('three'));
  await sink.close();
  expect(readFileSync(join(folder, 'a.stria'), 'utf8')).toBe('one two three');
});

test('a disk without enough room is refused before anything is written, or said where the size is not known', async () => {
  const path = join(folder, 'a.stria');
  await expect(createNodeSink(path, { ...fresh, byteLength: 2 ** 62 })).rejects.toMatchObject({
    tag: 'not-writable',
    message: expect.stringMatching(/a\.stria: .* are needed, but the disk has only .* free; choose another disk/),
  });
  expect(readdirSync(folder)).toEqual([]);
  const said: string[] = [];
  const onLowSpace = (text: string) => said.push(text);
  await (await createNodeSink(path, { ...fresh, mostBytes: 1, onLowSpace })).abort();
  expect(said).toEqual([]);
  await (await createNodeSink(path, { ...fresh, mostBytes: 2 ** 62, onLowSpace })).close();
  expect(said).toEqual([expect.stringMatching(/^low disk space: .* free, and the volume takes .* if it does not compress$/)]);
  expect(await lowSpace(join(folder, 'none'), 2 ** 62)).toBeUndefined();
});
