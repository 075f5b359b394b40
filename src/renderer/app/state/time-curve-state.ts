import type { ProfileSeries } from './profile-state.ts';

/** Values over time, of the open volume and of the image layers over it: at a voxel, or the mean of a region. */
export interface TimeCurve {
  /** The crosshair. */
  readonly voxel: readonly [x: number, y: number, z: number];
  /** The name of the measured region, if it is the mean of one. */
  readonly region: string | undefined;
  /** Seconds or another unit; if `unit` is undefined, the numbers of the time points, from 1. */
  readonly times: readonly number[];
  readonly unit: string | undefined;
  /** Those with several time points: the open volume first, then the layers from below. */
  readonly series: readonly CurveSeries[];
}

export interface CurveSeries extends ProfileSeries {
  /** `baseId` or the layer's id. */
  readonly volume: string;
}

/** A curve that is kept for comparison, with the values it had. */
export interface PinnedCurve extends TimeCurve {
  /** 1…`mostPinnedCurves`; it decides the colour. */
  readonly slot: number;
}

export const mostPinnedCurves = 7;
