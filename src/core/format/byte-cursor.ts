import { StriaError } from '../shared/errors.ts';
import type { Checksum } from './checksum.ts';

/** Reads consecutive little-endian fields. A read past the end is a `corrupt` fault that names `what`. */
export class ByteCursor {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #what: string;
  #at = 0;

  /** @param what names the bytes in messages: 'the index' */
  constructor(bytes: Uint8Array, what: string) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#what = what;
  }

  /** How many bytes were read. */
  get offset(): number {
    return this.#at;
  }

  get remaining(): number {
    return this.#bytes.byteLength - this.#at;
  }

  u8(): number {
    return this.#view.getUint8(this.#take(1));
  }

  u16(): number {
    return this.#view.getUint16(this.#take(2), true);
  }

  u32(): number {
    return this.#view.getUint32(this.#take(4), true);
  }

  /** Values above 2^53 - 1 are `corrupt`, because no file is that long. */
  u64(): number {
    const value = this.#view.getBigUint64(this.#take(8), true);
    if (value > Number.MAX_SAFE_INTEGER) throw this.corrupt(`holds the number ${value}, which exceeds the size of any file`);
    return Number(value);
  }

  checksum(): Checksum {
    return { sum: this.u32(), cross: this.u32() };
  }

  /** A copy of the next bytes. */
  bytes(length: number): Uint8Array<ArrayBuffer> {
    const start = this.#take(length);
    return this.#bytes.slice(start, start + length);
  }

  /** @throws StriaError `corrupt` unless exactly `length` zero bytes remain */
  zeros(length: number): void {
    if (this.remaining !== length || this.bytes(length).some((byte) => byte !== 0)) {
      throw this.corrupt('has bytes after its last field');
    }
  }

  corrupt(message: string): StriaError {
    return new StriaError('corrupt', `${this.#what} ${message}`);
  }

  #take(length: number): number {
    if (length > this.remaining) throw this.corrupt('ends early');
    const start = this.#at;
    this.#at += length;
    return start;
  }
}

/**
 * Collects little-endian fields in a growing buffer. It writes byte by byte, because most fields are so short that a view would
 * cost more than it saves.
 */
export class ByteBuilder {
  #bytes = new Uint8Array(64);
  #length = 0;

  u8(value: number): this {
    return this.#little(value, 1);
  }

  u16(value: number): this {
    return this.#little(value, 2);
  }

  u32(value: number): this {
    return this.#little(value, 4);
  }

  u64(value: number): this {
    return this.u32(value % 2 ** 32).u32(Math.floor(value / 2 ** 32));
  }

  checksum({ sum, cross }: Checksum): this {
    return this.u32(sum).u32(cross);
  }

  bytes(bytes: Uint8Array): this {
    const start = this.#grow(bytes.byteLength);
    this.#bytes.set(bytes, start);
    return this;
  }

  /** Appends zero bytes up to a multiple of 8. */
  align8(): this {
    this.#grow((8 - (this.#length % 8)) % 8);
    return this;
  }

  /** A copy of everything that was appended. */
  build(): Uint8Array<ArrayBuffer> {
    return this.#bytes.slice(0, this.#length);
  }

  #little(value: number, length: number): this {
    const at = this.#grow(length);
    for (let byte = 0; byte < length; byte++) this.#bytes[at + byte] = value >>> (8 * byte);
    return this;
  }

  #grow(length: number): number {
    const start = this.#length;
    this.#length += length;
    if (this.#length > this.#bytes.byteLength) {
      const grown = new Uint8Array(Math.max(this.#length, 2 * this.#bytes.byteLength));
      grown.set(this.#bytes.subarray(0, start));
      this.#bytes = grown;
    }
    return start;
  }
}
