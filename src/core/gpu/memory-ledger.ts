/** Live GPU memory by label, in bytes. Tests check that it returns to its starting value. */
export class MemoryLedger {
  readonly #byLabel = new Map<string, number>();
  #listeners = new Set<() => void>();

  add(label: string, bytes: number): void {
    const now = (this.#byLabel.get(label) ?? 0) + bytes;
    if (now === 0) this.#byLabel.delete(label);
    else this.#byLabel.set(label, now);
    for (const listener of this.#listeners) listener();
  }

  /** All live bytes, or those whose label starts with `prefix`. */
  liveBytes(prefix = ''): number {
    let sum = 0;
    for (const [label, bytes] of this.#byLabel) if (label.startsWith(prefix)) sum += bytes;
    return sum;
  }

  /** Label to live bytes, a copy. */
  entries(): ReadonlyMap<string, number> {
    return new Map(this.#byLabel);
  }

  /** Calls `listener` after each change until the returned function is called. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
