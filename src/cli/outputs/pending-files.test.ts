import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createNodeSink } from './node-sink.ts';
import { makeFolder } from './output-names.ts';
import { type PendingFiles, withPendingFiles } from './pending-files.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stria-pending-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

async function writeFile(name: string, pending: PendingFiles): Promise<void> {
  const sink = await createNodeSink(join(folder, name), { overwrite: false, pending });
  await sink.write(new TextEncoder().encode(name));
  await sink.close();
}

test('files get their names once all of them are complete', async () => {
  await withPendingFiles(async (pending) => {
    await writeFile('a', pending);
    await writeFile('b', pending);
    expect([existsSync(join(folder, 'a')), existsSync(join(folder, 'b'))]).toEqual([false, false]);
  });
  expect(readdirSync(folder).sort()).toEqual(['a', 'b']);
  expect(readFileSync(join(folder, 'b'), 'utf8')).toBe('b');
});

test('a failure removes the files and the folders that were created for them', async () => {
  writeFileSync(join(folder, 'own'), 'kept');
  const work = withPendingFiles(async (pending) => {
    for (const name of ['x/y/a', 'x/z/b', 'c']) {
      await makeFolder(join(folder, name, '..'), pending);
      await writeFile(name, pending);
    }
    throw new Error('cancelled');
  });
  await expect(work).rejects.toThrow('cancelled');
  expect(readdirSync(folder)).toEqual(['own']);
});

test('a folder that holds something else stays', async () => {
  const work = withPendingFiles(async (pending) => {
    await makeFolder(join(folder, 'x'), pending);
    await writeFile('x/a', pending);
    writeFileSync(join(folder, 'x/own'), 'kept');
    throw new Error('cancelled');
  });
  await expect(work).rejects.toThrow('cancelled');
  expect(readdirSync(join(folder, 'x'))).toEqual(['own']);
});

test('a file that was made meanwhile is kept', async () => {
  const work = withPendingFiles(async (pending) => {
    await writeFile('a', pending);
    writeFileSync(join(folder, 'a'), 'kept');
  });
  await expect(work).rejects.toMatchObject({ tag: 'not-writable', message: expect.stringContaining('already exists') });
  expect(readdirSync(folder)).toEqual(['a']);
  expect(readFileSync(join(folder, 'a'), 'utf8')).toBe('kept');
});

test('a failure while files get their names leaves none of the new ones', async () => {
  const work = withPendingFiles(async (pending) => {
    await makeFolder(join(folder, 'x'), pending);
    for (const name of ['x/a', 'b', 'c']) await writeFile(name, pending);
    writeFileSync(join(folder, 'b'), 'kept');
  });
  await expect(work).rejects.toMatchObject({ tag: 'not-writable' });
  expect(readdirSync(folder)).toEqual(['b']);
  expect(readFileSync(join(folder, 'b'), 'utf8')).toBe('kept');
});
