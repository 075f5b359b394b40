import { expect, test } from 'vitest';
import type { Region } from '../../../core/volume/region-statistics.ts';
import { testInfo } from '../../../core/volume/resident-testing.ts';
import type { Measurement } from '../model/measure.ts';
import { innerProduct, lengthOf, type Metric, metricOf, voxelVolume } from '../model/metric.ts';
import type { Voxel } from '../model/slice-geometry.ts';
import { outsideOf, regionOf } from './measure-region.ts';

const dims: Voxel = [40, 36, 20];
const anisotropic = metricOf({ ...testInfo([...dims, 1], 'u8'), affine: [0.7, 0, 0, 0, 0, 0.9, 0, 0, 0, 0, 2.5, 0] });
// Axes that are not at right angles, as with a tilted gantry.
const slanted = metricOf({ ...testInfo([...dims, 1], 'u8'), affine: [0.7, 0.1, 0, 0, 0, 0.9, 0.8, 0, 0.2, 0, 2.5, 0] });

const measured = (kind: Measurement['kind'], points: Measurement['points'], axis: Measurement['axis'] = 'z'): Measurement => ({
  id: 'a',
  name: 'a',
  kind,
  axis,
  timePoint: 0,
  points,
});

function voxelsOf(region: Region | undefined): string[] {
  const voxels: string[] = [];
  if (!region) return voxels;
  const { first, size } = region;
  for (let z = first[2]; z < first[2] + size[2]; z++) {
    for (let y = first[1]; y < first[1] + size[1]; y++) {
      const row = region.row(y, z);
      for (let x = row?.[0] ?? 0; row && x <= row[1]; x++) {
        expect(x >= first[0] && x < first[0] + size[0]).toBe(true);
        voxels.push([x, y, z].join());
      }
    }
  }
  return voxels;
}

function within(metric: Metric, center: Voxel, radius: number): string[] {
  const voxels: string[] = [];
  for (let z = 0; z < dims[2]; z++) {
    for (let y = 0; y < dims[1]; y++) {
      for (let x = 0; x < dims[0]; x++) {
        const step: Voxel = [x + 0.5 - center[0], y + 0.5 - center[1], z + 0.5 - center[2]];
        if (innerProduct(metric, step, step) <= radius * radius) voxels.push([x, y, z].join());
      }
    }
  }
  return voxels;
}

test.each([
  ['at right angles', anisotropic],
  ['slanted', slanted],
])('a sphere holds the voxels whose middles are near enough, with axes %s', (_, metric) => {
  for (const [center, end] of [
    [
      [17.3, 16.8, 9.5],
      [29.1, 12.2, 9.5],
    ],
    // A region that extends beyond the volume.
    [
      [2.1, 33.4, 1.5],
      [13.3, 33.4, 1.5],
    ],
  ] as const) {
    const radius = lengthOf(metric, [end[0] - center[0], end[1] - center[1], 0]);
    const voxels = voxelsOf(regionOf(measured('sphere', [center, end]), metric, dims));
    expect(voxels).toEqual(within(metric, center, radius));
    expect(voxels.length).toBeGreaterThan(100);
  }
});

test('a sphere’s voxels fill its volume', () => {
  const region = regionOf(
    measured('sphere', [
      [20, 18, 10.5],
      [33, 18, 10.5],
    ]),
    anisotropic,
    dims,
  );
  const radius = 13 * 0.7;
  expect((voxelsOf(region).length * voxelVolume(anisotropic)) / ((4 / 3) * Math.PI * radius ** 3)).toBeCloseTo(1, 1);
});

test('a rectangle contains the voxels of its slice whose centres it contains', () => {
  const region = regionOf(
    measured(
      'rectangle',
      [
        [12.5, 8.4, 15.2],
        [12.5, 5.6, 14.4],
      ],
      'x',
    ),
    anisotropic,
    dims,
  );
  expect(voxelsOf(region)).toEqual(['12,6,14', '12,7,14']);
});

