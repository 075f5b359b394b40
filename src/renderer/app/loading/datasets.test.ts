import { describe, expect, it } from 'vitest';
import { datasetBytes, dropWords, groupDatasets, offeredName, striaName } from './datasets.ts';

const group = (...names: string[]) =>
  groupDatasets(names.map((name) => ({ name }))).map(({ primary, companions }) => [
    primary.name,
    ...companions.map((file) => file.name),
  ]);

describe('groupDatasets', () => {
  it('keeps volumes apart', () => {
    expect(group('a.nii.gz', 'b.nrrd', 'c.stria')).toEqual([['a.nii.gz'], ['b.nrrd'], ['c.stria']]);
  });

  it('gives .hdr its .img in either order and any case', () => {
    expect(group('a.img', 'a.hdr', 'b.hdr', 'b.img')).toEqual([
      ['a.hdr', 'a.img'],
      ['b.hdr', 'b.img'],
    ]);
    expect(group('A.HDR', 'a.img')).toEqual([['A.HDR', 'a.img']]);
    expect(group('a.hdr', 'b.img')).toEqual([['a.hdr'], ['b.img']]);
  });

  it('gives .nhdr its data, by name or as the only header', () => {
    expect(group('a.nhdr', 'a.raw.gz', 'b.nii')).toEqual([['a.nhdr', 'a.raw.gz'], ['b.nii']]);
    expect(group('a.nhdr', 'voxels.bin')).toEqual([['a.nhdr', 'voxels.bin']]);
    expect(group('a.mhd', 'a.zraw', 'b.mha')).toEqual([['a.mhd', 'a.zraw'], ['b.mha']]);
    expect(group('a.mhd', 's1.raw', 's2.raw')).toEqual([['a.mhd', 's1.raw', 's2.raw']]);
    expect(group('a.nhdr', 'b.nhdr', 'voxels.bin')).toEqual([['a.nhdr'], ['b.nhdr'], ['voxels.bin']]);
  });

  it('gives raw its sidecar', () => {
    expect(group('a.raw', 'a.json')).toEqual([['a.raw', 'a.json']]);
    expect(group('a.raw', 'a.raw.json')).toEqual([['a.raw', 'a.raw.json']]);
    expect(group('other.json')).toEqual([['other.json']]);
    expect(group('a.nii.levels.stria', 'a.nii')).toEqual([['a.nii', 'a.nii.levels.stria']]);
    expect(group('a.h5-x.levels.stria', 'a.h5')).toEqual([['a.h5', 'a.h5-x.levels.stria']]);
    expect(group('b.nii.levels.stria', 'a.nii')).toEqual([['b.nii.levels.stria'], ['a.nii']]);
  });

  it('gives labels the table with their name', () => {
    expect(group('seg.csv', 'seg.nii.gz', 'other.txt')).toEqual([['seg.nii.gz', 'seg.csv'], ['other.txt']]);
    expect(group('seg.csv')).toEqual([['seg.csv']]);
  });
});

it('the size of a dataset is the sum of its files; for a header alone it is unknown', () => {
  const of = (name: string, size: number) => ({ name, size });
  expect(datasetBytes({ primary: of('a.nii.gz', 70), companions: [] })).toBe(70);
  expect(datasetBytes({ primary: of('a.hdr', 348), companions: [of('a.img', 1000)] })).toBe(1348);
  expect(datasetBytes({ primary: of('a.nii', 70), companions: [of('a.nii.levels.stria', 9)] })).toBe(70);
  expect(datasetBytes({ primary: of('a.nhdr', 200), companions: [] })).toBeUndefined();
});

describe('texts and names', () => {
  it('say what a drop will do', () => {
    const many = (count: number, type: string) => Array.from({ length: count }, () => type);
    expect(dropWords([''])).toBe('Drop to open');
    expect(dropWords(['image/png'])).toBe('Drop to open');
    expect(dropWords(many(12, ''))).toContain('12 files');
    expect(dropWords(many(240, 'image/png'))).toBe('Drop to play 240 frames');
    expect(dropWords(many(240, 'image/tiff'))).toBe('Drop to play 240 frames');
    expect(dropWords([...many(3, 'image/png'), 'image/tiff'])).toContain('4 files');
    expect(dropWords(many(3, 'image/jpeg'))).toContain('3 files');
  });

  it('name the compressed file after its source', () => {
    expect(striaName('scan.nii.gz')).toBe('scan.nii.stria');
    expect(striaName('scan.raw')).toBe('scan.raw.stria');
    expect(striaName('run.h5', '/entry/data')).toBe('run.h5-entry-data.stria');
    expect(['scan.nii.gz', 'a.b.NRRD', 'old.stria', '.nii', 'volume'].map((name) => offeredName(name))).toEqual([
      'scan.stria',
      'a.b.stria',
      'old.stria',
      '.nii.stria',
      'volume.stria',
    ]);
  });
});
