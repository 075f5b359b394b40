/** A piece of work that waits for its turn. */
interface Waiting {
  readonly name: string;
  readonly controller: AbortController;
  /** Tells it whether its turn has come. It has not if it was cancelled. */
  readonly tell: (mayBegin: boolean) => void;
}

/** Does one piece of work after the other, in the order in which they were requested. */
export class Turns {
  readonly #onWaiting: (names: readonly string[]) => void;
  #running: AbortController | undefined;
  readonly #waiting: Waiting[] = [];

  /** @param onWaiting called with the names of all work that waits, each time they change */
  constructor(onWaiting: (names: readonly string[]) => void = () => {}) {
    this.#onWaiting = onWaiting;
  }

  /** Whether work is running or waits. */
  get isBusy(): boolean {
    return this.#running !== undefined;
  }

  /**
   * Begins at once if nothing else is running. `cancel` aborts the signal.
   * @returns the work's result; undefined if it was cancelled before its turn came
   */
  async take<Result>(name: string, work: (signal: AbortSignal) => Promise<Result>): Promise<Result | undefined> {
    const controller = new AbortController();
    if (!this.#running) this.#running = controller;
    else if (!(await this.#wait(name, controller))) return undefined;
    try {
      return await work(controller.signal);
    } finally {
      if (this.#running === controller) this.#next();
    }
  }

  /** Aborts the work that is running, and drops all work that waits. */
  cancel(): void {
    this.#running?.abort();
    this.#running = undefined;
    const dropped = this.#waiting.splice(0);
    for (const { tell } of dropped) tell(false);
    if (dropped.length > 0) this.#onWaiting([]);
  }

  async #wait(name: string, controller: AbortController): Promise<boolean> {
    const turn = new Promise<boolean>((tell) => this.#waiting.push({ name, controller, tell }));
    this.#tellWaiting();
    // It may be cancelled between the call of `tell` and here.
    return (await turn) && !controller.signal.aborted;
  }

  #next(): void {
    const next = this.#waiting.shift();
    this.#running = next?.controller;
    if (!next) return;
    this.#tellWaiting();
    next.tell(true);
  }

  #tellWaiting(): void {
    this.#onWaiting(this.#waiting.map(({ name }) => name));
  }
}
