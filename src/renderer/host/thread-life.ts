// Chromium leaves the MessagePorts of a terminated worker open. Another thread notices its end by waiting for a lock that the worker
// holds, because the lock is released when the worker ends.

/** A lock that this thread holds until it ends, or until `release`. */
export interface HeldLock {
  /** Resolves once the lock is held. */
  readonly held: Promise<void>;
  release(): void;
}

export function holdLock(lock: string): HeldLock {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const held = new Promise<void>((resolve, reject) => {
    const whileHeld = () => {
      resolve();
      return released;
    };
    navigator.locks.request(lock, whileHeld).catch(reject);
  });
  return { held, release };
}

/** Resolves when the thread that holds a lock has released it or has ended. */
export async function threadEnds(lock: string): Promise<void> {
  await navigator.locks.request(lock, () => {});
}
