/** Counts of stored values in equal bins. */
export interface Histogram {
  /** Where the first bin starts, in stored values. Bin i covers `low + i × binWidth` up to (not including) the next's start. */
  readonly low: number;
  /** An integer for integer types; 1 where every value has a bin of its own (always for 8 bits). */
  readonly binWidth: number;
  /** 256 bins. */
  readonly counts: readonly number[];
}

/** What is known of all stored values. NaN and infinities are left out of everything but their count. */
export interface VolumeStatistics {
  /** Exact, but for f64: those are rounded to f32. */
  readonly min: number;
  readonly max: number;
  /** Finite voxels; the sum of the histogram. */
  readonly count: number;
  /** NaN and infinite voxels. */
  readonly notFinite: number;
  readonly histogram: Histogram;
  /** Robust lowest and highest value for display: the 0.5 and 99.5 percentiles of what is not background. */
  readonly window: readonly [low: number, high: number];
}
