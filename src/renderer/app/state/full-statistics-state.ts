import type { FaultData } from '../../../core/shared/errors.ts';
import type { JobProgress } from './progress.ts';

/** Computing the statistics of the open volume at full resolution. The result becomes `OpenDocument.statistics`. */
export type FullStatisticsState =
  | { readonly kind: 'idle' }
  | { readonly kind: 'running'; readonly progress: JobProgress }
  | { readonly kind: 'failed'; readonly fault: FaultData };
