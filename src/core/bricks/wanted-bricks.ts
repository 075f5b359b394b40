import type { BrickKey } from './brick.ts';

/** The bricks that viewers want. Viewers take turns by urgency, until there are as many bricks as slots. */
export class WantedBricks {
  readonly #most: number;
  readonly #needsSlot: (key: BrickKey) => boolean;
  /** The bricks that each viewer wants, the most urgent first. */
  readonly #wishes = new Map<string, readonly BrickKey[]>();
  /** The wanted bricks of all viewers, with their ranks. */
  #ranks = new Map<BrickKey, number>();

  /**
   * @param most the number of slots
   * @param needsSlot whether a brick takes a slot; others are not wanted
   */
  constructor(most: number, needsSlot: (key: BrickKey) => boolean) {
    this.#most = most;
    this.#needsSlot = needsSlot;
  }

  /** The ranks of the wanted bricks, the most urgent first. */
  get ranks(): ReadonlyMap<BrickKey, number> {
    return this.#ranks;
  }

  has(key: BrickKey): boolean {
    return this.#ranks.has(key);
  }

  /** Whether a viewer wants the brick, even if it needs no slot or there is none for it. */
  isWished(key: BrickKey): boolean {
    return [...this.#wishes.values()].some((wish) => wish.includes(key));
  }

  /** Forgets a brick that turned out to need no slot. */
  delete(key: BrickKey): void {
    this.#ranks.delete(key);
  }

  clear(): void {
    this.#ranks.clear();
  }

  /** The number of bricks that need slots and that other viewers want. */
  countOfOthers(viewer: string): number {
    const others = new Set<BrickKey>();
    for (const [name, wish] of this.#wishes) {
      if (name === viewer) continue;
      for (const key of wish) if (this.#needsSlot(key)) others.add(key);
    }
    return others.size;
  }

  /**
   * Replaces the bricks that a viewer wants. @param keys the most urgent first; kept
   * @returns how many bricks of all viewers are left out, because there are not enough slots
   */
  set(keys: readonly BrickKey[], viewer: string): number {
    // Each picture is a viewer of its own, which wants nothing once it is finished.
    if (keys.length > 0) this.#wishes.set(viewer, keys);
    else this.#wishes.delete(viewer);
    return this.rank();
  }

  /** Ranks the wanted bricks anew: `needsSlot` may have changed for some of them. @returns as `set` */
  rank(): number {
    const wishes = [...this.#wishes.values()];
    const longest = Math.max(0, ...wishes.map(({ length }) => length));
    const ranks = new Map<BrickKey, number>();
    const leftOut = new Set<BrickKey>();
    for (let rank = 0; rank < longest; rank++) {
      for (const wish of wishes) {
        const key = wish[rank];
        if (key === undefined || ranks.has(key) || !this.#needsSlot(key)) continue;
        if (ranks.size === this.#most) leftOut.add(key);
        else ranks.set(key, ranks.size);
      }
    }
    this.#ranks = ranks;
    return leftOut.size;
  }
}
