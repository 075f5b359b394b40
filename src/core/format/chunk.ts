import type { Checksum } from './checksum.ts';

/** One encoding step of a chunk. */
export interface ChunkStage {
  readonly codecId: number;
  /** At most 255 bytes. */
  readonly parameters: Uint8Array;
}

/** A chunk as a backend produces it and a container stores it, without its place. */
export type EncodedChunk = ComputedChunk | CodedChunk;

/** A chunk without payload: its voxels are computed from its index entry. */
export type ComputedChunk = ConstantChunk | RampChunk;

/** How a chunk was encoded and its payload's length, without the payload. An `EncodedChunk` is one, too. */
export type ChunkOutline = ComputedChunk | CodedOutline;

export interface CodedOutline extends Pick<CodedChunk, 'kind' | 'stages'> {
  readonly payload: { readonly byteLength: number };
}

/** Every element is the same. */
export interface ConstantChunk {
  readonly kind: 'constant';
  /** The codec element's 1, 2 or 4 bytes, little-endian. (An f64 chunk is constant only if all its 4-byte halves are equal.) */
  readonly element: Uint8Array;
  readonly decodedChecksum: Checksum;
  /** The chunk was lost in the file from which this one was recovered. Its voxels are unknown, and are read as 0. */
  readonly isLost?: true;
}

/**
 * How elements follow from their positions: element (x, y, z) is the first element + x·steps[0] + y·steps[1] + z·steps[2],
 * modulo `modulus`. docs/FORMAT.md, 'Ramps'.
 */
export interface RampRule {
  /** Along x, y and z, each at least 0 and below the modulus. */
  readonly steps: readonly [number, number, number];
  /** 2 to 65536, and below 2^bits of an element; 0 means 2^bits. */
  readonly modulus: number;
}

/** Every element follows from the first one by a rule. At least one step is not 0; otherwise the chunk is constant. */
export interface RampChunk extends RampRule {
  readonly kind: 'ramp';
  /** The first codec element's 1, 2 or 4 bytes, little-endian. */
  readonly element: Uint8Array;
  readonly decodedChecksum: Checksum;
}

export interface CodedChunk {
  readonly kind: 'coded';
  /** In the order in which the encoder applied them. */
  readonly stages: readonly ChunkStage[];
  readonly payload: Uint8Array;
  /** Checksum of the payload, as one row. */
  readonly encodedChecksum: Checksum;
  /** Checksum of the voxel bytes, with each row along x padded to whole words. */
  readonly decodedChecksum: Checksum;
}
