import { expect, test } from 'vitest';
import type { VolumeInfo } from '../../core/shared/volume.ts';
import { volumeRows } from './info-rows.ts';

const info: VolumeInfo = {
  dims: [4, 3, 2, 1],
  type: 'u8',
  spacing: [0.000045875, 0.000044825, 0.00003925, 1],
  spatialUnit: 'um',
  timeUnit: 'unknown',
  affine: [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0],
  slope: 1,
  intercept: 0,
};
const spacingOf = (change: Partial<VolumeInfo>) =>
  volumeRows({ ...info, ...change }, 24).find(([name]) => name === 'Spacing')?.[1];

test('spacing below 10 nm is shown in nanometres, as in the app', () => {
  expect(spacingOf({})).toBe('0.045875 × 0.044825 × 0.03925 nm');
  expect(spacingOf({ spacing: [0.2, 0.2, 0.005, 1] })).toBe('0.2 × 0.2 × 0.005 um');
  expect(spacingOf({ spatialUnit: 'mm' })).toBe('0.000045875 × 0.000044825 × 0.00003925 mm');
  expect(spacingOf({ dims: [4, 3, 2, 5], spacing: [0.001, 0.001, 0.001, 2], timeUnit: 's' })).toBe('1 × 1 × 1 nm, 2 s');
});
