import type { Checksum } from './checksum.ts';

/** One encoding step of a chunk. Version 1 writes one; the record has room for more (an entropy coder behind a codec). */
export interface ChunkStage {
  readonly codecId: number;
  /** 255 bytes at most. */
  readonly parameters: Uint8Array;
}

/** One chunk as a backend makes it and a container keeps it, without its place. */
export type EncodedChunk = ConstantChunk | CodedChunk;

/** Every element is the same. It has no payload: its index entry is all there is of it. */
export interface ConstantChunk {
  readonly kind: 'constant';
  /** The codec element's 1, 2 or 4 bytes, little-endian (an f64 chunk is constant only where all its 4-byte halves agree). */
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
