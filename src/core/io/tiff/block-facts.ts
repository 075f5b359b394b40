/** The facts about a block that a decoder of whole blocks needs. */
export interface BlockFacts {
  readonly width: number;
  /** The number of needed rows, and of rows in the block. The last tile has more rows than needed. */
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
