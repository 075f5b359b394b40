import { describe, expect, test } from 'vitest';
import type { FileFormat } from '../../core/shared/source.ts';
import { areExpectedPictures, expectedNames } from './expected-names.ts';

const voxels = (name: string) => ({ name, hasVoxels: true });
const header = (name: string) => ({ name, hasVoxels: false });
const names = (format: FileFormat, ...parts: ReturnType<typeof voxels>[]) => expectedNames({ format, parts }, 'a');

describe('usual names are kept', () => {
  test.each([
    ['nifti', 'scan.nii'],
    ['nifti', 'Gehirn (2) – größer.NII'],
    ['nrrd', 'scan.nrrd'],
    ['raw', 'foot_256x256x256_uint8.raw'],
    ['raw', 'scan.dat'],
    ['raw', 'scan.u16'],
    ['raw', 'scan.float32'],
  ] as const)('%s %s', (format, name) => {
    expect(names(format, voxels(name))).toEqual([name]);
  });

  test('of two parts', () => {
    expect(names('nifti', header('b.hdr'), voxels('b.img'))).toEqual(['b.hdr', 'b.img']);
    expect(names('raw', header('b.raw.json'), voxels('b.raw'))).toEqual(['b.raw.json', 'b.raw']);
    expect(names('nrrd', header('b.nhdr'), voxels('c.raw'))).toEqual(['b.nhdr', 'c.raw']);
  });
});

describe('unusual names are replaced by the container’s', () => {
  test.each([
    ['raw', '.bash_profile', 'a.raw'],
    ['raw', '.hidden.raw', 'a.raw'],
    ['raw', 'Makefile', 'a.raw'],
    ['raw', 'run.sh', 'a.raw'],
    ['raw', '-rf.raw', 'a.raw'],
    ['raw', 'stdin', 'a.raw'],
    ['raw', 'CON.raw', 'a.raw'],
    ['nifti', 'scan.nii.desktop', 'a.nii'],
    ['nifti', 'scan\u202eiin.nii', 'a.nii'],
    ['nrrd', 'setup.py', 'a.nrrd'],
    ['tiff', '.x.tif', 'a.tif'],
  ] as const)('%s %s', (format, name, expected) => {
    expect(names(format, voxels(name))).toEqual([expected]);
  });

  test('both parts are renamed, except a data file that a header names', () => {
    expect(names('nifti', header('.b.hdr'), voxels('b.img'))).toEqual(['a.hdr', 'a.img']);
    expect(names('raw', header('.npmrc'), voxels('b.raw'))).toEqual(['a.raw.json', 'a.raw']);
    expect(names('nrrd', header('.profile'), voxels('c.raw'))).toEqual(['a.nhdr', 'c.raw']);
    expect(() => names('nrrd', header('b.nhdr'), voxels('.profile'))).toThrow(/--to nrrd/);
  });

  test('pictures', () => {
    expect(areExpectedPictures(['a-1.png', 'b.PNG'], 'png')).toBe(true);
    expect(areExpectedPictures(['a-1.png', '.b.png'], 'png')).toBe(false);
  });
});
