import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { cpu, niftiFile, stria, succeed, testFolders } from './cli-testing.ts';

const folders = testFolders();
const { at } = folders;

function writeScan(): string {
  writeFileSync(at('scan.nii'), niftiFile([70, 66, 200], 2));
  return at('scan.nii');
}

const read = (name: string) => readFileSync(at(name));

test('levels are made by compress, merge and `levels`, listed, verified, ignored by decompress, and removed', async () => {
  const scan = writeScan();
  await succeed('compress', scan, '-o', at('bare.stria'), ...cpu);
  await succeed('compress', scan, '--levels', '-o', at('whole.stria'), ...cpu);
  expect(read('whole.stria').length).toBeGreaterThan(read('bare.stria').length);
  await succeed('compress', scan, '--no-levels', '-o', at('none.stria'), ...cpu);
  expect(read('none.stria')).toEqual(read('bare.stria'));
  expect((await succeed('info', at('whole.stria'))).stdout).toMatch(
    /^ *Levels +18 × 17 × 200, 9 × 9 × 100: means; .* % of the file$/m,
  );
  expect(JSON.parse((await succeed('info', at('whole.stria'), '--json')).stdout)).toMatchObject({
    levels: [{ level: 1, dims: [18, 17, 200], factors: [4, 4, 1], method: 'mean' }, { level: 2 }],
  });
  await succeed('verify', at('whole.stria'), ...cpu);
  await succeed('decompress', at('whole.stria'), '-o', at('again.nii'), ...cpu);
  expect(read('again.nii')).toEqual(read('scan.nii'));

  copyFileSync(at('bare.stria'), at('a.stria'));
  expect((await succeed('levels', at('a.stria'), ...cpu)).stdout).toMatch(/2 levels, /);
  expect(read('a.stria')).toEqual(read('whole.stria'));
  await succeed('levels', at('a.stria'), '--remove', ...cpu);
  expect(read('a.stria')).toEqual(read('bare.stria'));
  await succeed('levels', at('a.stria'), '--method', 'mode', '-o', at('labels.stria'), ...cpu);
  expect((await succeed('info', at('labels.stria'))).stdout).toMatch(/most frequent labels/);

  for (const number of [1, 2]) await succeed('compress', scan, '--part', `${number}/2`, '-o', `${at('parts')}/`, ...cpu);
  await succeed('merge', at('parts'), '--levels', '-o', at('merged.stria'), ...cpu);
  expect(read('merged.stria')).toEqual(read('whole.stria'));
});

test('the finest levels of a sparse volume are left out, which `info` and `levels` say', async () => {
  const scan = niftiFile([520, 70, 66], 1);
  for (let at = 352; at < scan.length; at++) scan[at] = at % 613 === 0 ? at % 251 : 0;
  writeFileSync(at('points.nii'), scan);
  await succeed('compress', at('points.nii'), '--levels=mean', '-o', at('points.stria'), ...cpu);
  const { stdout } = await succeed('info', at('points.stria'));
  expect(stdout).toMatch(/^ *Levels +65 × 9 × 33: means; .* % of the file$/m);
  expect(stdout).toMatch(/^ *Left out +130 × 18 × 66: too large for the file; made from its voxels when they are needed$/m);
  expect(JSON.parse((await succeed('info', at('points.stria'), '--json')).stdout)).toMatchObject({
    levels: [{ level: 1, dims: [65, 9, 33] }],
    leftOutLevels: [{ dims: [130, 18, 66], factors: [4, 4, 1] }],
  });
  await succeed('verify', at('points.stria'), ...cpu);
  const before = read('points.stria');
  const { stderr } = await succeed('levels', at('points.stria'), '--method', 'mean', ...cpu);
  expect(stderr).toMatch(/The finest level is left out, because levels would take more than 15 % of the file\.$/m);
  expect(read('points.stria')).toEqual(before);
});

