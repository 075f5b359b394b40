import { StriaError } from '../../shared/errors.ts';
import type { JobOptions } from '../../shared/job.ts';
import { type ElementType, elementBytes, type VoxelArray } from '../../shared/volume.ts';

/** The values of one chunk. It may extend beyond the array's end. */
export interface GridBlock {
  readonly data: VoxelArray;
  /** Distance between neighbours along each of the array's axes, in elements. */
  readonly stride: readonly number[];
}

/** An array with any number of axes that is read chunk by chunk. */
export interface VoxelGrid {
  readonly shape: readonly number[];
  readonly chunks: readonly number[];
  readonly type: ElementType;
  /** @param index of the chunk along each axis. @throws StriaError `corrupt`, `unsupported`, `not-readable`, `aborted` */
  read(index: readonly number[], job: JobOptions): Promise<GridBlock>;
}

/** The largest chunk that is read. A chunk is decoded as a whole. */
export const largestChunkBytes = 2 ** 30;

/** The size of a decoded chunk. @throws StriaError `unsupported` if it is too large to be decoded */
export function chunkBytesOf({ chunks, type }: Pick<VoxelGrid, 'chunks' | 'type'>): number {
  const chunkBytes = chunks.reduce((product, length) => product * length, elementBytes(type));
  if (chunkBytes <= largestChunkBytes) return chunkBytes;
  throw new StriaError(
    'unsupported',
    `a chunk has ${Math.ceil(chunkBytes / 2 ** 20)} MiB and must be decoded as a whole; Stria decodes at most ${largestChunkBytes / 2 ** 20} MiB`,
  );
}
