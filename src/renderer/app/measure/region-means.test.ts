import { expect, it } from 'vitest';
import type { Dims3 } from '../../../core/shared/volume.ts';
import { testInfo } from '../../../core/volume/resident-testing.ts';
import type { ExactVoxels } from '../../../core/volume/volume-source.ts';
import { regionOf } from '../../viewer/slices/measure-region.ts';
import { layerRegionMean } from './region-means.ts';

const info = { ...testInfo([6, 5, 7, 3], 'i16'), slope: 2, intercept: 1 };
const stored = (x: number, y: number, z: number, t: number): number => x + 10 * y + 100 * z + 1000 * t;

/** A layer that is read plane by plane, and returns more than was asked for. */
const layer: ExactVoxels = {
  info,
  readBox: async ({ first, size, timePoint }, visit) => {
    for (let z = first[2]; z < first[2] + size[2]; z++) {
      const values = Float64Array.from({ length: 8 * 5 }, (_, at) => stored(at % 8, Math.floor(at / 8), z, timePoint));
      visit({ first: [0, 0, z], size: [6, 5, 1], values, rowLength: 8 });
    }
  },
};
const map = {
  columns: [
    [0.6, 0.2, 0],
    [0, 0.5, 0.3],
    [0.1, 0, 0.7],
  ],
  shift: [-1, 0.3, 0.2],
} as const;
const metric = [
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
] as const;
const points = [
  [5, 4, 4],
  [5, 4, 7.5],
] as const;
const ball = { id: 'sphere-1', kind: 'sphere', name: '', axis: 'z', timePoint: 0, points } as const;

/** Every voxel of the region, one by one. */
function expected(dims: Dims3, timePoint: number): number {
  let [sum, count] = [0, 0];
  for (let z = 0; z < dims[2]; z++) {
    for (let y = 0; y < dims[1]; y++) {
      for (let x = 0; x < dims[0]; x++) {
        const at = [x + 0.5, y + 0.5, z + 0.5] as const;
        if (Math.hypot(at[0] - 5, at[1] - 4, at[2] - 4) > 3.5) continue;
        const [i, j, k] = [0, 1, 2].map((axis) =>
          Math.floor(
            (map.shift[axis] as number) + at.reduce((total, along, n) => total + along * (map.columns[n]?.[axis] as number), 0),
          ),
        ) as [number, number, number];
        if (i < 0 || j < 0 || k < 0 || i >= 6 || j >= 5 || k >= 7) continue;
        sum += 2 * stored(i, j, k, timePoint) + 1;
        count++;
      }
    }
  }
  return sum / count;
}

it('is the mean of the layer’s nearest voxels at the centres of the region’s voxels', async () => {
  const dims = [10, 9, 8] as const;
  const region = regionOf(ball, metric, dims);
  const mean = region && layerRegionMean(layer, region, map);
  for (const time of [0, 2]) expect(await mean?.(time)).toBeCloseTo(expected(dims, time), 9);
});

it('is undefined outside the layer, and uses fewer voxels of a large region', async () => {
  const region = regionOf(ball, metric, [10, 9, 8]);
  if (!region) throw new Error('no region');
  expect(layerRegionMean(layer, region, { ...map, shift: [100, 0, 0] })).toBeUndefined();
  const few = await layerRegionMean(layer, region, map, 50)?.(0);
  expect(Math.abs((few ?? 0) - expected([10, 9, 8], 0))).toBeLessThan(60);
});
