import type { VolumeInfo } from './volume.ts';

// People see and choose real values, `slope × stored + intercept`. Windows, levels and ranges are kept as stored values, which
// are exact, but in the order of the real ones: a window goes from the stored value whose real value is lowest to the one whose
// real value is highest. Where the slope is negative it runs downwards. All that follows a window (colours, opacity, the
// histogram, projections) then goes by real values.

type Scale = Pick<VolumeInfo, 'slope'>;

/** 1 where real values rise with the stored ones, −1 where they fall. */
export function realDirection({ slope }: Scale): 1 | -1 {
  return slope < 0 ? -1 : 1;
}

/** Two stored values, the one of the lower real value first. */
export function inRealOrder(range: readonly [number, number], scale: Scale): readonly [low: number, high: number] {
  const [a, b] = range;
  return (b - a) * realDirection(scale) < 0 ? [b, a] : [a, b];
}
