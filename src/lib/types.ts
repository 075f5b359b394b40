/** Voxel types: unsigned integers, signed integers and floats, with their number of bits. */
export type VoxelType = 'u8' | 'i8' | 'u16' | 'i16' | 'u32' | 'i32' | 'f32' | 'f64';

/** Voxels as numbers. x is fastest, then y, z, t. */
export type VoxelData =
  | Uint8Array<ArrayBuffer>
  | Int8Array<ArrayBuffer>
  | Uint16Array<ArrayBuffer>
  | Int16Array<ArrayBuffer>
  | Uint32Array<ArrayBuffer>
  | Int32Array<ArrayBuffer>
  | Float32Array<ArrayBuffer>
  | Float64Array<ArrayBuffer>;

/** Lengths along x, y, z and t; a volume without time has t = 1. */
export type Shape = readonly [x: number, y: number, z: number, t: number];

/** A file that the caller provides. `read` returns the requested bytes, fewer only at the file's end. */
export interface FileLike {
  readonly size: number;
  read(offset: number, length: number): Promise<Uint8Array>;
}

export interface OpenFileOptions {
  /** The value of chunks that were lost before the file was recovered. Without it, reading them is an error. */
  readonly fill?: number | undefined;
}

/** The voxels to read along an axis: a single index, or a half-open range from a first index to an end. Default: all. */
export interface Box {
  readonly x?: number | readonly [from: number, to: number];
  readonly y?: number | readonly [from: number, to: number];
  readonly z?: number | readonly [from: number, to: number];
  readonly t?: number | readonly [from: number, to: number];
}

export interface Voxels {
  /** As stored. Physical values are `slope × stored + intercept`. */
  readonly data: VoxelData;
  readonly shape: Shape;
}

/** The geometry of the voxels in world coordinates. */
export interface Geometry {
  /** Distances between voxel centres along x, y and z, and between time points. */
  readonly spacing: readonly [x: number, y: number, z: number, t: number];
  readonly spatialUnit: 'm' | 'mm' | 'um' | 'unknown';
  readonly timeUnit: 's' | 'ms' | 'us' | 'unknown';
  /** Three rows of four numbers that map voxel indices (x, y, z, 1) to world coordinates, right-anterior-superior. */
  readonly affine: readonly number[];
  readonly slope: number;
  readonly intercept: number;
}

export interface CompressOptions extends Partial<Geometry> {
  /** Lengths along x, y, z and t, x fastest in memory; missing ones are 1. */
  readonly shape: readonly number[];
  /** `auto` (default), or a codec or chain of the command, such as `predict+huffman`. */
  readonly codec?: string | undefined;
  /** The goal of `auto`. */
  readonly prefer?: 'size' | 'balanced' | 'speed' | undefined;
  /** The axis along which `rle` and `parle` look for runs. */
  readonly axis?: 'x' | 'y' | 'z' | 'auto' | undefined;
  /** `max` is smaller, but slower to encode and decode. */
  readonly effort?: 'normal' | 'max' | undefined;
  /** The name of the .npy file that `stria decompress` restores. Default: volume.npy. */
  readonly name?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Receives the completed fraction, from 0 to 1. */
  readonly onProgress?: ((share: number) => void) | undefined;
}
