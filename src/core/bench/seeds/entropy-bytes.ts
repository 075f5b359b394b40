import { createRandom } from '../../samples/random.ts';

const tableBits = 16;

/**
 * Random bytes of a given entropy, the same on every machine. The frequencies of symbols are geometric, with the ratio that
 * gives the entropy. At 0 there is only one symbol; at 8 all symbols are equally frequent.
 * @param entropy bits per byte, 0 to 8
 */
export function entropyBytes(entropy: number, length: number): Uint8Array<ArrayBuffer> {
  const table = symbolTable(frequencies(entropy));
  const random = createRandom(3, Math.round(entropy * 100));
  const bytes = new Uint8Array(length);
  const mask = table.length - 1;
  for (let index = 0; index < length; index += 2) {
    const draw = random() * 4294967296;
    bytes[index] = table[draw & mask] as number;
    bytes[index + 1] = table[(draw >>> 16) & mask] as number;
  }
  return bytes;
}

/** The Shannon entropy of a sample, in bits per byte. */
export function entropyOf(counts: readonly number[]): number {
  const total = counts.reduce((sum, count) => sum + count, 0);
  return counts.reduce((bits, count) => (count > 0 ? bits - (count / total) * Math.log2(count / total) : bits), 0);
}

/** Frequencies that fall by a constant factor from symbol to symbol. The factor is found by bisection. */
function frequencies(entropy: number): readonly number[] {
  const geometric = (factor: number): number[] => Array.from({ length: 256 }, (_, symbol) => factor ** symbol);
  if (entropy <= 0) return geometric(0);
  if (entropy >= 8) return geometric(1);
  let [low, high] = [0, 1];
  for (let step = 0; step < 50; step++) {
    const middle = (low + high) / 2;
    if (entropyOf(geometric(middle)) < entropy) low = middle;
    else high = middle;
  }
  return geometric(low);
}

/** Maps each 16-bit number to a symbol, so that uniform numbers give the frequencies. Omits symbols that are too rare. */
function symbolTable(weights: readonly number[]): Uint8Array {
  const size = 2 ** tableBits;
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const table = new Uint8Array(size);
  let sum = 0;
  let place = 0;
  for (const [symbol, weight] of weights.entries()) {
    sum += weight;
    // Symbols of similar frequency get values that are far apart.
    for (const end = Math.round((sum / total) * size); place < end; place++) table[place] = (symbol * 167) & 255;
  }
  return table;
}
