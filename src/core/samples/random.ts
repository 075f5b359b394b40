/** How many numbers `createRandom` computes at once. */
const numbersAtOnce = 256;

/**
 * A stream of uniform numbers in [0, 1), the same for the same seed on every machine, one number per call.
 * @param stream numbers that select one of the seed's streams
 */
export function createRandom(seed: number, ...stream: readonly number[]): () => number {
  const random = new RandomStream(seed, ...stream);
  const numbers = new Float64Array(numbersAtOnce);
  let at = numbersAtOnce;
  return () => {
    if (at === numbersAtOnce) {
      random.fill(numbers);
      at = 0;
    }
    return numbers[at++] as number;
  };
}

/**
 * The same stream, many numbers per call. sfc32 of Chris Doty-Humphrey's PractRand, with 128 bits of state, seeded through
 * MurmurHash3's finaliser.
 */
export class RandomStream {
  readonly #state: Int32Array;

  constructor(seed: number, ...stream: readonly number[]) {
    let key = scramble(seed);
    for (const part of stream) key = scramble(key ^ Math.imul(part + 1, 0x9e3779b1));
    this.#state = Int32Array.of(scramble(key + 1), scramble(key + 2), scramble(key + 3), 1);
    this.fill(new Float64Array(12));
  }

  fill(numbers: Float64Array): void {
    const state = this.#state;
    let a = state[0] as number;
    let b = state[1] as number;
    let c = state[2] as number;
    let counter = state[3] as number;
    for (let at = 0; at < numbers.length; at++) {
      const sum = (((a + b) | 0) + counter) | 0;
      counter = (counter + 1) | 0;
      a = b ^ (b >>> 9);
      b = (c + (c << 3)) | 0;
      c = (((c << 21) | (c >>> 11)) + sum) | 0;
      numbers[at] = (sum >>> 0) / 4294967296;
    }
    state[0] = a;
    state[1] = b;
    state[2] = c;
    state[3] = counter;
  }
}

/** A normally distributed number with mean 0 and deviation 1, by Box and Muller. */
export function gaussian(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** A bijective mix of 32 bits. */
export function scramble(word: number): number {
  let mixed = word ^ (word >>> 16);
  mixed = Math.imul(mixed, 0x85ebca6b);
  mixed ^= mixed >>> 13;
  mixed = Math.imul(mixed, 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}
