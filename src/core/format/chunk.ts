import type { Checksum } from './checksum.ts';

/** One encoding step of a chunk. Version 1 writes one; the record has room for more (an entropy coder behind a codec). */
export interface ChunkStage {
  readonly codecId: number;
  /** 255 bytes at most. */
  readonly parameters: Uint8Array;
}

/** One chunk as a backend makes it and a container keeps it, without its place. */
export type EncodedChunk = ComputedChunk | CodedChunk;

/** A chunk without payload: its voxels are computed from what the index says of it. */
export type ComputedChunk = ConstantChunk | RampChunk;

/** Every element is the same. */
export interface ConstantChunk {
  readonly kind: 'constant';
  /** The codec element's 1, 2 or 4 bytes, little-endian (an f64 chunk is constant only where all its 4-byte halves agree). */
  readonly element: Uint8Array;
  readonly decodedChecksum: Checksum;
  /** The chunk was lost in a file that this one was recovered from. Its voxels are not known; 0 stands for them. */
  readonly isLost?: true;
}

/**
 * How elements follow from their places: that at (x, y, z) is first element + x·steps[0] + y·steps[1] + z·steps[2], modulo
 * `modulus`. docs/FORMAT.md, 'Ramps'.
 */
export interface RampRule {
  /** Along x, y, z: each from 0 to below the modulus. */
  readonly steps: readonly [number, number, number];
  /** 2 to 65536 and below 2^bits of an element; 0 stands for 2^bits. */
  readonly modulus: number;
}

/** Every element follows from the first one by a rule. Without steps it would be a constant chunk, and is one. */
export interface RampChunk extends RampRule {
  readonly kind: 'ramp';
  /** The first codec element's 1, 2 or 4 bytes, little-endian. */
  readonly element: Uint8Array;
  readonly decodedChecksum: Checksum;
}

export interface CodedChunk {
  readonly kind: 'coded';
  /** In the order in which they were applied when encoding. */
  readonly stages: readonly ChunkStage[];
  readonly payload: Uint8Array;
  /** Of the payload, as one row. */
  readonly encodedChecksum: Checksum;
  /** Of the voxel bytes, each row along x padded to whole words by itself. */
  readonly decodedChecksum: Checksum;
}
