import type { Dims3 } from '../shared/volume.ts';

/** The voxels of a sample: unsigned, one or two bytes. */
export type SampleArray = Uint8Array<ArrayBuffer> | Uint16Array<ArrayBuffer>;

export interface SampleShape {
  readonly dims: Dims3;
  /** The largest value that a voxel can have: 255 or 65,535. */
  readonly maximum: 255 | 65535;
  readonly seed: number;
}

/** Writes slice `z` (`dims[0] × dims[1]` voxels, initially 0). Slices may be requested in any order. */
export type SliceFiller = (z: number, slice: SampleArray) => void;
