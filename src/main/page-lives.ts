/** Tells whether the page that asked for something is still there when the answer arrives. Pages are named by the id of their web contents. */
export class PageLives {
  readonly #current = new Map<number, AbortController>();

  /** Notes that the page is gone: closed, reloaded or crashed. The next page has the same id. */
  end(id: number): void {
    this.#current.get(id)?.abort();
    this.#current.delete(id);
  }

  /** Waits for an answer, such as a dialog's. @returns undefined if the page is gone by then, since nobody would end what it begins */
  async answer<T>(id: number, waitFor: Promise<T>): Promise<T | undefined> {
    const life = this.#current.get(id) ?? new AbortController();
    this.#current.set(id, life);
    const answer = await waitFor;
    return life.signal.aborted ? undefined : answer;
  }
}
