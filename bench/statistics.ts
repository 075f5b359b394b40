/** Repeated measurements of one thing, in milliseconds. */
export interface Spread {
  readonly min: number;
  readonly median: number;
  readonly p95: number;
  readonly max: number;
  readonly repetitions: number;
}

/** @param samples one or more */
export function spreadOf(samples: readonly number[]): Spread {
  const sorted = [...samples].sort((a, b) => a - b);
  const at = (fraction: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(fraction * sorted.length))] ?? Number.NaN;
  return { min: at(0), median: at(0.5), p95: at(0.95), max: at(1), repetitions: sorted.length };
}
