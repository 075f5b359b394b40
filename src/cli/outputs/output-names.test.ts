import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { compressOutputs, makeFolder, stemOf } from './output-names.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stria-names-'));
  mkdirSync(join(folder, 'out'));
  writeFileSync(join(folder, 'file'), '');
});
afterEach(() => rmSync(folder, { recursive: true }));

test.each([
  ['/data/scan.nii.gz', 'scan'],
  ['scan.nii', 'scan'],
  ['scan.v2.NHDR', 'scan.v2'],
  ['volume.dat.gz', 'volume'],
  ['notes.txt', 'notes.txt'],
  ['.nii', '.nii'],
])('the stem of %s is %s', (path, stem) => {
  expect(stemOf(path)).toBe(stem);
});

test('one input: beside it, into a folder, or under the given name', async () => {
  expect(await compressOutputs(['/d/a.nii'], undefined)).toEqual([{ path: '/d/a.stria', named: false }]);
  expect(await compressOutputs(['/d/a.nii'], join(folder, 'out'))).toEqual([
    { path: join(folder, 'out', 'a.stria'), named: false },
  ]);
  expect(await compressOutputs(['/d/a.nii'], join(folder, 'x'))).toEqual([{ path: join(folder, 'x'), named: true }]);
});

test('a web address: in the current folder, by the last part of its path', async () => {
  const address = 'https://example.org/data/my%20cells.ome.zarr/?key=1';
  expect(await compressOutputs([address], undefined)).toEqual([{ path: 'my cells.ome.zarr.stria', named: false }]);
});

test('several inputs: a folder, which may be missing', async () => {
  const outputs = await compressOutputs(['a.nii', 'b.nrrd'], join(folder, 'new'));
  expect(outputs.map(({ path }) => path)).toEqual([join(folder, 'new', 'a.stria'), join(folder, 'new', 'b.stria')]);
  await expect(compressOutputs(['a.nii', 'b.nii'], join(folder, 'file'))).rejects.toMatchObject({ tag: 'invalid-input' });
});

test('two inputs never share one output', async () => {
  const made = compressOutputs(['/d/a.nii', '/d/a.nrrd'], undefined);
  await expect(made).rejects.toMatchObject({ tag: 'invalid-input', message: /both become \/d\/a\.stria/ });
  // The same name, written in two ways.
  await expect(compressOutputs(['a.nii', resolve('a.nrrd')], undefined)).rejects.toMatchObject({ message: /both become/ });
});

test('standard input needs an output name, and standard output takes one file', async () => {
  expect(await compressOutputs(['-'], 'a.stria')).toEqual([{ path: 'a.stria', named: true }]);
  expect(await compressOutputs(['a.nii'], '-')).toEqual([{ path: '-', named: true }]);
  expect(await compressOutputs(['-'], '-')).toEqual([{ path: '-', named: true }]);
  for (const [inputs, output] of [
    [['-'], undefined],
    [['-'], folder],
    [['-', 'b.nii'], 'out/'],
    [['a.nii', 'b.nii'], '-'],
  ] as const) {
    await expect(compressOutputs(inputs, output)).rejects.toMatchObject({ tag: 'invalid-input', message: /standard/ });
  }
});

test('a folder under the name of a file is refused in words', async () => {
  const file = join(folder, 'file');
  await expect(makeFolder(file)).rejects.toMatchObject({
    tag: 'not-writable',
    message: `${file} is a file, but the output is a folder; give another name with -o`,
  });
});
