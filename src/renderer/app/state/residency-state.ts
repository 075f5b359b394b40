import type { JobProgress } from './progress.ts';

/** How the open volume is kept in GPU memory. */
export type Residency = 'raw' | 'compressed';

/** How the open volume is kept, as panels see it. */
export interface ResidencyState {
  readonly kept: Residency;
  readonly rawBytes: number;
  /** Undefined until it is compressed. */
  readonly compressedBytes: number | undefined;
  /** The voxels are within the GPU's budget. */
  readonly canBeRaw: boolean;
  /** All voxels are there to be compressed. */
  readonly canBeCompressed: boolean;
  /** While it is changed. */
  readonly progress: JobProgress | undefined;
}
