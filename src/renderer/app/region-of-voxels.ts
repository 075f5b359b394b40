import { type RegionStatistics, regionStatistics } from '../../core/engine/region-statistics.ts';
import type { ExactVoxels } from '../../core/engine/volume-source.ts';
import type { Measurement } from '../viewer/measure.ts';
import { regionOf } from '../viewer/measure-region.ts';
import { metricOf } from '../viewer/metric.ts';

/** What a measured region holds; undefined: no voxel. @throws StriaError as `regionStatistics` */
export async function regionOfVoxels(
  volume: ExactVoxels,
  measurement: Measurement,
  signal?: AbortSignal,
): Promise<RegionStatistics | undefined> {
  const [x, y, z] = volume.info.dims;
  const region = regionOf(measurement, metricOf(volume.info), [x, y, z]);
  return region && regionStatistics(volume, region, measurement.timePoint, { signal });
}
