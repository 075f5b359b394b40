import type { FaultData } from '../../../core/shared/errors.ts';
import type { RegionStatistics } from '../../../core/volume/region-statistics.ts';
import type { Measurement } from '../../viewer/model/measure.ts';
import type { LoadRequest } from '../loading/load-protocol.ts';

/** To the worker: a measurement and its volume. It answers once. */
export interface RegionRequest {
  readonly request: LoadRequest;
  readonly measurement: Measurement;
}

/** From the worker. Undefined statistics: the region contains no voxel. */
export type RegionAnswer =
  | { readonly kind: 'found'; readonly statistics: RegionStatistics | undefined }
  | { readonly kind: 'fault'; readonly fault: FaultData };
