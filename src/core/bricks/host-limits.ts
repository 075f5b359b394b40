/** The limits of `HostBricks`. */
export interface HostLimits {
  /** The budget for kept payloads and reads under way together. */
  readonly bytes: number;
  /** The maximum number of reads at once. */
  readonly reads: number;
  /** See `JoinLimits`. */
  readonly gapBytes: number;
  readonly joinedBytes: number;
  readonly bricksAtOnce: number;
  /** How often a failing read is tried. */
  readonly attempts: number;
  /** The wait before the second try; it doubles before each further one. */
  readonly retryMs: number;
}

export const hostLimits: HostLimits = {
  bytes: 2 ** 29,
  reads: 6,
  gapBytes: 2 ** 16,
  joinedBytes: 2 ** 22,
  bricksAtOnce: 16,
  attempts: 3,
  retryMs: 250,
};

/** Calls a function after `ms` milliseconds, unless the returned function is called first. Tests replace it. */
export type Later = (call: () => void, ms: number) => () => void;

/** By timers. */
export const later: Later = (call, ms) => {
  const timer = setTimeout(call, ms);
  return () => clearTimeout(timer);
};
