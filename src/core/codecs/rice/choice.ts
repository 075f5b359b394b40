/** The encoder's choice: SPEC.md. Whole numbers only, so that the GPU chooses the same. */

/** 'A quotient of 15 or more is an escape.' */
export const escapeQuotient = 15;
/** 'Code 0 is the zero group; code c stands for Rice with k = c − 1.' */
export const zeroCode = 0;

/** 'The highest code is the raw group: 8 or 15.' */
export function rawCode(bits: 8 | 16): number {
  return Math.min(bits, 15);
}

/** 'The first k is the least with 2S < 3n × 2^k, at most the largest k.' */
function firstParameter(symbolSum: number, count: number, bits: 8 | 16): number {
  const digits = 32 - Math.clz32(Math.floor((2 * symbolSum) / (3 * count)));
  return Math.min(digits, rawCode(bits) - 2);
}

/**
 * 'What a group is expected to cost': in bits.
 * @param symbolSum S, the sum of the group's symbols
 * @param count n, their number
 */
export function expectedCost(symbolSum: number, count: number, bits: 8 | 16): number {
  if (symbolSum === 0) return 0;
  const k = firstParameter(symbolSum, count, bits);
  return Math.min(count * (k + 1) + (symbolSum >> k), count * bits);
}

const fraction = 256;

/** 'L: a logarithm with base 2, in 256ths, that is linear between powers of 2.' @param value 1 to 2^22 */
function logarithm(value: number): number {
  const exponent = 31 - Math.clz32(value);
  return fraction * (exponent - 1) + Math.floor((fraction * value) / 2 ** exponent);
}

/**
 * 'What a part is worth': in no unit.
 * @param symbolSum S, the sum of its symbols that count
 * @param count n, their number, 1 at least
 */
export function partWorth(symbolSum: number, count: number): number {
  return count * (logarithm(symbolSum + count) - logarithm(count));
}

/** 'Of all k that are sure to cost no more than raw, the one that costs least; the larger on a tie.' */
export function chooseCode(symbols: ArrayLike<number>, bits: 8 | 16): number {
  const n = symbols.length;
  const counts = bitCounts(symbols, bits);
  if (counts.every((count) => count === 0)) return zeroCode;
  let code = rawCode(bits);
  let least = n * bits;
  let most = 0;
  let sum = 0;
  for (let k = bits - 1; k >= 0; k--) {
    const high = counts[k + 4] as number;
    most = Math.max(most, high);
    sum += high;
    if (k > rawCode(bits) - 2) continue;
    const own = counts.subarray(k, k + 4);
    const [first, second, third, fourth] = own as unknown as [number, number, number, number];
    const inside = n * (k + 1) + first + 2 * second + 4 * third + 8 * fourth;
    const escape = escapeQuotient + bits - k;
    const expected = inside + most * escape;
    if (expected < least && inside + sum * escape + Math.min(...own) * (bits - k) <= n * bits) {
      code = k + 1;
      least = expected;
    }
  }
  return code;
}

/** How many of the symbols have each bit; four zeros behind. */
function bitCounts(symbols: ArrayLike<number>, bits: 8 | 16): Uint8Array {
  const counts = new Uint8Array(bits + 4);
  for (let i = 0; i < symbols.length; i++) {
    for (let rest = symbols[i] as number, bit = 0; rest > 0; rest >>= 1, bit++) counts[bit] = (counts[bit] as number) + (rest & 1);
  }
  return counts;
}
