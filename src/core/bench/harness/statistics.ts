/** Repeated measurements of one thing, in milliseconds. */
export interface Spread {
  readonly min: number;
  readonly median: number;
  readonly p95: number;
  /** Undefined if there are too few repetitions. */
  readonly p99?: number | undefined;
  readonly max: number;
  readonly repetitions: number;
}

/** Summarizes repeated measurements. @param samples milliseconds, at least one */
export function spreadOf(samples: readonly number[]): Spread {
  const sorted = [...samples].sort((a, b) => a - b);
  const at = (fraction: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(fraction * sorted.length))] ?? Number.NaN;
  const p99 = sorted.length >= 200 ? at(0.99) : undefined;
  return { min: at(0), median: at(0.5), p95: at(0.95), p99, max: at(1), repetitions: sorted.length };
}
