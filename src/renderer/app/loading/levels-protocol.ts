import type { FaultData } from '../../../core/shared/errors.ts';
import type { LoadRequest } from './load-protocol.ts';

/** To the worker that makes the levels of a file's time point. `make` comes first, and only once. */
export type LevelsOrder =
  | {
      readonly kind: 'make';
      readonly request: LoadRequest;
      readonly timePoint: number;
      /** Levels may take so much memory. */
      readonly limitBytes: number;
    }
  | { readonly kind: 'pause' }
  | { readonly kind: 'resume' };

/** Levels of one time point, as a .stria in memory. */
export interface LevelsBlob {
  readonly timePoint: number;
  /** The level of the volume that is the .stria's own volume, from 1. Finer ones did not fit. */
  readonly firstLevel: number;
  readonly blob: Blob;
}

/** The worker's answers: `made` or `failed` in the end. */
export type LevelsAnswer =
  /** How much of the file has been read, from 0 to 1, and the memory that the levels take. */
  | { readonly kind: 'progress'; readonly share: number; readonly bytes: number }
  | ({ readonly kind: 'made' } & LevelsBlob)
  | { readonly kind: 'failed'; readonly fault: FaultData };
