import { StriaError } from './errors.ts';

/** The progress of long work. */
export interface Progress {
  /** The current step, in words for users: 'Reading', 'Compressing'. */
  readonly stage: string;
  /** Work done so far and in total, in bytes of uncompressed voxels unless `counts` says otherwise. `total` is undefined if unknown. */
  readonly done: number;
  readonly total: number | undefined;
  /** What is counted instead of bytes. */
  readonly counts?: 'files' | 'particles' | undefined;
}

/** The trailing argument of every function that takes noticeable time. */
export interface JobOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** Throws the `aborted` fault if the job was cancelled. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new StriaError('aborted', 'cancelled');
}
