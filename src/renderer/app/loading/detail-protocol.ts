import type { FaultData } from '../../../core/shared/errors.ts';
import type { LevelBox } from '../../../core/shared/volume-level.ts';
import type { LevelsBlob } from './levels-protocol.ts';
import type { LoadRequest } from './load-protocol.ts';

/** To the worker that reads boxes of a file. `open` comes first, and only once. */
export type DetailCommand =
  | { readonly kind: 'open'; readonly request: LoadRequest }
  | { readonly kind: 'read'; readonly number: number; readonly box: LevelBox }
  | { readonly kind: 'cancel'; readonly number: number }
  /** Boxes of a time point's levels are now to be read from these, or no longer. */
  | { readonly kind: 'add-levels'; readonly levels: LevelsBlob }
  | { readonly kind: 'drop-levels'; readonly timePoint: number };

/** The worker's answers, one to each read. */
export type DetailAnswer =
  | { readonly number: number; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly number: number; readonly fault: FaultData };
