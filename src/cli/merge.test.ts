import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cpu, niftiFile, scanBytes, start, stria, succeed, testFolders } from './cli-testing.ts';

const folders = testFolders();
const { at } = folders;

const dims = [70, 66, 200] as const;

/** A scan of four layers of chunks. */
function writeScan(): string {
  writeFileSync(at('scan.nii'), niftiFile(dims, 2));
  return at('scan.nii');
}

test('machines compress shares of a scan, and merge gives the file of one machine', async () => {
  const scan = writeScan();
  await succeed('compress', scan, '-o', at('whole.stria'), ...cpu);
  for (const number of [3, 1, 2]) await succeed('compress', scan, '--part', `${number}/3`, '-o', `${at('parts')}/`, ...cpu);
  expect(readdirSync(at('parts')).sort()).toEqual([1, 2, 3].map((number) => `scan.part-${number}-of-3.stria`));
  const { stdout: said } = await succeed('merge', at('parts'), '-o', at('merged.stria'));
  expect(said).toMatch(/^3 parts, \d+ chunks → .*merged\.stria/m);
  expect(readFileSync(at('merged.stria'))).toEqual(readFileSync(at('whole.stria')));
  const { stdout } = await succeed('info', join(at('parts'), 'scan.part-2-of-3.stria'), '--json');
  expect(JSON.parse(stdout)).toMatchObject({ part: 'part 2 of 3' });
});

test('a task of a Slurm array takes its number from Slurm', async () => {
  const scan = writeScan();
  const task = (id: string) =>
    start(['compress', scan, '--part', '/4', ...cpu], { ...process.env, SLURM_ARRAY_TASK_ID: id }).ended;
  expect(await task('4')).toMatchObject({ code: 0 });
  expect(existsSync(at('scan.part-4-of-4.stria'))).toBe(true);
  expect((await task('0')).stderr).toMatch(/parts are numbered from 1 to 4 \(from SLURM_ARRAY_TASK_ID; use --array=1-4\)/);
  const { SLURM_ARRAY_TASK_ID: _, ...outside } = process.env;
  const { code, stderr } = await start(['compress', scan, '--part', '/4', ...cpu], outside).ended;
  expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringMatching(/not set; write --part 1\/4/) });
});

test('raw pieces of a volume, one file each, are merged', async () => {
  const voxels = scanBytes(dims, 1);
  writeFileSync(at('volume.raw'), voxels);
  const raw = (z: number) => ['--dims', `70,66,${z}`, '--type', 'u8', ...cpu];
  await succeed('compress', at('volume.raw'), '-o', at('whole.stria'), ...raw(200));
  mkdirSync(at('pieces'));
  for (const z of [0, 64, 128]) {
    const end = z === 128 ? 200 : z + 64;
    const piece = at(`piece${z}.raw`);
    writeFileSync(piece, voxels.subarray(z * 70 * 66, end * 70 * 66));
    const box = ['--origin', `0,0,${z}`, '--of', '70,66,200'];
    await succeed('compress', piece, ...box, '-o', at('pieces'), ...raw(end - z));
  }
  await succeed('merge', at('pieces'), '-o', at('merged.stria'));
  expect(readFileSync(at('merged.stria'))).toEqual(readFileSync(at('whole.stria')));
});

test('merge into the folder of the parts can be run again', async () => {
  const scan = writeScan();
  for (const number of [1, 2]) await succeed('compress', scan, '--part', `${number}/2`, '-o', `${at('parts')}/`, ...cpu);
  const output = join(at('parts'), 'scan.stria');
  await succeed('merge', at('parts'), '-o', output);
  const first = readFileSync(output);
  await succeed('merge', at('parts'), '-o', output);
  expect(readFileSync(output)).toEqual(first);
});

test('merge refuses what is not all parts of one volume, and leaves an existing output alone', async () => {
  const scan = writeScan();
  for (const number of [1, 3]) await succeed('compress', scan, '--part', `${number}/3`, '-o', `${at('parts')}/`, ...cpu);
  writeFileSync(at('merged.stria'), 'before');
  const missing = await stria('merge', at('parts'), '-o', at('merged.stria'));
  expect(missing).toMatchObject({ code: 2, stderr: expect.stringMatching(/of 3 parts, 2 is missing/) });
  copyFileSync(join(at('parts'), 'scan.part-1-of-3.stria'), join(at('parts'), 'again.stria'));
  const doubled = await stria('merge', at('parts'), '-o', at('merged.stria'));
  expect(doubled).toMatchObject({ code: 2, stderr: expect.stringMatching(/again\.stria and .* both hold the same part/) });
  expect((await stria('merge', scan, '-o', at('merged.stria'))).code).not.toBe(0);
  expect(readFileSync(at('merged.stria'), 'utf8')).toBe('before');
  expect(readdirSync(folders.folder).filter((name) => name.includes('partial'))).toEqual([]);
});

test('volumes of one grid are summed into a wider type', async () => {
  const voxels = scanBytes([20, 18, 16], 1);
  for (const name of ['a.raw', 'b.raw']) {
    writeFileSync(at(name), voxels);
    await succeed('compress', at(name), '--dims', '20,18,16', '--type', 'u8', ...cpu);
  }
  const limited = await succeed('merge', at('a.stria'), at('b.stria'), '--by', 'sum', '-o', at('sum.stria'), ...cpu);
  expect(limited.stderr).toMatch(/sums were limited .* --type chooses a wider one/);
  const wide = await succeed(
    'merge',
    at('a.stria'),
    at('b.stria'),
    '--by',
    'sum',
    '--type',
    'u16',
    '-o',
    at('wide.stria'),
    ...cpu,
  );
  expect(wide.stdout).toMatch(/^2 volumes → .*wide\.stria .* combined/);
  await succeed('decompress', at('wide.stria'), '-o', at('wide.raw'), ...cpu);
  const sums = new Uint16Array(new Uint8Array(readFileSync(at('wide.raw'))).buffer);
  expect([...sums]).toEqual([...voxels].map((value) => 2 * value));
});

test('a part without voxels says so', async () => {
  writeFileSync(at('flat.nii'), niftiFile([20, 10, 4], 1));
  const { stdout } = await succeed('compress', at('flat.nii'), '--part', '1/2', '-o', at('empty.stria'), ...cpu);
  expect(stdout).toContain('part 1 of 2 → ');
  expect(stdout).toContain('holds no voxels');
  expect((await succeed('info', at('empty.stria'))).stdout).toMatch(/Chunks +0 of [\d ×]+\n/);
});
