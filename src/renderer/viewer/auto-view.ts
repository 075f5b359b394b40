import type { VolumeStatistics } from '../../core/engine/statistics.ts';
import type { VolumeInfo } from '../../core/shared/volume.ts';
import type { ViewState } from './viewer-api.ts';

/** A sensible first view of a volume: window, colormap, opacity, projection; the crosshair in the middle. */
export function autoView(info: VolumeInfo, statistics: VolumeStatistics): ViewState {
  return {
    projection: 'mip',
    window: statistics.window,
    colormap: 'gray',
    opacity: [
      [0, 0],
      [1, 1],
    ],
    crosshair: [Math.floor(info.dims[0] / 2), Math.floor(info.dims[1] / 2), Math.floor(info.dims[2] / 2)],
    timePoint: 0,
    smooth: false,
  };
}
