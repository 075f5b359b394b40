/** Counts of stored values in equal bins. */
export interface Histogram {
  /**
   * The start of the first bin in stored values. Bin i covers `low + i × binWidth` up to, not including, the start of the next
   * bin.
   */
  readonly low: number;
  /** An integer for integer types; 1 if every value has its own bin (always for 8 bits). */
  readonly binWidth: number;
  /** The counts of 256 bins. */
  readonly counts: readonly number[];
}
