/** What a decoder of whole blocks must know about a block. */
export interface BlockFacts {
  readonly width: number;
  /** The rows that are needed, and the rows in the block, which for the last tile are more. */
  readonly rows: number;
  readonly height: number;
  /** Samples per pixel, and bytes per sample. */
  readonly samples: number;
  readonly sampleBytes: number;
  /** For JPEG: whether colours are YCbCr. */
  readonly isYbr: boolean;
  /** For JPEG: the tables that all blocks share. */
  readonly tables: Uint8Array | undefined;
}