test('a shape that contains no voxel is not a region', () => {
  expect(
    regionOf(
      measured('rectangle', [
        [3.6, 3.6, 0.5],
        [4.4, 9, 0.5],
      ]),
      anisotropic,
      dims,
    ),
  ).toBeUndefined();
  expect(
    regionOf(
      measured('rectangle', [
        [-9, 1, 0.5],
        [-2, 9, 0.5],
      ]),
      anisotropic,
      dims,
    ),
  ).toBeUndefined();
  expect(
    regionOf(
      measured('sphere', [
        [60, 3, 0.5],
        [61, 3, 0.5],
      ]),
      anisotropic,
      dims,
    ),
  ).toBeUndefined();
  expect(
    regionOf(
      measured('distance', [
        [6, 3, 0.5],
        [9, 3, 0.5],
      ]),
      anisotropic,
      dims,
    ),
  ).toBeUndefined();
});

test.each([
  ['along the volume’s edges', 'rectangle', [0, 0, 3.5], [40, 36, 3.5], 'none'],
  ['over one edge', 'rectangle', [30, 5, 3.5], [40.5, 9, 3.5], 'partly'],
  ['around all of it', 'rectangle', [-4, -4, 3.5], [50, 50, 3.5], 'partly'],
  ['beside it', 'rectangle', [41, 5, 3.5], [50, 9, 3.5], 'wholly'],
  ['on a slice that is not there', 'rectangle', [4, 5, 20.5], [9, 9, 20.5], 'wholly'],
  // 2.1 mm are 3 voxels along x, and less than one along z.
  ['that touches an edge', 'sphere', [3, 10, 10], [6, 10, 10], 'none'],
  ['that reaches over an edge', 'sphere', [2.9, 10, 10], [5.9, 10, 10], 'partly'],
  ['with its middle outside', 'sphere', [-1, 10, 10], [2, 10, 10], 'partly'],
  ['away from it', 'sphere', [-4, 10, 10], [-1, 10, 10], 'wholly'],
  ['line far away', 'distance', [-9, -9, 0], [-8, -9, 0], 'none'],
] as const)('how much of a region is outside: one %s', (_, kind, a, b, outside) => {
  expect(outsideOf(measured(kind, [a, b]), anisotropic, dims)).toBe(outside);
});

test('a sphere in a sheared volume is partly outside if it extends beyond the voxels', () => {
  for (const center of [
    [20, 18, 10],
    [20, 3, 10],
    [20, 30, 18.5],
  ] as const) {
    const sphere = measured('sphere', [center, [center[0] + 5, center[1], center[2]]]);
    const radius = lengthOf(slanted, [5, 0, 0]);
    const reaches = [-1, dims[1] + 1].some((y) => reachesPlane(center, radius, 1, y < 0 ? 0 : dims[1]));
    const across = [0, dims[2]].some((z) => reachesPlane(center, radius, 2, z));
    const sideways = [0, dims[0]].some((x) => reachesPlane(center, radius, 0, x));
    expect(outsideOf(sphere, slanted, dims)).toBe(reaches || across || sideways ? 'partly' : 'none');
  }
});

/** Whether a sphere in the sheared volume reaches a plane of voxel positions, found by trying directions. */
function reachesPlane(center: Voxel, radius: number, axis: 0 | 1 | 2, at: number): boolean {
  let farthest = 0;
  for (let turn = 0; turn < 60; turn++) {
    for (let rise = -30; rise <= 30; rise++) {
      const [a, b] = [(turn * Math.PI) / 30, (rise * Math.PI) / 60];
      const step: Voxel = [Math.cos(a) * Math.cos(b), Math.sin(a) * Math.cos(b), Math.sin(b)];
      farthest = Math.max(farthest, (step[axis] * radius) / lengthOf(slanted, step));
    }
  }
  return farthest > Math.abs(at - center[axis]);
}
