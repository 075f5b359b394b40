/** A map of values with their sizes, ordered from the least to the most recently used. It evicts nothing by itself. */
export class LeastRecent<Key, Value> {
  readonly #entries = new Map<Key, { readonly value: Value; readonly bytes: number }>();
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Does not count as a use. */
  has(key: Key): boolean {
    return this.#entries.has(key);
  }

  /** Does not count as a use. */
  peek(key: Key): Value | undefined {
    return this.#entries.get(key)?.value;
  }

  /** Counts as a use. */
  get(key: Key): Value | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  set(key: Key, value: Value, bytes: number): void {
    this.delete(key);
    this.#entries.set(key, { value, bytes });
    this.#bytes += bytes;
  }

  delete(key: Key): Value | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    this.#entries.delete(key);
    this.#bytes -= entry.bytes;
    return entry.value;
  }

  /** Iterates from the least recently used entry. An entry may be deleted while it is visited. */
  *oldest(): Generator<readonly [Key, Value]> {
    for (const [key, { value }] of this.#entries) yield [key, value];
  }

  clear(): void {
    this.#entries.clear();
    this.#bytes = 0;
  }
}
