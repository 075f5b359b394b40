import { expect, test } from 'vitest';
import type { FileFormat } from '../../../core/shared/source.ts';
import type { VolumeInfo } from '../../../core/shared/volume.ts';
import { hasOrientation } from '../../viewer/model/orientation.ts';
import { shownInfo } from './shown-info.ts';

const info: VolumeInfo = {
  dims: [4, 4, 4, 1],
  type: 'u8',
  spacing: [1, 1, 1, 1],
  spatialUnit: 'um',
  timeUnit: 'unknown',
  // An origin, as in stage positions of microscopes and in MRC maps.
  affine: [1, 0, 0, 100, 0, 1, 0, 200, 0, 0, 1, 300],
  slope: 1,
  intercept: 0,
};

test.each([
  ['nifti', 'um', true],
  ['dicom', 'mm', true],
  ['nrrd', 'unknown', true],
  ['mrc', 'um', false],
  ['vti', 'unknown', false],
  ['tiff', 'mm', false],
  ['zarr', 'um', false],
  ['zarr', 'mm', true],
  ['hdf5', 'unknown', false],
] as const)('the sides of %s in %s are named: %s', (format: FileFormat, spatialUnit, isNamed) => {
  const shown = shownInfo({ ...info, spatialUnit }, format);
  expect(hasOrientation(shown)).toBe(isNamed);
  // The positions of voxels are kept.
  expect(shown).toMatchObject({ ...info, spatialUnit });
});
