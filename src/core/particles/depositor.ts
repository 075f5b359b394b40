import type { DepositKernel } from './deposit-choice.ts';
import type { DepositGrid } from './deposit-grid.ts';

/** The slices of a volume whose sums are in memory at a time. */
export interface SumSlab {
  readonly firstSlice: number;
  readonly sliceCount: number;
}

/** Adds particles to the sums of a slab. */
export interface Depositor {
  /** @param words from `ParticlePlacer.place` */
  add(words: Uint32Array<ArrayBuffer>): Promise<void>;
  /** The sums of the slab, x fastest. Call it once. */
  sums(): Promise<Float64Array<ArrayBuffer>>;
  /** Frees its resources. */
  destroy(): void;
}

/** Makes depositors on the CPU or on a GPU. */
export interface DepositDevice {
  /** The most voxels whose sums fit into a depositor. */
  readonly maxVoxels: number;
  depositor(grid: DepositGrid, kernel: DepositKernel, slab: SumSlab): Depositor;
}
