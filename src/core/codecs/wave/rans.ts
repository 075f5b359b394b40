import { StriaError } from '../../shared/errors.ts';

/** SPEC.md, 'A lane'. */
const lowestState = 2 ** 16;

/** Collects a lane's codes in reading order, and writes the bytes from the last code to the first. */
export class LaneEncoder {
  /** For each code, its start times 2^16, plus its frequency. */
  readonly #codes: number[] = [];

  add(start: number, frequency: number): void {
    this.#codes.push(start * 2 ** 16 + frequency);
  }

  /** Adds the low bits of a number, at most 12. */
  addBits(value: number, count: number): void {
    const frequency = 2 ** (12 - count);
    this.add(value * frequency, frequency);
  }

  close(): Uint8Array {
    const backwards: number[] = [];
    let state = lowestState;
    for (let i = this.#codes.length - 1; i >= 0; i--) {
      const code = this.#codes[i] as number;
      const start = Math.floor(code / 2 ** 16);
      const frequency = code % 2 ** 16;
      while (state >= frequency * 4096) {
        backwards.push(state & 255);
        state >>>= 8;
      }
      state = Math.floor(state / frequency) * 4096 + (state % frequency) + start;
    }
    backwards.push(state & 255, (state >> 8) & 255, state >> 16);
    return Uint8Array.from(backwards.reverse());
  }
}

export class LaneDecoder {
  readonly #bytes: Uint8Array;
  #at = 0;
  #state = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    for (let i = 0; i < 3; i++) this.#state = this.#state * 256 + this.#next();
    if (this.#state < lowestState) throw corrupt('starts below its lowest state');
  }

  /** The lowest 12 bits of the state, which determine the next code. */
  get slot(): number {
    return this.#state & 4095;
  }

  take(start: number, frequency: number): void {
    this.#state = frequency * (this.#state >> 12) + this.slot - start;
    while (this.#state < lowestState) this.#state = this.#state * 256 + this.#next();
  }

  takeBits(count: number): number {
    const frequency = 2 ** (12 - count);
    const value = Math.floor(this.slot / frequency);
    this.take(value * frequency, frequency);
    return value;
  }

  close(): void {
    if (this.#state !== lowestState || this.#at !== this.#bytes.length) throw corrupt('does not end where its elements do');
  }

  #next(): number {
    if (this.#at >= this.#bytes.length) throw corrupt('ends too early');
    return this.#bytes[this.#at++] as number;
  }
}

function corrupt(what: string): StriaError {
  return new StriaError('corrupt', `a lane of the wave payload ${what}`);
}
