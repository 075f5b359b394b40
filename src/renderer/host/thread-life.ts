// How a thread learns that another one was terminated, which ends no MessagePort in Chromium: a lock is released with its thread.

/** Holds a lock until this thread ends. Resolves once it holds it. */
export function holdForLife(lock: string): Promise<void> {
  return new Promise((held, failed) => {
    const forLife = () => {
      held();
      return new Promise<never>(() => {});
    };
    navigator.locks.request(lock, forLife).catch(failed);
  });
}

/** Resolves when the thread that holds a lock has ended. */
export async function threadEnds(lock: string): Promise<void> {
  await navigator.locks.request(lock, () => {});
}
