import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { basename } from 'node:path';
import { expect, test } from 'vitest';
import { ServedFile, served } from '../testing/web-server-testing.ts';
import { cpu, start, stria, succeed, testFolders } from './cli-testing.ts';

const folders = testFolders();

/** Serves files by their names; every seventh request fails. */
async function withFiles(paths: readonly string[], work: (address: string) => Promise<void>): Promise<void> {
  const files = new Map(paths.map((path) => [`/d/${basename(path)}`, new ServedFile(readFileSync(path))]));
  let count = 0;
  const listener: RequestListener = (request, response) => {
    const file = files.get(new URL(request.url ?? '', 'http://a').pathname);
    if (++count % 7 === 0) response.socket?.destroy();
    else if (file === undefined) response.writeHead(404).end();
    else file.listener(request, response);
  };
  await served(listener, (address) => work(`${address}/d`));
}

/** Runs the command in the test's folder. */
const inFolder = async (...args: readonly string[]) => {
  const ended = await start(args, process.env, [], folders.folder).ended;
  expect(ended, ended.stderr).toMatchObject({ code: 0 });
  return ended;
};

test('commands take addresses where they take files', async () => {
  const [nifti, stria] = [folders.at('scan.nii'), folders.at('local.stria')];
  await succeed('sample', 'phantom', '--size', '70,60,50', '-o', nifti);
  await succeed('compress', nifti, '-o', stria, ...cpu);
  const original = readFileSync(nifti);
  await withFiles([nifti, stria], async (address) => {
    await inFolder('compress', `${address}/scan.nii?key=1`, ...cpu);
    expect(readFileSync(folders.at('scan.stria')).equals(readFileSync(stria))).toBe(true);
    expect(JSON.parse((await succeed('info', `${address}/local.stria`, '--json')).stdout)).toMatchObject({ format: 'stria' });
    expect(JSON.parse((await succeed('info', `${address}/scan.nii`, '--json')).stdout)).toMatchObject({ format: 'nifti' });
    expect((await succeed('verify', `${address}/local.stria`, ...cpu)).stdout).toContain('sound');
    const rows = async (input: string) => JSON.parse((await succeed('stats', input, '--json', ...cpu)).stdout).rows;
    expect(await rows(`${address}/local.stria`)).toEqual(await rows(nifti));
    expect(await rows(`${address}/scan.nii`)).toEqual(await rows(nifti));
    await succeed('recover', `${address}/local.stria`, '-o', folders.at('recovered.stria'));
    await succeed('verify', folders.at('recovered.stria'), ...cpu);
    rmSync(nifti);
    await inFolder('decompress', `${address}/local.stria`, ...cpu);
    expect(readFileSync(nifti).equals(original)).toBe(true);
    await inFolder('decompress', `${address}/local.stria`, '--to', 'ome-tiff', ...cpu);
    expect(readFileSync(folders.at('local.ome.tif')).byteLength).toBeGreaterThan(0);
  });
});

test('a file in two parts is found at its address', async () => {
  const voxels = new Uint8Array(60).map((_, index) => index * 4);
  const header = 'NRRD0004\ntype: uint8\ndimension: 3\nsizes: 5 4 3\nencoding: raw\ndata file: voxels.raw\n';
  writeFileSync(folders.at('voxels.raw'), voxels);
  writeFileSync(folders.at('scan.nhdr'), header);
  await withFiles([folders.at('scan.nhdr'), folders.at('voxels.raw')], async (address) => {
    const { stdout } = await succeed('stats', `${address}/scan.nhdr`, '--json', ...cpu);
    expect(JSON.parse(stdout).rows).toMatchObject([{ count: 60, min: 0, max: 236 }]);
  });
});

test('parts at addresses are merged', async () => {
  const nifti = folders.at('scan.nii');
  await succeed('sample', 'phantom', '--size', '64,64,130', '-o', nifti);
  await succeed('compress', nifti, '-o', folders.at('whole.stria'), ...cpu);
  const parts = [1, 2].map((number) => folders.at(`part${number}.stria`));
  for (const [at, part] of parts.entries()) await succeed('compress', nifti, '--part', `${at + 1}/2`, '-o', part, ...cpu);
  await withFiles(parts, async (address) => {
    await succeed('merge', `${address}/part1.stria`, `${address}/part2.stria`, '-o', folders.at('merged.stria'));
    expect(readFileSync(folders.at('merged.stria')).equals(readFileSync(folders.at('whole.stria')))).toBe(true);
  });
});

test('faults name the address and say what to do', async () => {
  await withFiles([], async (address) => {
    const ended = await stria('info', `${address}/none.stria?key=secret`);
    expect(ended.code).not.toBe(0);
    expect(ended.stderr).toContain(`${address}/none.stria: there is nothing at this address (404)`);
    expect(ended.stderr).not.toContain('secret');
  });
  expect((await stria('info', 'https://me:pw@example.org/a.stria')).stderr).toContain('leave them out');
});
