import type { FaultData } from '../../../core/shared/errors.ts';
import type { VolumeInfo } from '../../../core/shared/volume.ts';
import type { Difference } from '../../../core/volume/resident/difference.ts';
import type { Links } from '../../viewer/linked-viewers.ts';
import type { Viewer } from '../../viewer/viewer.ts';
import type { JobProgress } from './progress.ts';

/** What the second viewer shows: the second volume, or the first minus the second. */
export type ComparisonMode = 'beside' | 'difference';

/** The state of the difference. */
export type DifferenceState =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'running'; readonly progress: JobProgress }
  /** Why there is no difference. */
  | { readonly kind: 'refused'; readonly why: string }
  /** `whyUnseen` is set if there are only numbers, and no volume to show. */
  | { readonly kind: 'known'; readonly difference: Difference; readonly whyUnseen: string | undefined };

export type ComparisonState =
  | { readonly kind: 'none' }
  | { readonly kind: 'loading'; readonly name: string; readonly progress: JobProgress }
  | { readonly kind: 'failed'; readonly name: string; readonly fault: FaultData }
  | {
      readonly kind: 'ready';
      readonly name: string;
      readonly info: VolumeInfo;
      readonly viewer: Viewer;
      readonly mode: ComparisonMode;
      readonly links: Links;
      readonly difference: DifferenceState;
    };
