import type { VolumeInfo } from './volume.ts';

// Users see and choose real values, `slope × stored + intercept`. Windows, levels and ranges are kept as stored values, which
// are exact, but ordered by real value: a window goes from the stored value with the lowest real value to the one with the
// highest. If the slope is negative, stored values fall along the window. Everything that depends on a window (colours,
// opacity, the histogram, projections) therefore follows real values.

type Scale = Pick<VolumeInfo, 'slope'>;

/** 1 if real values rise with stored ones, −1 if they fall. */
export function realDirection({ slope }: Scale): 1 | -1 {
  return slope < 0 ? -1 : 1;
}

/** Orders two stored values by their real values, the lower first. */
export function inRealOrder(range: readonly [number, number], scale: Scale): readonly [low: number, high: number] {
  const [a, b] = range;
  return (b - a) * realDirection(scale) < 0 ? [b, a] : [a, b];
}
