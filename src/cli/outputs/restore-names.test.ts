import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { FileFormat } from '../../core/shared/source.ts';
import { endingNote, exportBaseName, restoreOutputs, restorePlaces } from './restore-names.ts';

const folder = mkdtempSync(join(tmpdir(), 'stria-restore-'));
afterAll(() => rmSync(folder, { recursive: true }));

const part = (name: string, hasVoxels: boolean) => ({ name, hasVoxels, before: new Uint8Array(), after: new Uint8Array() });
const paths = async (format: FileFormat, parts: ReturnType<typeof part>[], output?: string) =>
  [...(await restoreOutputs('/d/a.stria', { format, parts }, output)).values()].map(({ path, named }) => [path, named]);

const pair = [part('scan.hdr', false), part('scan.img', true)];
const sidecar = [part('scan.raw.json', false), part('scan.raw', true)];
const detached = [part('scan.nhdr', false), part('data.raw', true)];

test('without -o, and into a folder, each part has its own name', async () => {
  expect(await paths('nifti', [part('scan.nii', true)])).toEqual([['/d/scan.nii', false]]);
  expect(await paths('nifti', pair, folder)).toEqual([
    [join(folder, 'scan.hdr'), false],
    [join(folder, 'scan.img'), false],
  ]);
});

test('-o names a single part, whatever its own name was', async () => {
  expect(await paths('nifti', [part('../evil', true)], '/o/b')).toEqual([['/o/b', true]]);
});

test.each(['/o/brain', '/o/brain.hdr', '/o/brain.IMG'])('-o %s is the stem of a pair', async (output) => {
  expect((await paths('nifti', pair, output)).map(([path]) => path)).toEqual(['/o/brain.hdr', '/o/brain.img']);
});

test('a raw file gets the name, and so does its sidecar', async () => {
  expect(await paths('raw', sidecar, '/o/b.raw')).toEqual([
    ['/o/b.raw.json', true],
    ['/o/b.raw', true],
  ]);
});

test('an NRRD header gets the name; its data file keeps the name in the header', async () => {
  expect(await paths('nrrd', detached, '/o/b.nhdr')).toEqual([
    ['/o/b.nhdr', true],
    ['/o/data.raw', false],
  ]);
});

test.each(['../up.nii', '/etc/passwd', 'a\\b', '..', '', 'a\0b'])('a part called %j cannot escape the folder', async (name) => {
  await expect(paths('nifti', [part(name, true)])).rejects.toMatchObject({ tag: 'corrupt', message: /not a plain file name/ });
});

test('a gzip ending is refused, a wrong ending is noted', async () => {
  await expect(paths('nifti', pair, 'b.nii.gz')).rejects.toMatchObject({ tag: 'invalid-input', message: /leave out the \.gz/ });
  expect(endingNote('b.nrrd', 'nifti')).toMatch(/holds nifti/);
  expect(endingNote('b.nii', 'nifti')).toBeUndefined();
  expect(endingNote('b', 'nifti')).toBeUndefined();
  expect(endingNote('b.ome.tif', 'tiff')).toMatch(/--to ome-tiff/);
  expect(endingNote('b.tif', 'tiff')).toBeUndefined();
  expect(endingNote('b.zip', 'nifti')).toMatch(/--to ome-zarr/);
});

test.each(['b.h5', 'b.dcm', 'b.mat'])('the note on %s names no format that Stria cannot write', (path) => {
  expect(endingNote(path, 'nifti')).toBe(`${path} holds nifti despite its ending`);
});

test('an export is named after the container', () => {
  expect(exportBaseName('/d/scan.v2.stria')).toBe('scan.v2');
});

test('a header cannot get the name of its data file', async () => {
  for (const name of ['/o/data.raw', '/o/DATA.raw']) {
    const refusal = { tag: 'invalid-input', message: expect.stringMatching('data file') };
    await expect(paths('nrrd', detached, name)).rejects.toMatchObject(refusal);
  }
});

test('leftovers are looked for wherever files may be restored', async () => {
  const own = { paths: ['/data/scan.stria', join('/data/scan', '_')], root: '/data/scan' };
  expect(await restorePlaces('/data/scan.stria', undefined)).toEqual(own);
  expect(await restorePlaces('/data/scan.stria', '/other/')).toEqual({ paths: [join('/other/', '_')], root: '/other/' });
  expect(await restorePlaces('/data/scan.stria', '/other/a.nii')).toEqual({ paths: ['/other/a.nii'] });
  expect(await restorePlaces('/data/scan.stria', '-')).toEqual({ paths: [] });
});
