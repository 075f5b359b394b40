import { StriaError } from '../shared/errors.ts';

/** Writes bits, each byte from its lowest bit up. */
export class BitWriter {
  #bytes: Uint8Array<ArrayBuffer>;
  #length = 0;
  /** Bits that do not fill a byte yet. */
  #pending = 0;
  #pendingCount = 0;

  /** @param capacity bytes that are there from the start; more come as needed */
  constructor(capacity: number) {
    this.#bytes = new Uint8Array(capacity);
  }

  /** How many bits were written. */
  get bitCount(): number {
    return 8 * this.#length + this.#pendingCount;
  }

  /** The low `count` bits of `value`, 16 at most, the lowest first. `value` has no bits above. */
  write(value: number, count: number): void {
    this.#pending |= value << this.#pendingCount;
    this.#pendingCount += count;
    while (this.#pendingCount >= 8) {
      if (this.#length === this.#bytes.length) this.#grow();
      this.#bytes[this.#length++] = this.#pending;
      this.#pending >>>= 8;
      this.#pendingCount -= 8;
    }
  }

  /** All that another writer wrote. */
  append(other: BitWriter): void {
    for (let at = 0; at < other.#length; at++) this.write(other.#bytes[at] as number, 8);
    this.write(other.#pending, other.#pendingCount);
  }

  /** What was written, filled up with zero bits to a whole byte. Nothing is written after that. */
  toBytes(): Uint8Array<ArrayBuffer> {
    if (this.#pendingCount > 0) this.write(0, 8 - this.#pendingCount);
    return this.#bytes.subarray(0, this.#length);
  }

  /** What was written, filled up with zero bits to a whole number of 4 bytes. Nothing is written after that. */
  toWords(): Uint8Array<ArrayBuffer> {
    this.toBytes();
    while (this.#length % 4 > 0) this.write(0, 8);
    return this.toBytes();
  }

  #grow(): void {
    const larger = new Uint8Array(2 * this.#bytes.length + 4);
    larger.set(this.#bytes);
    this.#bytes = larger;
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
