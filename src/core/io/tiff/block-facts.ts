/** What a decoder of whole blocks has to know of one. */
export interface BlockFacts {
  readonly width: number;
  /** Rows that are needed, and rows that the block has: the last tile's are more. */
  readonly rows: number;
  readonly height: number;
  /** Samples of a pixel, and bytes of a sample. */
  readonly samples: number;
  readonly sampleBytes: number;
  /** Of JPEG: colours are YCbCr. */
  readonly isYbr: boolean;
  /** Of JPEG: the tables that all blocks share. */
  readonly tables: Uint8Array | undefined;
}
