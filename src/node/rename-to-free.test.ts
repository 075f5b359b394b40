import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { renameToFree } from './rename-to-free.ts';

const folder = mkdtempSync(join(tmpdir(), 'stria-rename-'));
afterAll(() => rmSync(folder, { recursive: true }));
const at = (name: string) => join(folder, name);

test.each([undefined, 'EPERM', 'EISDIR'])(
  'a name is taken once, also on a file system that answers links with %s',
  async (code) => {
    const refuse = () => Promise.reject(Object.assign(new Error(code), { code, syscall: 'link' }));
    const rename = (from: string) => renameToFree(at(from), at('a.stria'), code === undefined ? undefined : refuse);
    writeFileSync(at('a.part'), 'new');
    await rename('a.part');
    expect(readdirSync(folder)).toEqual(['a.stria']);
    writeFileSync(at('b.part'), 'other');
    await expect(rename('b.part')).rejects.toMatchObject({ code: 'EEXIST' });
    expect(readFileSync(at('a.stria'), 'utf8')).toBe('new');
    for (const name of readdirSync(folder)) rmSync(at(name));
  },
);

test('any other fault of a link is told', async () => {
  writeFileSync(at('a.part'), 'new');
  const refuse = () => Promise.reject(Object.assign(new Error('full'), { code: 'ENOSPC', syscall: 'link' }));
  await expect(renameToFree(at('a.part'), at('a.stria'), refuse)).rejects.toMatchObject({ code: 'ENOSPC' });
  expect(readdirSync(folder)).toEqual(['a.part']);
});
