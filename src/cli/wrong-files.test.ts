import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { stria, testFolders } from './cli-testing.ts';

// What commands say about files that they cannot use.

const folders = testFolders();
const small = 'testdata/small.stria';
const input = (name: string) => join(folders.work, name);
const output = (name: string) => ['-o', input(name)];

beforeAll(() => {
  writeFileSync(input('empty'), '');
  writeFileSync(input('empty.stria'), '');
  writeFileSync(input('notes.txt'), 'hello world, a text\n');
  mkdirSync(input('folder'));
  writeFileSync(input('folder/notes.txt'), 'a text\n');
  copyFileSync(small, input('small.stria'));
  copyFileSync('resources/icon.png', input('pic.png'));
});

async function said(...args: string[]): Promise<{ code: number | null; stderr: string }> {
  const { code, stderr } = await stria(...args, '-q');
  return { code, stderr: stderr.replaceAll(folders.work, 'DIR') };
}

describe.each([
  ['verify', []],
  ['decompress', output('out.nii')],
  ['recover', output('out.stria')],
  ['merge', output('out.stria')],
] as const)('stria %s', (command, rest) => {
  test('says that a file is empty, whatever its name', async () => {
    for (const [name, title] of [
      ['empty', 'not supported'],
      ['empty.stria', 'damaged file'],
    ] as const) {
      const { code, stderr } = await said(command, input(name), ...rest);
      expect(stderr).toContain(`${title}: DIR/${name}: the file is empty`);
      expect(code).toBe(1);
    }
  });

  test('says that another file is no .stria, and what to do', async () => {
    for (const name of ['notes.txt', 'pic.png']) {
      const { code, stderr } = await said(command, input(name), ...rest);
      expect(stderr).toContain(
        `not supported: DIR/${name}: this is not a .stria file. If it holds a volume, \`stria info\` describes it`,
      );
      expect(code).toBe(1);
    }
  });

  test('names a missing file once', async () => {
    const { code, stderr } = await said(command, input('missing.stria'), ...rest);
    expect(stderr).toBe('stria: cannot read: DIR/missing.stria: no such file or folder\n');
    expect(code).toBe(3);
  });
});

test('stria merge: a folder without .stria files', async () => {
  const { code, stderr } = await said('merge', input('folder'), ...output('out.stria'));
  expect(stderr).toBe('stria: invalid input: DIR/folder: the folder holds no .stria files\n');
  expect(code).toBe(2);
});

test('stria deposit: an option for particles, and a .stria file', async () => {
  const { stderr } = await said('deposit', input('small.stria'), '--size', '8', ...output('out.stria'));
  expect(stderr).toBe('stria: invalid input: --size is for particles, but DIR/small.stria is a .stria file\n');
});

test('stria bench compare: a file that is no result', async () => {
  const { code, stderr } = await said('bench', 'compare', input('notes.txt'), input('notes.txt'));
  expect(stderr).toContain('not supported: DIR/notes.txt: this is not a result that `stria bench` wrote');
  expect(code).toBe(1);
});

test('stria bench files: a file that Stria cannot read, and one that it does not restore byte for byte', async () => {
  const bench = (name: string) =>
    said('bench', 'files', input(name), '--tools', 'stria', '--repetitions', '1', '--device', 'cpu');
  const unread = await bench('notes.txt');
  expect(unread.stderr).toContain("`stria compress` failed: not supported: DIR/notes.txt: Stria doesn't recognise this file");
  expect(unread.stderr).not.toContain('Please report');
  expect(unread.code).toBe(1);
  const picture = await bench('pic.png');
  expect(picture.stderr).toContain('does not restore pic.png byte for byte; give files that it restores');
  expect(picture.code).toBe(1);
});

test('the help lists formats without indentation', async () => {
  const { stdout } = await stria('--help');
  const lines = stdout.split('\n');
  const first = lines.findIndex((line) => line.startsWith('Formats it reads'));
  const list = lines.slice(first, lines.indexOf('', first));
  expect(list.length).toBeGreaterThan(1);
  for (const line of list) expect(line).toMatch(/^\S.{0,119}$/);
});

test.each([
  ['picture', '--size SIZE', 'size in pixels: WxH, or N for a square (default 1024x768)'],
  ['movie', '--force', 'replace a folder of frames'],
  ['sample', '--type TYPE', 'voxel type: u8 (default), u16 or f32'],
  ['sample', '--size SIZE', 'size of the volume in voxels: N for a cube, or X,Y,Z'],
  ['compress', '--type TYPE', 'voxel type of a raw file: u8 i8 u16 i16 u32 i32 u64 i64 f32 f64'],
  ['deposit', '--box X,Y,Z,DX,DY,DZ', 'only this box: first corner and lengths, in the units of the particles'],
])('the help of %s says what %s means there', async (command, option, words) => {
  const { stdout } = await stria(command, '--help');
  const line = stdout.split('\n').find((each) => each.includes(`${option} `));
  expect(line?.endsWith(` ${words}`), line).toBe(true);
});
