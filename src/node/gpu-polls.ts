type Schedule = (task: (...values: unknown[]) => void, ...values: unknown[]) => unknown;

/** Node's own function. `pollSparingly` may be called again. */
const immediate: Schedule = globalThis.setImmediate;

/**
 * While a GPU computes, Dawn polls it through the global `setImmediate` in every turn of Node's event loop, about 70 times in a
 * millisecond. Every poll leaves a native function behind, and collecting these holds the thread for up to 30 ms. From now on, at least
 * `gapMs` lie between two polls.
 * @param gapMs less than 1: the event loop keeps turning, without polls, so that the gap is exact; 1 or more: the thread sleeps, which
 * leaves its core to a software GPU
 */
export function pollSparingly(gapMs: number): void {
  globalThis.setImmediate = spaced(immediate, gapMs) as unknown as typeof setImmediate;
}

/** A function like `schedule` that puts off a task until `gapMs` after the last one. Tasks run in order. */
export function spaced(schedule: Schedule, gapMs: number): Schedule {
  if (gapMs >= 1) return (task, ...values) => setTimeout(task, gapMs, ...values);
  let last = Number.NEGATIVE_INFINITY;
  const waiting: (() => void)[] = [];
  const turn = (): void => {
    const now = performance.now();
    const next = now - last < gapMs ? undefined : waiting.shift();
    // Before the task, which may schedule another one or throw.
    if (waiting.length > 0) schedule(turn);
    if (next === undefined) return;
    last = now;
    next();
  };
  return (task, ...values) => {
    if (waiting.push(() => task(...values)) === 1) schedule(turn);
  };
}
