/** Counts of stored values in equal bins. */
export interface Histogram {
  /** Where the first bin starts, in stored values. Bin i covers `low + i × binWidth` up to (not including) the next's start. */
  readonly low: number;
  /** An integer for integer types; 1 where every value has a bin of its own (always for 8 bits). */
  readonly binWidth: number;
  /** 256 bins. */
  readonly counts: readonly number[];
}
