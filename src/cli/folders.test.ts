import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { beforeEach, describe, expect, test } from 'vitest';
import { cpu, niftiFile, nrrdFile, stria, succeed, testFolders } from './cli-testing.ts';

const place = testFolders();
const { at } = place;
const scan = niftiFile([20, 10, 6], 2);

beforeEach(() => {
  mkdirSync(at('study/deep'), { recursive: true });
});

describe('a folder of one volume', () => {
  beforeEach(() => writeFileSync(at('study/deep/scan.nii'), scan));

  test.each(['study', 'study/'])('%s is compressed beside itself, by its name, and comes back', async (name) => {
    await succeed('compress', at(name), ...cpu);
    expect(readdirSync(place.folder).sort()).toEqual(['study', 'study.stria']);
    await succeed('decompress', at('study.stria'), '-o', at('back.nii'), ...cpu);
    expect(readFileSync(at('back.nii'))).toEqual(Buffer.from(scan));
  });

  test('is described', async () => {
    const text = (await succeed('info', at('study'))).stdout;
    expect(text).toMatch(/^Folder .*study$/m);
    expect(text).toMatch(/^Volume {2,}deep\/scan\.nii · scan\.nii · NIfTI/m);
    expect(text).toMatch(/20 × 10 × 6, i16/);
    const json = JSON.parse((await succeed('info', at('study'), '--json')).stdout);
    expect(json).toMatchObject({
      format: 'nifti',
      dataset: { id: 'deep/scan.nii', type: 'i16' },
      volume: { dims: [20, 10, 6, 1] },
    });
    expect((await succeed('info', at('study'), '--tags')).stdout).toMatch(/no metadata/);
  });
});

describe('a folder of several volumes', () => {
  beforeEach(() => {
    writeFileSync(at('study/scan.nii'), scan);
    writeFileSync(at('study/deep/other.nrrd'), nrrdFile([8, 8, 8], 1));
    writeFileSync(at('study/deep/broken.nii'), scan.subarray(0, 400));
  });

  test('asks which one, with a table, and writes nothing', async () => {
    const ended = await stria('compress', at('study'), ...cpu);
    expect(ended.code).toBe(2);
    expect(ended.stderr).toMatch(/several volumes: .*there are 2 volumes here/);
    expect(ended.stderr).toMatch(/^ID +Volume +Shape$/m);
    expect(ended.stderr).toMatch(/^deep\/other\.nrrd +deep \/ other\.nrrd +8 × 8 × 8 u8 +NRRD/m);
    expect(ended.stderr).toMatch(/^deep\/broken\.nii .*cannot be opened: .*ends early/m);
    expect(ended.stderr).toMatch(/--dataset ID/);
    expect(readdirSync(place.folder)).toEqual(['study']);
    const json = JSON.parse((await stria('compress', at('study'), '--json', ...cpu)).stdout);
    expect(json.error).toMatchObject({ tag: 'several' });
    expect(json.error.volumes).toHaveLength(3);
  });

  test('one is taken by its id, which is in the name of the output', async () => {
    await succeed('compress', at('study'), '--dataset', 'deep/other.nrrd', ...cpu);
    expect(existsSync(at('study-deep-other.nrrd.stria'))).toBe(true);
    await succeed('decompress', at('study-deep-other.nrrd.stria'), '-o', at('back.nrrd'), ...cpu);
    expect(readFileSync(at('back.nrrd'))).toEqual(Buffer.from(nrrdFile([8, 8, 8], 1)));
    expect((await stria('compress', at('study'), '--dataset', 'none', ...cpu)).stderr).toMatch(/no volume 'none' here/);
  });

  test('all are listed', async () => {
    const text = (await succeed('info', at('study'))).stdout;
    expect(text).toMatch(/^Holds +3 volumes/m);
    expect(text).toMatch(/^scan\.nii +scan\.nii +20 × 10 × 6 i16/m);
    const json = JSON.parse((await succeed('info', at('study'), '--json')).stdout);
    expect(json.volumes.map(({ id }: { id: string }) => id)).toEqual(['deep/broken.nii', 'deep/other.nrrd', 'scan.nii']);
    expect((await succeed('info', at('study'), '--dataset', 'scan.nii')).stdout).toMatch(/20 × 10 × 6, i16/);
  });

  test('an input in it is never replaced', async () => {
    const ended = await stria('compress', at('study'), '--dataset', 'scan.nii', '-o', at('study/scan.nii'), ...cpu);
    expect(ended).toMatchObject({ code: 2, stderr: expect.stringMatching(/would replace the input/) });
    expect(readFileSync(at('study/scan.nii'))).toEqual(Buffer.from(scan));
  });
});

test('a folder without volumes, and one that is not there, are refused by name', async () => {
  writeFileSync(at('study/notes.txt'), 'hello');
  expect(await stria('compress', at('study'), ...cpu)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/none of the 1 files/),
  });
  expect(await stria('info', at('none'))).toMatchObject({ code: 3 });
});
