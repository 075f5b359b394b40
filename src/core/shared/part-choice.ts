import type { Dims3 } from './volume.ts';

/** Share `number`, from 1, of `of` shares of a volume. Each share has whole layers of chunks. */
export interface Share {
  readonly number: number;
  readonly of: number;
}

/** A volume has at most this many shares. */
export const mostShares = 100_000;

/** Which part of a volume to compress: a share of the input, or all of an input that is itself a box, starting at voxel `origin`, of a volume with dimensions `of`. */
export type PartChoice = Share | { readonly origin: Dims3; readonly of: Dims3 };
