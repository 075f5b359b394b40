/** A span of the host's clock, in milliseconds. */
interface Pause {
  readonly from: number;
  readonly to: number;
}

/** Records when this thread collects garbage, in Node. Browsers do not tell. */
export class GarbageLog {
  readonly #pauses: Pause[] = [];
  readonly #observer: PerformanceObserver | undefined;

  constructor() {
    if (!PerformanceObserver.supportedEntryTypes.includes('gc')) return;
    this.#observer = new PerformanceObserver((list) => this.#take(list.getEntries()));
    this.#observer.observe({ entryTypes: ['gc'] });
  }

  /** Milliseconds of garbage collection within a span of the host's clock, once `end` has resolved; undefined if they are unknown. */
  msWithin({ from, to }: Pause): number | undefined {
    if (!this.#observer) return undefined;
    return this.#pauses.reduce((ms, pause) => ms + Math.max(0, Math.min(to, pause.to) - Math.max(from, pause.from)), 0);
  }

  /** Stops recording. Node reports a collection in a later turn of its event loop, so this waits for one. */
  async end(): Promise<void> {
    if (!this.#observer) return;
    await new Promise((resolve) => setTimeout(resolve, 1));
    this.#take(this.#observer.takeRecords());
    this.#observer.disconnect();
  }

  #take(entries: readonly PerformanceEntry[]): void {
    for (const { startTime, duration } of entries) this.#pauses.push({ from: startTime, to: startTime + duration });
  }
}
