/**
 * A stream of uniform numbers in [0, 1), the same for the same seed on every machine. sfc32 of Chris Doty-Humphrey's PractRand,
 * with 128 bits of state, seeded through MurmurHash3's finaliser.
 */
export function createRandom(seed: number, ...stream: readonly number[]): () => number {
  let key = scramble(seed);
  for (const part of stream) key = scramble(key ^ Math.imul(part + 1, 0x9e3779b1));
  let a = scramble(key + 1);
  let b = scramble(key + 2);
  let c = scramble(key + 3);
  let counter = 1;
  const next = () => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return (sum >>> 0) / 4294967296;
  };
  for (let warmUp = 0; warmUp < 12; warmUp++) next();
  return next;
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
