/** A compact, growing list for millions of numbers. */
export class NumberList {
  #numbers = new Float64Array(16);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(number: number): void {
    if (this.#length === this.#numbers.length) {
      const grown = new Float64Array(2 * this.#length);
      grown.set(this.#numbers);
      this.#numbers = grown;
    }
    this.#numbers[this.#length++] = number;
  }

  /** @param index below `length` */
  at(index: number): number {
    return this.#numbers[index] as number;
  }

  /** The indexes in ascending order of their numbers; equal numbers keep the order in which they were pushed. */
  order(): Uint32Array {
    const order = Uint32Array.from({ length: this.#length }, (_, index) => index);
    let isSorted = true;
    for (let index = 1; index < this.#length && isSorted; index++) isSorted = this.at(index - 1) <= this.at(index);
    return isSorted ? order : order.sort((a, b) => this.at(a) - this.at(b) || a - b);
  }
}
