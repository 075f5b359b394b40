import type { ProfileSeries } from './profile-state.ts';

/** Values over time, of the open volume and of the image layers over it: at a voxel, or the mean of a region. */
export interface TimeCurve {
  /** The voxel at the crosshair. */
  readonly voxel: readonly [x: number, y: number, z: number];
  /** The name of the measured region, if the curve is its mean. */
  readonly region: string | undefined;
  /** Times in `unit`; if that is undefined, the numbers of the time points, from 1. */
  readonly times: readonly number[];
  readonly unit: string | undefined;
  /** The volumes with several time points: the open volume first, then the layers, the lowest first. */
  readonly series: readonly CurveSeries[];
}

export interface CurveSeries extends ProfileSeries {
  /** `baseId` or the layer's id. */
  readonly volume: string;
}

/** A curve that is kept for comparison, with the values it had. */
export interface PinnedCurve extends TimeCurve {
  /** A number from 1 to `mostPinnedCurves`, which decides the colour. */
  readonly slot: number;
}

export const mostPinnedCurves = 7;
