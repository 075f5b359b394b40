import { describe, expect, test } from 'vitest';
import type { VolumeInfo } from '../../../core/shared/volume.ts';
import { isMeasurable, type Measurement, middleOf, nextIdentity, sizeOf, sliceOf, withPoint } from './measure.ts';
import { degreesBetween, lengthOf, metricOf, voxelVolume } from './metric.ts';

const info: VolumeInfo = {
  dims: [40, 40, 20, 1],
  type: 'i16',
  spacing: [1, 1, 1, 1],
  spatialUnit: 'mm',
  timeUnit: 's',
  // Voxels of 0.5 × 0.5 × 2 mm, rotated by 30° about the head-foot axis.
  // biome-ignore format: a matrix
  affine: [0.5 * Math.cos(Math.PI / 6), -0.5 * Math.sin(Math.PI / 6), 0, -10,
           0.5 * Math.sin(Math.PI / 6), 0.5 * Math.cos(Math.PI / 6), 0, 4,
           0, 0, 2, 8],
  slope: 1,
  intercept: 0,
};
const metric = metricOf(info);
const measurement = (kind: Measurement['kind'], points: Measurement['points'], axis: Measurement['axis'] = 'z'): Measurement => ({
  id: `${kind}-1`,
  name: kind,
  kind,
  axis,
  timePoint: 0,
  points,
});

describe('lengths follow from the affine', () => {
  test('along and across the axes, however the volume is rotated', () => {
    expect(lengthOf(metric, [1, 0, 0])).toBeCloseTo(0.5, 12);
    expect(lengthOf(metric, [0, 0, 1])).toBeCloseTo(2, 12);
    expect(lengthOf(metric, [6, 8, 6])).toBeCloseTo(13, 12);
    expect(voxelVolume(metric)).toBeCloseTo(0.5, 12);
  });

  test('for a sheared volume, whose axes are not at right angles', () => {
    // In a gantry tilted by 45°, z moves as far forward as up.
    const tilted = metricOf({ ...info, affine: [1, 0, 0, 1, 0, 1, 1, 0, 0, 0, 1, 0] });
    expect(lengthOf(tilted, [0, 0, 1])).toBeCloseTo(Math.SQRT2, 12);
    expect(lengthOf(tilted, [0, -1, 1])).toBeCloseTo(1, 12);
    expect(degreesBetween(tilted, [0, 1, 0], [0, 0, 1])).toBeCloseTo(45, 9);
    expect(voxelVolume(tilted)).toBeCloseTo(1, 12);
  });

  test('from the spacing if there is no usable affine', () => {
    expect(lengthOf(metricOf({ ...info, affine: [], spacing: [3, 4, 5, 1] }), [1, 1, 0])).toBeCloseTo(5, 12);
  });
});

test('sizes are computed from the points', () => {
  expect(
    sizeOf(
      measurement('distance', [
        [0, 0, 0.5],
        [6, 8, 0.5],
      ]),
      metric,
    ),
  ).toEqual({ kind: 'distance', length: expect.closeTo(5, 9) });
  const angle = measurement('angle', [
    [4, 0, 3.5],
    [0, 0, 3.5],
    [4, 4, 3.5],
  ]);
  expect(sizeOf(angle, metric)).toEqual({ kind: 'angle', degrees: expect.closeTo(45, 9) });
  // Across x a voxel is 0.5 mm wide and 2 mm high, so a diagonal in voxels is not a diagonal in millimetres.
  const flat = measurement(
    'angle',
    [
      [0.5, 4, 0],
      [0.5, 0, 0],
      [0.5, 4, 1],
    ],
    'x',
  );
  expect(sizeOf(flat, metric)).toEqual({ kind: 'angle', degrees: expect.closeTo(45, 9) });
  const rectangle = measurement(
    'rectangle',
    [
      [0.5, 10, 2],
      [0.5, 4, 5],
    ],
    'x',
  );
  expect(sizeOf(rectangle, metric)).toEqual({ kind: 'rectangle', width: expect.closeTo(3, 9), height: expect.closeTo(6, 9) });
  const sphere = measurement('sphere', [
    [10, 10, 10.5],
    [16, 18, 10.5],
  ]);
  expect(sizeOf(sphere, metric)).toEqual({ kind: 'sphere', diameter: expect.closeTo(10, 9) });
});

test('an angle without its second leg is unknown', () => {
  const leg = measurement('angle', [
    [4, 0, 3.5],
    [0, 0, 3.5],
  ]);
  expect(sizeOf(leg, metric)).toEqual({ kind: 'angle', degrees: Number.NaN });
});

test('measurements without extent are not kept', () => {
  expect(
    isMeasurable(
      measurement('distance', [
        [1, 1, 1],
        [1, 1, 1],
      ]),
      metric,
    ),
  ).toBe(false);
  expect(
    isMeasurable(
      measurement('angle', [
        [1, 1, 1],
        [1, 1, 1],
        [2, 1, 1],
      ]),
      metric,
    ),
  ).toBe(false);
  expect(
    isMeasurable(
      measurement('angle', [
        [1, 1, 1],
        [2, 1, 1],
      ]),
      metric,
    ),
  ).toBe(false);
  expect(
    isMeasurable(
      measurement('rectangle', [
        [1, 1, 1],
        [2, 1, 1],
      ]),
      metric,
    ),
  ).toBe(false);
  expect(
    isMeasurable(
      measurement('sphere', [
        [1, 1, 1],
        [2, 1, 1],
      ]),
      metric,
    ),
  ).toBe(true);
});

test('a sphere moves by its centre and grows by its surface', () => {
  const sphere = measurement('sphere', [
    [10, 10, 7.5],
    [14, 10, 7.5],
  ]);
  expect(withPoint(sphere, 0, [11, 12, 7.5]).points).toEqual([
    [11, 12, 7.5],
    [15, 12, 7.5],
  ]);
  expect(withPoint(sphere, 1, [10, 12, 7.5]).points).toEqual([
    [10, 10, 7.5],
    [10, 12, 7.5],
  ]);
  expect(sliceOf(sphere)).toBe(7);
  expect(middleOf(sphere)).toEqual([10, 10, 7.5]);
});

test('numbers in names go up and are never reused', () => {
  const first = nextIdentity('angle', []);
  expect(first).toEqual({ id: 'angle-1', name: 'Angle 1' });
  const second = { ...measurement('angle', []), ...nextIdentity('angle', [{ ...measurement('angle', []), ...first }]) };
  expect(second.name).toBe('Angle 2');
  expect(nextIdentity('angle', [second]).id).toBe('angle-3');
  expect(nextIdentity('sphere', [second]).id).toBe('sphere-1');
});
