import { StriaError } from '../../shared/errors.ts';

/** Writes bits, each byte from its lowest bit up. */
export class BitWriter {
  #bytes: Uint8Array<ArrayBuffer>;
  #bitLength = 0;

  /** @param capacity bytes that are there from the start; more come as needed */
  constructor(capacity: number) {
    this.#bytes = new Uint8Array(capacity);
  }

  get byteLength(): number {
    return Math.ceil(this.#bitLength / 8);
  }

  /** The low `count` bits of `value`, 16 at most, the lowest first. */
  write(value: number, count: number): void {
    const at = this.#bitLength >> 3;
    if (at + 3 > this.#bytes.length) this.#grow();
    const shifted = value << (this.#bitLength & 7);
    for (let byte = 0; byte < 3; byte++) {
      this.#bytes[at + byte] = (this.#bytes[at + byte] as number) | (shifted >> (8 * byte));
    }
    this.#bitLength += count;
  }

  /** All that another writer wrote. */
  append(other: BitWriter): void {
    const whole = other.#bitLength >> 3;
    for (let byte = 0; byte < whole; byte++) this.write(other.#bytes[byte] as number, 8);
    const rest = other.#bitLength & 7;
    if (rest > 0) this.write(other.#bytes[whole] as number, rest);
  }

  /** What was written, filled up with zero bits to a whole byte. */
  toBytes(): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(0, this.byteLength);
  }

  #grow(): void {
    const larger = new Uint8Array(2 * this.#bytes.length + 3);
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
    const value = this.#peek() & ((1 << count) - 1);
    this.#skip(count);
    return value;
  }

  /** The number of zero bits before the next one, which it reads, too; `limit` (15 or less) at most. @throws StriaError `corrupt` */
  readUnary(limit: number): number {
    const window = this.#peek();
    const zeros = window === 0 ? 32 : 31 - Math.clz32(window & -window);
    this.#skip(Math.min(zeros, limit) + 1);
    if (zeros > limit) throw new StriaError('corrupt', `a rice prefix has more than ${limit} zero bits`);
    return zeros;
  }

  /** 17 bits or more from here on; behind the end they are 0. */
  #peek(): number {
    const byte = this.#at >> 3;
    const bytes = this.#bytes;
    const { length } = bytes;
    let window = byte < length ? (bytes[byte] as number) : 0;
    if (byte + 1 < length) window |= (bytes[byte + 1] as number) << 8;
    if (byte + 2 < length) window |= (bytes[byte + 2] as number) << 16;
    return window >> (this.#at & 7);
  }

  #skip(count: number): void {
    this.#at += count;
    if (this.#at > 8 * this.#bytes.length) {
      throw new StriaError('corrupt', `a rice brick ends after ${this.#bytes.length} bytes, too early`);
    }
  }
}
