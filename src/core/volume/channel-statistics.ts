import type { Gpu } from '../gpu/gpu.ts';
import { channelLayout } from '../shared/volume.ts';
import { computeStatistics } from './gpu-statistics.ts';
import type { VolumeStatistics } from './statistics.ts';
import type { VolumeSource } from './volume-source.ts';

/**
 * Statistics of all voxels of one channel, at all time points. @throws StriaError `device-lost`
 */
export function channelStatistics(
  gpu: Gpu,
  volume: Pick<VolumeSource, 'info' | 'dims' | 'planeReader'>,
  channel: number,
): Promise<VolumeStatistics> {
  const { info, dims } = volume;
  const planes = dims[2] * channelLayout(info).timePoints;
  const [start, end] = [channel * planes, (channel + 1) * planes];
  return computeStatistics(gpu, info, dims[0] * dims[1] * planes, async (visit) => {
    const reader = volume.planeReader();
    try {
      for (let plane = start; plane < end; ) {
        const run = await reader.read(plane);
        const until = Math.min(end, run.endPlane);
        for (const { voxels, rowCount, firstPlane, planeCount } of run.boxes) {
          const first = Math.max(plane, firstPlane) - firstPlane;
          const last = Math.min(until, firstPlane + planeCount) - firstPlane;
          if (first < last) await visit(voxels, [first * rowCount, last * rowCount]);
        }
        plane = until;
      }
    } finally {
      reader.destroy();
    }
  });
}
