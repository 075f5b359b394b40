import type { RegionStatistics } from '../../../core/volume/region-statistics.ts';
import type { Measurement } from '../../viewer/model/measure.ts';

/** What a rectangle or a sphere holds; `failed` says why that is not known. */
export type RegionFound =
  | { readonly kind: 'found'; readonly statistics: RegionStatistics }
  | { readonly kind: 'empty' }
  | { readonly kind: 'failed'; readonly message: string };

/** By `regionKey`: what is not there is being computed. */
export type RegionsFound = Readonly<Record<string, RegionFound>>;

/** The same for regions of the same voxels. */
export function regionKey({ kind, axis, timePoint, points }: Measurement): string {
  return JSON.stringify([kind, axis, timePoint, points]);
}
