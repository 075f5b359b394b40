import { StriaError } from '../shared/errors.ts';

/** Writes bits, filling each byte from its lowest bit up. */
export class BitWriter {
  /** The first `#length` words are complete. */
  #words: Uint32Array<ArrayBuffer>;
  #length = 0;
  /** Bits that do not fill a word yet. */
  #pending = 0;
  #pendingCount = 0;

  /** @param capacity initial bytes; the buffer grows as needed */
  constructor(capacity: number) {
    this.#words = new Uint32Array(Math.ceil(capacity / 4));
  }

  /** How many bits were written. */
  get bitCount(): number {
    return 32 * this.#length + this.#pendingCount;
  }

  /** Writes the low `count` bits of `value`, at most 32, lowest first. Higher bits of `value` must be 0. */
  write(value: number, count: number): void {
    const before = this.#pendingCount;
    this.#pending |= value << before;
    this.#pendingCount += count;
    if (this.#pendingCount < 32) return;
    this.#push(this.#pending);
    this.#pendingCount -= 32;
    this.#pending = before === 0 ? 0 : value >>> (32 - before);
  }

  /** Appends everything that another writer wrote. */
  append(other: BitWriter): void {
    for (let at = 0; at < other.#length; at++) this.write(other.#words[at] as number, 32);
    this.write(other.#pending, other.#pendingCount);
  }

  /** The written bits, padded with zero bits to a whole byte. Nothing may be written after that. */
  toBytes(): Uint8Array<ArrayBuffer> {
    const byteCount = Math.ceil(this.bitCount / 8);
    if (this.#pendingCount > 0) this.#push(this.#pending);
    return new Uint8Array(this.#words.buffer, 0, byteCount);
  }

  #push(word: number): void {
    if (this.#length === this.#words.length) {
      const larger = new Uint32Array(2 * this.#length + 1);
      larger.set(this.#words);
      this.#words = larger;
    }
    this.#words[this.#length++] = word;
  }
}

/** Reads bits as BitWriter writes them. */
export class BitReader {
  readonly #bytes: Uint8Array;
  #at: number;

  constructor(bytes: Uint8Array, at = 0) {
    this.#bytes = bytes;
    this.#at = at;
  }

  /** The number of the next bit. */
  get position(): number {
    return this.#at;
  }

  /** The next `count` bits, at most 16. @throws StriaError `corrupt` past the end */
  read(count: number): number {
    const value = this.peek() & ((1 << count) - 1);
    this.skip(count);
    return value;
  }

  /** Counts zero bits, at most `limit` (15 or less), and also reads the 1 bit after them. @throws StriaError `corrupt` */
  readUnary(limit: number): number {
    const window = this.peek();
    const zeros = window === 0 ? 32 : 31 - Math.clz32(window & -window);
    this.skip(Math.min(zeros, limit) + 1);
    if (zeros > limit) throw new StriaError('corrupt', `a prefix has more than ${limit} zero bits`);
    return zeros;
  }

  /** At least 17 bits from the position; 0 past the end. */
  peek(): number {
    const byte = this.#at >> 3;
    const bytes = this.#bytes;
    const { length } = bytes;
    let window = byte < length ? (bytes[byte] as number) : 0;
    if (byte + 1 < length) window |= (bytes[byte + 1] as number) << 8;
    if (byte + 2 < length) window |= (bytes[byte + 2] as number) << 16;
    return window >> (this.#at & 7);
  }

  /** @throws StriaError `corrupt` past the end */
  skip(count: number): void {
    this.#at += count;
    if (this.#at > 8 * this.#bytes.length) {
      throw new StriaError('corrupt', `a sequence of bits ends too early, after ${this.#bytes.length} bytes`);
    }
  }
}
