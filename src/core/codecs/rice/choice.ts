/** The encoder's choice: SPEC.md. Whole numbers only, so that the GPU chooses the same. */

/** 'A quotient of 15 or more is an escape' */
export const escapeQuotient = 15;
/** Code 0 is the zero group; code c means Rice with k = c − 1. */
export const zeroCode = 0;

/** The highest code is the raw group: 8 or 15. */
export function rawCode(bits: 8 | 16): number {
  return Math.min(bits, 15);
}

const fraction = 256;

/** 'L is a logarithm with base 2, in 256ths, linear between powers of 2' @param value 1 to 2^22 */
function logarithm(value: number): number {
  const exponent = 31 - Math.clz32(value);
  return fraction * (exponent - 1) + ((fraction * value) >>> exponent);
}

/**
 * 'What a part is worth'; the unit is arbitrary.
 * @param symbolSum S, the sum of its symbols that count
 * @param count n, their number, at least 1
 */
export function partWorth(symbolSum: number, count: number): number {
  return count * (logarithm(symbolSum + count) - logarithm(count));
}

/** 'Of all k for which the third is at most n × w, the one with the least second is taken; the larger on a tie.' */
export function chooseCode(symbols: ArrayLike<number>, bits: 8 | 16): number {
  const n = symbols.length;
  const counts = bitCounts(symbols, bits);
  if (counts.every((count) => count === 0)) return zeroCode;
  let code = rawCode(bits);
  let least = n * bits;
  let most = 0;
  let sum = 0;
  for (let k = bits - 1; k >= 0; k--) {
    const above = counts[k + 4] as number;
    most = Math.max(most, above);
    sum += above;
    if (k > rawCode(bits) - 2) continue;
    const first = counts[k] as number;
    const second = counts[k + 1] as number;
    const third = counts[k + 2] as number;
    const fourth = counts[k + 3] as number;
    const inside = n * (k + 1) + first + 2 * second + 4 * third + 8 * fourth;
    const perEscape = escapeQuotient + bits - k;
    const expected = inside + most * perEscape;
    if (expected < least && inside + sum * perEscape + Math.min(first, second, third, fourth) * (bits - k) <= n * bits) {
      code = k + 1;
      least = expected;
    }
  }
  return code;
}

/** How many of at most 64 symbols have each bit; four zeros follow. */
function bitCounts(symbols: ArrayLike<number>, bits: 8 | 16): Uint8Array {
  const counts = new Uint8Array(bits + 4);
  for (let first = 0; first < bits; first += 4) {
    // Four bits at once: multiplying by 0x204081 spreads them to one bit per byte.
    let packed = 0;
    for (let i = 0; i < symbols.length; i++) packed += ((((symbols[i] as number) >> first) & 15) * 0x204081) & 0x01010101;
    for (let bit = 0; bit < 4; bit++) counts[first + bit] = packed >> (8 * bit);
  }
  return counts;
}
