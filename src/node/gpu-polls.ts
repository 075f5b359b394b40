type Schedule = (task: (...values: unknown[]) => void, ...values: unknown[]) => unknown;

/** Node's own function. `pollSparingly` may be called again. */
const immediate: Schedule = globalThis.setImmediate;

/**
 * While a GPU computes, Dawn polls it through the global `setImmediate` in every turn of Node's event loop, about 70 times in a
 * millisecond. That keeps a core busy, which a software GPU could use. Every poll also leaves a native function behind, and
 * collecting these holds the thread for 20 to 40 ms every few hundred milliseconds. From now on, `setImmediate` waits a
 * millisecond once it was called `mostPolls` times within one.
 * @param mostPolls calls within a millisecond that run in the next turn
 */
export function pollSparingly(mostPolls: number): void {
  globalThis.setImmediate = spaced(immediate, mostPolls) as unknown as typeof setImmediate;
}

/** A function like `schedule` that puts off a task by a millisecond if it has scheduled `most` within the last one. */
export function spaced(schedule: Schedule, most: number): Schedule {
  let since = Number.NEGATIVE_INFINITY;
  let count = 0;
  return (task, ...values) => {
    const now = performance.now();
    if (now - since > 1) {
      since = now;
      count = 0;
    }
    count++;
    return count <= most ? schedule(task, ...values) : setTimeout(task, 1, ...values);
  };
}
