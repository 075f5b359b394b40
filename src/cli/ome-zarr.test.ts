import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import { cpu, niftiFile, scanBytes, start, stria, testFolders } from './cli-testing.ts';

const dims = [140, 50, 30] as const;
const place = testFolders();
const { at } = place;
const container = join(place.work, 'scan.stria');

beforeAll(async () => {
  writeFileSync(join(place.work, 'scan.nii'), niftiFile(dims, 2));
  expect((await stria('compress', join(place.work, 'scan.nii'), ...cpu)).code).toBe(0);
});

const write = (...more: readonly string[]) => stria('decompress', container, '--to', 'ome-zarr', ...cpu, ...more);

async function valuesOf(input: string): Promise<Buffer> {
  expect(await stria('compress', input, '-o', at('again.stria'), '--dataset', '0', ...cpu)).toMatchObject({ code: 0 });
  expect(await stria('decompress', at('again.stria'), '--to', 'raw', '-o', at('again.raw'), '-f', ...cpu)).toMatchObject({
    code: 0,
  });
  return readFileSync(at('again.raw'));
}

test.each(['scan.ome.zarr', 'scan.ome.zarr.zip', 'plain.zip', 'scan.ozx'])(
  '%s holds the volume and smaller levels',
  async (name) => {
    const ended = await write('-o', at(name));
    expect(ended, ended.stderr).toMatchObject({ code: 0 });
    expect(ended.stderr).not.toContain('despite its ending');
    expect(readdirSync(place.folder)).toEqual([name]);
    expect(Buffer.compare(await valuesOf(at(name)), scanBytes(dims, 2))).toBe(0);
    const listed = await stria('info', at(name), '--dataset', '1', '--json');
    expect(JSON.parse(listed.stdout).volume).toMatchObject({ dims: [70, 25, 30, 1], type: 'i16' });
  },
);

test('without a name it is written beside the container; with a folder, into that', async () => {
  mkdirSync(at('out'));
  expect(await write('-o', at('out'))).toMatchObject({ code: 0 });
  expect(readdirSync(at('out'))).toEqual(['scan.ome.zarr']);
  expect(await write()).toMatchObject({ code: 0 });
  expect(existsSync(join(place.work, 'scan.ome.zarr/zarr.json'))).toBe(true);
});

test('an existing Zarr is replaced only with -f, and nothing else is', async () => {
  const target = at('scan.ome.zarr');
  expect(await write('-o', target)).toMatchObject({ code: 0 });
  const refused = await write('-o', target);
  expect(refused.code).not.toBe(0);
  expect(refused.stderr).toContain('already exists; add -f');
  writeFileSync(join(target, 'zarr.json'), 'old');
  expect(await write('-o', target, '-f')).toMatchObject({ code: 0 });
  expect(readFileSync(join(target, 'zarr.json'), 'utf8')).not.toBe('old');
  expect(readdirSync(place.folder)).toEqual(['scan.ome.zarr']);
  writeFileSync(join(target, 'note.txt'), 'mine');
  expect((await write('-o', target, '-f')).stderr).toContain('with other contents (note.txt)');
  expect(readFileSync(join(target, 'note.txt'), 'utf8')).toBe('mine');
  mkdirSync(at('b.zarr'));
  writeFileSync(at('b.zarr/thesis.tex'), 'all of it');
  const other = await write('-o', at('b.zarr'), '-f');
  expect(other.stderr).toContain('with other contents');
  writeFileSync(at('file'), '');
  expect((await write('-o', at('file'), '-f')).stderr).toContain('is a file, but the output is a folder');
  expect((await write('-o', '-')).stderr).toContain('name it with -o');
  expect(readdirSync(place.folder).sort()).toEqual(['b.zarr', 'file', 'scan.ome.zarr']);
  expect(readFileSync(at('b.zarr/thesis.tex'), 'utf8')).toBe('all of it');
});

test('a Zarr that contains the input is not replaced', async () => {
  const target = at('scan.zarr');
  expect(await write('-o', target)).toMatchObject({ code: 0 });
  const input = join(target, 'x.stria');
  copyFileSync(container, input);
  const refused = await stria('decompress', '--to', 'ome-zarr', '-f', '-o', target, input, ...cpu);
  expect(refused.code).not.toBe(0);
  expect(refused.stderr).toContain('contains the input');
  expect(existsSync(input)).toBe(true);
  expect(readdirSync(place.folder)).toEqual(['scan.zarr']);
});

test.skipIf(!existsSync('/dev/full'))('a full disk is named', async () => {
  // Named like a ZIP, so that the device is written.
  const link = at('full.zip');
  symlinkSync('/dev/full', link);
  const ended = await write('-o', link);
  expect(ended.code).not.toBe(0);
  expect(ended.stderr).toContain('the disk is full');
});

test('a cancel leaves nothing', async () => {
  const bytes = new Uint8Array(256 ** 3 * 2);
  let state = 1;
  for (let index = 0; index < bytes.length; index++) {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    bytes[index] = state >>> 27;
  }
  writeFileSync(at('big.raw'), bytes);
  const size = ['--dims', '256,256,256', '--type', 'u16'];
  expect(await stria('compress', at('big.raw'), ...size, ...cpu)).toMatchObject({ code: 0 });
  rmSync(at('big.raw'));
  const { child, ended } = start(['decompress', at('big.stria'), '--to', 'ome-zarr', ...cpu]);
  const partial = () => readdirSync(place.folder).find((name) => name.includes('.partial'));
  while (child.exitCode === null && partial() === undefined) await sleep(5);
  expect(partial()).toBeDefined();
  await sleep(100);
  child.kill('SIGINT');
  expect((await ended).code).not.toBe(0);
  expect(readdirSync(place.folder)).toEqual(['big.stria']);
});
