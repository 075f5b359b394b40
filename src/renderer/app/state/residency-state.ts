import type { ChunkShare } from '../../../core/chunks/chunk-tally.ts';
import type { JobProgress } from './progress.ts';

/** How the open volume is kept in GPU memory. */
export type Residency = 'raw' | 'compressed';

/** The number of compressed bytes, without the container's overhead, and the ways in which they were encoded. */
export interface HeldBytes {
  readonly bytes: number;
  readonly shares: readonly ChunkShare[];
}

/** Residency of the open volume as panels see it. */
export interface ResidencyState {
  readonly kept: Residency;
  readonly rawBytes: number;
  /** The compressed bytes as in a file. Undefined until the volume is compressed. */
  readonly asFile: HeldBytes | undefined;
  /** The compressed bytes in GPU memory, if it is kept compressed there. Chunks that would decode too slowly may use other codecs there. */
  readonly inGpu: HeldBytes | undefined;
  /** Whether the voxels fit the GPU's budget. */
  readonly canBeRaw: boolean;
  /** Whether all voxels are available for compression. */
  readonly canBeCompressed: boolean;
  /** The progress of changing it. */
  readonly progress: JobProgress | undefined;
}
