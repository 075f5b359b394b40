import type { FaultData } from '../../../core/shared/errors.ts';
import type { LevelBox } from '../../../core/shared/volume-level.ts';
import type { LoadRequest } from './load-protocol.ts';

/** To the worker that reads boxes of a file. `open` comes first, and only once. */
export type DetailCommand =
  | { readonly kind: 'open'; readonly request: LoadRequest }
  | { readonly kind: 'read'; readonly number: number; readonly box: LevelBox }
  | { readonly kind: 'cancel'; readonly number: number };

/** The worker's answers, one to each read. */
export type DetailAnswer =
  | { readonly number: number; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly number: number; readonly fault: FaultData };
