import { type RegionStatistics, regionStatistics } from '../../../core/volume/region-statistics.ts';
import type { ExactVoxels } from '../../../core/volume/volume-source.ts';
import type { Measurement } from '../../viewer/model/measure.ts';
import { metricOf } from '../../viewer/model/metric.ts';
import { regionOf } from '../../viewer/slices/measure-region.ts';

/** Statistics of a measured region; undefined if it contains no voxel. @throws StriaError like `regionStatistics` */
export async function regionOfVoxels(
  volume: ExactVoxels,
  measurement: Measurement,
  signal?: AbortSignal,
): Promise<RegionStatistics | undefined> {
  const [x, y, z] = volume.info.dims;
  const region = regionOf(measurement, metricOf(volume.info), [x, y, z]);
  return region && regionStatistics(volume, region, measurement.timePoint, { signal });
}
