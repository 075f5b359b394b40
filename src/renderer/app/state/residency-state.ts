import type { ChunkShare } from '../../../core/chunks/chunk-tally.ts';
import type { JobProgress } from './progress.ts';

/** How the open volume is kept in GPU memory. */
export type Residency = 'raw' | 'compressed';

/** Compressed bytes, without the container's overhead, and the ways in which they were encoded. */
export interface HeldBytes {
  readonly bytes: number;
  readonly shares: readonly ChunkShare[];
}

/** Residency of the open volume as panels see it. */
export interface ResidencyState {
  readonly kept: Residency;
  readonly rawBytes: number;
  /** As a file holds it. Undefined until it is compressed. */
  readonly asFile: HeldBytes | undefined;
  /** As GPU memory holds it, if it is kept compressed there: other codecs may hold what would decode too slowly. */
  readonly inGpu: HeldBytes | undefined;
  /** Whether the voxels fit the GPU's budget. */
  readonly canBeRaw: boolean;
  /** Whether all voxels are available for compression. */
  readonly canBeCompressed: boolean;
  /** While it is being changed. */
  readonly progress: JobProgress | undefined;
}
