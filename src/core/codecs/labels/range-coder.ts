import { StriaError } from '../../shared/errors.ts';
import { chanceOne } from './tables.ts';

/** What encoder and decoder agree on: an interval of 32-bit numbers, from `low` on. SPEC.md, 'The range coder'. */
class Interval {
  low = 0;
  range = 0xffffffff;

  /** The first part of the interval is the event's. */
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

/** Writes events, each of which has a chance, as bytes. */
export class RangeEncoder {
  readonly bytes: number[] = [];
  readonly #interval = new Interval();

  /** @param chance of the event, in 4096ths: 1 to 4095 */
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
  /** The stream's next four bytes, less the interval's low end. */
  #offset = 0;
  #doneBytes = 0;

  /** @param bytes the stream; more may follow it */
  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    for (let at = 0; at < 4; at++) this.#offset = this.#offset * 256 + this.#byte(at);
  }

  /** Whether the event came. */
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

  /** How many bytes an encoder makes of these events. */
  get byteLength(): number {
    return this.#doneBytes + this.#interval.closingBytes().length;
  }

  /** Behind the end stand zeros: `close` made sure that anything may. */
  #byte(at: number): number {
    if (this.#doneBytes > this.#bytes.length) throw new StriaError('corrupt', 'a labels brick ends too early');
    return this.#bytes[at] ?? 0;
  }
}
