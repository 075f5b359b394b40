import { StriaError } from '../shared/errors.ts';

/** Writes bits, each byte from its lowest bit up. */
export class BitWriter {
  /** Full ones are the first `#length`. */
  #words: Uint32Array<ArrayBuffer>;
  #length = 0;
  /** Bits that do not fill a word yet. */
  #pending = 0;
  #pendingCount = 0;

  /** @param capacity bytes that are there from the start; more come as needed */
  constructor(capacity: number) {
    this.#words = new Uint32Array(Math.ceil(capacity / 4));
  }

  /** How many bits were written. */
  get bitCount(): number {
    return 32 * this.#length + this.#pendingCount;
  }

  /** The low `count` bits of `value`, 32 at most, the lowest first. `value` has no bits above. */
  write(value: number, count: number): void {
    const before = this.#pendingCount;
    this.#pending |= value << before;
    this.#pendingCount += count;
    if (this.#pendingCount < 32) return;
    this.#push(this.#pending);
    this.#pendingCount -= 32;
    this.#pending = before === 0 ? 0 : value >>> (32 - before);
  }

  /** All that another writer wrote. */
  append(other: BitWriter): void {
    for (let at = 0; at < other.#length; at++) this.write(other.#words[at] as number, 32);
    this.write(other.#pending, other.#pendingCount);
  }

  /** What was written, filled up with zero bits to a whole byte. Nothing is written after that. */
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

  /** The next `count` bits, 16 at most. @throws StriaError `corrupt` behind the end */
  read(count: number): number {
    const value = this.peek() & ((1 << count) - 1);
    this.skip(count);
    return value;
  }

  /** The number of zero bits before the next one, which it reads, too; `limit` (15 or less) at most. @throws StriaError `corrupt` */
  readUnary(limit: number): number {
    const window = this.peek();
    const zeros = window === 0 ? 32 : 31 - Math.clz32(window & -window);
    this.skip(Math.min(zeros, limit) + 1);
    if (zeros > limit) throw new StriaError('corrupt', `a prefix has more than ${limit} zero bits`);
    return zeros;
  }

  /** 17 bits or more from here on; behind the end they are 0. */
  peek(): number {
    const byte = this.#at >> 3;
    const bytes = this.#bytes;
    const { length } = bytes;
    let window = byte < length ? (bytes[byte] as number) : 0;
    if (byte + 1 < length) window |= (bytes[byte + 1] as number) << 8;
    if (byte + 2 < length) window |= (bytes[byte + 2] as number) << 16;
    return window >> (this.#at & 7);
  }

  /** @throws StriaError `corrupt` behind the end */
  skip(count: number): void {
    this.#at += count;
    if (this.#at > 8 * this.#bytes.length) {
      throw new StriaError('corrupt', `a sequence of bits ends after ${this.#bytes.length} bytes, too early`);
    }
  }
}
