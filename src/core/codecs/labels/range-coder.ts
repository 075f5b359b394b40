import { StriaError } from '../../shared/errors.ts';
import { chanceOne } from './tables.ts';

/** The state that encoder and decoder share: an interval of 32-bit numbers that starts at `low`. SPEC.md, 'The range coder'. */
class Interval {
  low = 0;
  range = 0xffffffff;

  /** The size of the event's part, which is the first in the interval. */
  partOf(chance: number): number {
    return Math.floor(this.range / chanceOne) * chance;
  }

  narrow(part: number, event: boolean): void {
    if (event) {
      this.range = part;
    } else {
      this.low += part;
      this.range -= part;
    }
  }

  /** 'A byte is done if low and low + range have the same highest byte; or else if range < 2^16' */
  isByteDone(): boolean {
    if ((this.low ^ (this.low + this.range)) >>> 24 === 0) return true;
    if (this.range >= 2 ** 16) return false;
    this.range = 2 ** 16 - (this.low % 2 ** 16);
    return true;
  }

  /** Drops the first byte. */
  shift(): void {
    this.low = (this.low << 8) >>> 0;
    this.range = (this.range << 8) >>> 0;
  }

  /** 'the fewest bytes, 1 to 4, such that all 32-bit numbers that begin with them (the highest byte first) lie in the interval' */
  closingBytes(): number[] {
    for (let count = 1; ; count++) {
      const step = 2 ** (32 - 8 * count);
      const first = Math.ceil(this.low / step) * step;
      if (first + step > this.low + this.range) continue;
      return Array.from({ length: count }, (_, i) => (first >>> (24 - 8 * i)) & 255);
    }
  }
}

/** Writes events of known chances as bytes. */
export class RangeEncoder {
  readonly bytes: number[] = [];
  readonly #interval = new Interval();

  /** @param chance the probability of the event in 4096ths, 1 to 4095 */
  encode(chance: number, event: boolean): void {
    const interval = this.#interval;
    interval.narrow(interval.partOf(chance), event);
    while (interval.isByteDone()) {
      this.bytes.push(interval.low >>> 24);
      interval.shift();
    }
  }

  close(): void {
    this.bytes.push(...this.#interval.closingBytes());
  }
}

/** Reads events as RangeEncoder writes them. */
export class RangeDecoder {
  readonly #bytes: Uint8Array;
  readonly #interval = new Interval();
  /** The stream's next four bytes, minus the low end of the interval. */
  #offset = 0;
  #doneBytes = 0;

  /** @param bytes the stream; more may follow it */
  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    for (let at = 0; at < 4; at++) this.#offset = this.#offset * 256 + this.#byte(at);
  }

  /** Whether the event occurred. */
  decode(chance: number): boolean {
    const interval = this.#interval;
    const part = interval.partOf(chance);
    const event = this.#offset < part;
    if (!event) this.#offset -= part;
    interval.narrow(part, event);
    while (interval.isByteDone()) {
      interval.shift();
      this.#offset = ((this.#offset << 8) >>> 0) + this.#byte(4 + this.#doneBytes);
      this.#doneBytes++;
    }
    return event;
  }

  /** The number of bytes that an encoder writes for these events. */
  get byteLength(): number {
    return this.#doneBytes + this.#interval.closingBytes().length;
  }

  /** Returns zeros past the end. Their value does not matter: `closingBytes` of the encoder makes sure of that. */
  #byte(at: number): number {
    if (this.#doneBytes > this.#bytes.length) throw new StriaError('corrupt', 'a labels brick ends too early');
    return this.#bytes[at] ?? 0;
  }
}
