import { StriaError } from './errors.ts';

/** How far long work has come. */
export interface Progress {
  /** What is being done, in words for people: 'Reading', 'Compressing'. */
  readonly stage: string;
  /** Done so far and in all, in bytes of uncompressed voxels. `total` is undefined where it cannot be known. */
  readonly done: number;
  readonly total: number | undefined;
}

/** The one trailing argument of everything that takes time. */
export interface JobOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** Throws the `aborted` fault if the job was cancelled. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new StriaError('aborted', 'cancelled');
}
