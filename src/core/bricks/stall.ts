/** Tells when something has made no progress for a while. */
export class Stall {
  readonly #mostMs: number;
  readonly #now: () => number;
  #progress: number | undefined;
  #since = 0;

  /** @param mostMs the wait for progress, in milliseconds @param now the clock; tests replace it */
  constructor(mostMs: number, now: () => number = () => performance.now()) {
    this.#mostMs = mostMs;
    this.#now = now;
  }

  /**
   * Whether there was no progress for longer than allowed. Call it again and again.
   * @param progress a count that changes with progress
   * @param isWaiting whether it waits for something that takes its own time, which does not count
   */
  isOver(progress: number, isWaiting = false): boolean {
    if (progress !== this.#progress || isWaiting) {
      this.#progress = progress;
      this.#since = this.#now();
      return false;
    }
    return this.#now() - this.#since > this.#mostMs;
  }
}
