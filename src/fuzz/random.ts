/** A pseudorandom generator (SplitMix32): the same seed gives the same numbers. */
export class Random {
  #state: number;

  constructor(...seeds: readonly number[]) {
    this.#state = 0;
    for (const seed of seeds) this.#state = (this.bits() ^ seed) >>> 0;
  }

  /** 32 bits. */
  bits(): number {
    this.#state = (this.#state + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return (mixed ^ (mixed >>> 15)) >>> 0;
  }

  /** A whole number from 0 to `end` - 1. */
  below(end: number): number {
    return Math.floor((this.bits() / 2 ** 32) * end);
  }

  pick<T>(values: readonly T[]): T {
    return values[this.below(values.length)] as T;
  }

  /** True with probability 1 / `rarity`. */
  oneIn(rarity: number): boolean {
    return this.below(rarity) === 0;
  }
}
