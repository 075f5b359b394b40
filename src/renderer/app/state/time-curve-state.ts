import type { ProfileSeries } from './profile-state.ts';

/** The values at the crosshair over time, of the open volume and of the image layers over it. */
export interface TimeCurve {
  readonly voxel: readonly [x: number, y: number, z: number];
  /** Seconds or another unit; if `unit` is undefined, the numbers of the time points, from 1. */
  readonly times: readonly number[];
  readonly unit: string | undefined;
  /** Those with several time points: the open volume first, then the layers from below. */
  readonly series: readonly ProfileSeries[];
}
