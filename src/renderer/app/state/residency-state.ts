import type { JobProgress } from './progress.ts';

/** How the open volume is kept in GPU memory. */
export type Residency = 'raw' | 'compressed';

/** Residency of the open volume as panels see it. */
export interface ResidencyState {
  readonly kept: Residency;
  readonly rawBytes: number;
  /** Undefined until it is compressed. */
  readonly compressedBytes: number | undefined;
  /** Whether the voxels fit the GPU's budget. */
  readonly canBeRaw: boolean;
  /** Whether all voxels are available for compression. */
  readonly canBeCompressed: boolean;
  /** While it is being changed. */
  readonly progress: JobProgress | undefined;
}
