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

/** 'What a group costs with k': in bits. */
function costWith(k: number, symbols: ArrayLike<number>, bits: 8 | 16): number {
  let cost = symbols.length * (k + 1);
  for (let i = 0; i < symbols.length; i++) {
    const quotient = (symbols[i] as number) >> k;
    cost += quotient < escapeQuotient ? quotient : escapeQuotient + bits - k;
  }
  return cost;
}

/** 'Of the first k and the three below the cheapest is taken, the larger on a tie; raw, unless that is cheaper.' */
export function chooseCode(symbols: ArrayLike<number>, bits: 8 | 16): number {
  let symbolSum = 0;
  for (let i = 0; i < symbols.length; i++) symbolSum += symbols[i] as number;
  if (symbolSum === 0) return zeroCode;
  const first = firstParameter(symbolSum, symbols.length, bits);
  let code = rawCode(bits);
  let least = symbols.length * bits;
  for (let k = first; k >= Math.max(0, first - 3); k--) {
    const cost = costWith(k, symbols, bits);
    if (cost < least) {
      code = k + 1;
      least = cost;
    }
  }
  return code;
}
