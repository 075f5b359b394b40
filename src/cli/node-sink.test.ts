import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createNodeSink } from './node-sink.ts';

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
  expect(readdirSync(folder)).toEqual([expect.stringMatching(/^\.a\.stria\.\d+-[0-9a-f]{8}\.partial$/)]);
  await sink.close();
  expect(readFileSync(path, 'utf8')).toBe('one two');
  expect(readdirSync(folder)).toEqual(['a.stria']);
});

test('an abort leaves nothing, and what was there stays', async () => {
  const path = join(folder, 'a.stria');
  writeFileSync(path, 'before');
  const sink = await createNodeSink(path, { overwrite: true });
  await sink.write(bytes('after'));
  await sink.abort();
  await sink.abort();
  expect(readFileSync(path, 'utf8')).toBe('before');
  expect(readdirSync(folder)).toEqual(['a.stria']);
});

test('an existing file is replaced only where that is allowed, and keeps its permissions', async () => {
  const path = join(folder, 'a.stria');
  writeFileSync(path, 'before', { mode: 0o600 });
  await expect(createNodeSink(path, fresh)).rejects.toMatchObject({ tag: 'not-writable', message: /exists already; add -f/ });
  const sink = await createNodeSink(path, { overwrite: true });
  await sink.write(bytes('after'));
  await sink.close();
  expect(readFileSync(path, 'utf8')).toBe('after');
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('a file that comes into being meanwhile is not replaced', async () => {
  const path = join(folder, 'a.stria');
  const sink = await createNodeSink(path, fresh);
  writeFileSync(path, 'meanwhile');
  await expect(sink.close()).rejects.toMatchObject({ tag: 'not-writable' });
  expect(readFileSync(path, 'utf8')).toBe('meanwhile');
  expect(readdirSync(folder)).toEqual(['a.stria']);
});

test('an input is never replaced, by whatever name', async () => {
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

test('a folder and a missing folder are told apart', async () => {
  mkdirSync(join(folder, 'sub'));
  await expect(createNodeSink(join(folder, 'sub'), fresh)).rejects.toMatchObject({
    tag: 'not-writable',
    message: /it is a folder/,
  });
  const missing = createNodeSink(join(folder, 'none', 'a'), fresh);
  await expect(missing).rejects.toMatchObject({ tag: 'not-writable', message: /none does not exist/ });
  writeFileSync(join(folder, 'file'), '');
  const under = createNodeSink(join(folder, 'file', 'a'), fresh);
  await expect(under).rejects.toMatchObject({ tag: 'not-writable', message: /not a folder/ });
});

test.runIf(existsSync('/dev/full'))('a full disk says so', async () => {
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

test('a name of the greatest length works', async () => {
  const path = join(folder, `${'n'.repeat(249)}.stria`);
  const sink = await createNodeSink(path, fresh);
  await sink.close();
  expect(existsSync(path)).toBe(true);
});
