/** Writes bits into little-endian words, filling each word from its lowest bit up. */
export class WordWriter {
  #bytes = new Uint8Array(1024);
  #bitLength = 0;

  /** Writes the low `width` bits of `value`, at most 16. */
  write(value: number, width: number): void {
    const at = this.#bitLength >>> 3;
    if (at + 3 > this.#bytes.length) this.#grow();
    const shifted = value << (this.#bitLength & 7);
    for (let byte = 0; byte < 3; byte++) {
      this.#bytes[at + byte] = (this.#bytes[at + byte] as number) | (shifted >> (8 * byte));
    }
    this.#bitLength += width;
  }

  /** Pads the current word with zero bits. */
  align(): void {
    this.#bitLength = 32 * Math.ceil(this.#bitLength / 32);
  }

  /** The written bits, as whole words. */
  toBytes(): Uint8Array<ArrayBuffer> {
    const length = 4 * Math.ceil(this.#bitLength / 32);
    while (this.#bytes.length < length) this.#grow();
    return this.#bytes.subarray(0, length);
  }

  #grow(): void {
    const larger = new Uint8Array(2 * this.#bytes.length);
    larger.set(this.#bytes);
    this.#bytes = larger;
  }
}

/** Reads bits as WordWriter writes them. The caller must not read past the end. */
export class WordReader {
  readonly #bytes: Uint8Array;
  #bit: number;

  /** @param at the byte offset at which to begin */
  constructor(bytes: Uint8Array, at: number) {
    this.#bytes = bytes;
    this.#bit = 8 * at;
  }

  /** The next `width` bits, at most 16. */
  read(width: number): number {
    const at = Math.floor(this.#bit / 8);
    const window = (this.#bytes[at] ?? 0) | ((this.#bytes[at + 1] ?? 0) << 8) | ((this.#bytes[at + 2] ?? 0) << 16);
    const value = (window >> (this.#bit % 8)) & ((1 << width) - 1);
    this.#bit += width;
    return value;
  }

  /** Advances to the next word. Returns whether all skipped bits are 0. */
  align(): boolean {
    let skipped = 0;
    while (this.#bit % 32 !== 0) skipped |= this.read(Math.min(16 - (this.#bit % 16), 32 - (this.#bit % 32)));
    return skipped === 0;
  }
}