test('a file that can have no levels stays as it was', async () => {
  const scan = writeScan();
  await succeed('compress', scan, '--part', '1/2', '-o', at('part.stria'), ...cpu);
  const before = read('part.stria');
  expect(await stria('levels', at('part.stria'), ...cpu)).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/part 1 of 2/),
  });
  expect(read('part.stria')).toEqual(before);
  expect(readdirSync(folders.folder).sort()).toEqual(['part.stria', 'scan.nii']);
  expect(await stria('compress', scan, '--part', '1/2', '--levels', ...cpu)).toMatchObject({ code: 2 });
  expect(await stria('compress', scan, '--no-levels', '--levels', ...cpu)).toMatchObject({ code: 2 });
  expect(await stria('levels', 'https://example.org/scan.stria', ...cpu)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('a file at a web address cannot be replaced; name the output with -o'),
  });
});

test('levels of a plain file are kept beside it, listed while they fit it, made again, and removed', async () => {
  writeFileSync(at('scan.nii'), niftiFile([200, 66, 70], 2));
  const before = read('scan.nii');
  expect((await succeed('levels', at('scan.nii'), ...cpu)).stdout).toMatch(/scan\.nii → .*scan\.nii\.levels\.stria {2}1 level, /);
  expect(readdirSync(folders.folder).sort()).toEqual(['scan.nii', 'scan.nii.levels.stria']);
  expect(read('scan.nii')).toEqual(before);
  const levels = read('scan.nii.levels.stria');
  expect((await succeed('info', at('scan.nii'))).stdout).toMatch(/^ *Levels +100 × 33 × 70: scan\.nii\.levels\.stria$/m);
  await succeed('verify', at('scan.nii.levels.stria'), ...cpu);
  // They stay the file's when they are written again.
  await succeed('levels', at('scan.nii.levels.stria'), ...cpu);
  expect(JSON.parse((await succeed('info', at('scan.nii'), '--json')).stdout)).toMatchObject({
    levels: { file: 'scan.nii.levels.stria', count: 1 },
  });

  const changed = Buffer.from(before);
  changed[5000] = (changed[5000] as number) ^ 1;
  writeFileSync(at('scan.nii'), changed);
  expect((await succeed('info', at('scan.nii'))).stdout).toMatch(
    /scan\.nii\.levels\.stria is not used: .*\. `stria levels` makes it again$/m,
  );
  writeFileSync(at('scan.nii.levels.stria'), levels.subarray(0, 300));
  expect((await succeed('info', at('scan.nii'))).stdout).toMatch(/is not used: /);
  await succeed('levels', at('scan.nii'), '--method', 'mode', ...cpu);
  expect((await succeed('info', at('scan.nii'))).stdout).toMatch(/100 × 33 × 70: scan/);

  await succeed('levels', at('scan.nii'), '--remove');
  expect(readdirSync(folders.folder)).toEqual(['scan.nii']);
  expect(await stria('levels', at('scan.nii'), '--remove')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('to remove'),
  });
});

test('a small series needs no levels, whatever its chunks', async () => {
  writeFileSync(at('series.raw'), new Uint8Array(17 * 21 * 3 * 20));
  await succeed('compress', at('series.raw'), '--dims', '17,21,3,20', '--type', 'u8', ...cpu, '-q');
  const { stderr } = await succeed('levels', at('series.stria'), ...cpu);
  expect(stderr).toContain('No axis is longer than 128 voxels, so the volume needs no levels.');
});

test('levels that cannot be kept are refused, and nothing is left', async () => {
  writeFileSync(at('scan.nii'), niftiFile([200, 20, 20], 2));
  writeFileSync(at('packed.nii.gz'), gzipSync(read('scan.nii')));
  writeFileSync(at('small.nii'), niftiFile([20, 20, 20], 2));
  for (const [args, words] of [
    [['packed.nii.gz'], /can only be read in order/],
    [['small.nii'], /no axis is longer than 128/],
    [['scan.nii', '-o', at('nowhere/a.levels.stria')], /nowhere/],
    [['scan.nii', '--dataset', 'x'], /only one volume/],
  ] as const) {
    const [name, ...others] = args;
    const { code, stderr } = await stria('levels', at(name), ...others, ...cpu);
    expect([code === 0, stderr]).toEqual([false, expect.stringMatching(words)]);
  }
  expect(readdirSync(folders.folder).sort()).toEqual(['packed.nii.gz', 'scan.nii', 'small.nii']);
});
