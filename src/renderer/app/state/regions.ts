import type { RegionStatistics } from '../../../core/volume/region-statistics.ts';
import type { Measurement } from '../../viewer/model/measure.ts';

/** Statistics of a rectangle or sphere; `failed` says why they are unknown. */
export type RegionFound =
  /** Its voxels are being read from the file. `done` is the fraction, 0…1. */
  | { readonly kind: 'reading'; readonly done: number }
  | { readonly kind: 'found'; readonly statistics: RegionStatistics }
  | { readonly kind: 'empty' }
  | { readonly kind: 'failed'; readonly message: string };

/** Found statistics by `regionKey`. Missing entries are being computed. */
export type RegionsFound = Readonly<Record<string, RegionFound>>;

/** A key that is equal for regions of the same voxels. */
export function regionKey({ kind, axis, timePoint, points }: Measurement): string {
  return JSON.stringify([kind, axis, timePoint, points]);
}
