import { type Region, regionStatistics } from '../../../core/volume/region-statistics.ts';
import type { ExactVoxels } from '../../../core/volume/volume-source.ts';
import { layerVoxelAt } from '../../viewer/model/layer-place.ts';
import type { VoxelMap } from '../../viewer/model/voxel-map.ts';
import { realValue } from './volume-series.ts';

/** The mean real value of a region at a time point; null if the region has no values. */
export type RegionMean = (timePoint: number) => Promise<number | null>;

/** The maximum number of voxels to use. In a larger region, every second, third … voxel along each axis is used. */
const mostSamples = 2 ** 22;

/** The mean in the volume that the region was measured in. The promises reject like `regionStatistics`. */
export function regionMean(volume: ExactVoxels, region: Region): RegionMean {
  return async (timePoint) => {
    const { mean } = await regionStatistics(volume, region, timePoint);
    return Number.isFinite(mean) ? mean : null;
  };
}

/**
 * The mean in a layer with its own grid: from the layer's voxels nearest to the centres of the region's voxels, like the statistics
 * of labels. Undefined if the region lies outside the layer. @param map from the volume that the region was measured in to the layer
 */
export function layerRegionMean(layer: ExactVoxels, region: Region, map: VoxelMap, most = mostSamples): RegionMean | undefined {
  const { dims } = layer.info;
  const [sizeX, sizeY, sizeZ] = region.size;
  const step = Math.max(1, Math.ceil(Math.cbrt((sizeX * sizeY * sizeZ) / most)));
  /** Indices along x of the layer's voxels, by row. A voxel may occur several times. */
  const rows = new Map<number, number[]>();
  const [low, high] = [
    [Infinity, Infinity, Infinity],
    [-Infinity, -Infinity, -Infinity],
  ];
  for (let z = region.first[2]; z < region.first[2] + sizeZ; z += step) {
    for (let y = region.first[1]; y < region.first[1] + sizeY; y += step) {
      const [from, to] = region.row(y, z) ?? [0, -1];
      for (let x = from; x <= to; x += step) {
        const voxel = layerVoxelAt(map, [x + 0.5, y + 0.5, z + 0.5], layer.info);
        if (!voxel) continue;
        const row = voxel[2] * dims[1] + voxel[1];
        const found = rows.get(row);
        if (found) found.push(voxel[0]);
        else rows.set(row, [voxel[0]]);
        for (const axis of [0, 1, 2] as const) {
          low[axis] = Math.min(low[axis] as number, voxel[axis]);
          high[axis] = Math.max(high[axis] as number, voxel[axis]);
        }
      }
    }
  }
  if (rows.size === 0) return undefined;
  const first = [low[0] as number, low[1] as number, low[2] as number] as const;
  const along = (axis: 0 | 1 | 2): number => (high[axis] as number) - first[axis] + 1;
  const size = [along(0), along(1), along(2)] as const;
  return async (timePoint) => {
    let [sum, count] = [0, 0];
    await layer.readBox({ first, size, timePoint }, ({ first: from, size: dimsHere, values, rowLength }) => {
      for (let z = 0; z < dimsHere[2]; z++) {
        for (let y = 0; y < dimsHere[1]; y++) {
          const start = (z * dimsHere[1] + y) * rowLength - from[0];
          for (const x of rows.get((from[2] + z) * dims[1] + from[1] + y) ?? []) {
            if (x < from[0] || x >= from[0] + dimsHere[0]) continue;
            const value = realValue(values[start + x] as number, layer.info);
            if (value === null) continue;
            sum += value;
            count++;
          }
        }
      }
    });
    return count > 0 ? sum / count : null;
  };
}
