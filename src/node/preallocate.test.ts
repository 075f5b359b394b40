import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { preallocate } from './preallocate.ts';

const memory = '/dev/shm';
const hasMemory = existsSync(memory) && statfsSync(memory).type === 0x01021994;
const canAllocate = hasMemory && spawnSync('fallocate', ['--version']).status === 0;
const byteLength = 2 ** 26;

const folders: string[] = [];
const folderIn = (parent: string) => {
  const folder = mkdtempSync(join(parent, 'stria-preallocate-test-'));
  folders.push(folder);
  return folder;
};
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

test.skipIf(!canAllocate)(
  'a file in memory gets its pages, also if it has lost its name, and what is written stays',
  async () => {
    const folder = folderIn(memory);
    const path = join(folder, 'a.raw');
    const file = await open(path, 'wx');
    try {
      await file.write('first');
      rmSync(path);
      await preallocate(file, byteLength);
      await vi.waitFor(async () => expect((await file.stat()).blocks * 512).toBe(byteLength), { timeout: 10_000 });
      await file.write(' second');
      expect(await readdir(folder)).toEqual([]);
      expect((await file.stat()).size).toBe(byteLength);
    } finally {
      await file.close();
    }
  },
);

test.skipIf(!canAllocate)('a small file, and one on a disk, are left alone', async () => {
  const onDisk = folderIn(tmpdir());
  const places: [string, number][] = [[folderIn(memory), byteLength - 1]];
  if (statfsSync(onDisk).type !== statfsSync(memory).type) places.push([onDisk, byteLength]);
  for (const [folder, length] of places) {
    const file = await open(join(folder, 'a.raw'), 'wx');
    await preallocate(file, length);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect((await file.stat()).size).toBe(0);
    await file.close();
  }
});
