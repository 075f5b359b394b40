/** The classes of groups: SPEC.md, 'Classes; heads and tails'. Whole numbers only, so that the GPU chooses the same. */

/** Class 0 is the zero group. */
export const zeroClass = 0;
/** Class 1 packs two heads into a byte. */
const pairClass = 1;

/** The highest class, which is also the number of sections of heads. */
export function classCount(bits: 8 | 16): number {
  return bits === 8 ? 8 : 12;
}

/** The length of a class's tails: how many low bits of each symbol are stored separately. */
export function tailBits(groupClass: number, bits: 8 | 16): number {
  return bits === 8 ? 0 : Math.max(0, groupClass - 4);
}

/** Bits of one head. */
export function headBits(groupClass: number): 4 | 8 {
  return groupClass === pairClass ? 4 : 8;
}

/** Words that a group of `count` elements takes in the section of its class's heads, and in the section of tails. */
export function groupWords(groupClass: number, count: number, bits: 8 | 16): { readonly heads: number; readonly tails: number } {
  if (groupClass === zeroClass) return { heads: 0, tails: 0 };
  return {
    heads: Math.ceil((count * headBits(groupClass)) / 32),
    tails: Math.ceil((count * tailBits(groupClass, bits)) / 32),
  };
}

/** Binary digits of a whole number; 0 has none. */
function digits(value: number): number {
  return 32 - Math.clz32(value);
}

/** 'd the number of binary digits of floor(2S / 3n)' */
function meanDigits(symbolSum: number, count: number): number {
  return digits(Math.floor((2 * symbolSum) / (3 * count)));
}

/**
 * The class of a group.
 * @param symbolSum S, the sum of its symbols
 * @param union the bitwise OR of its symbols, which has as many digits as the largest one
 */
export function classOf(symbolSum: number, union: number, count: number, bits: 8 | 16): number {
  if (symbolSum === 0) return zeroClass;
  const byMean = Math.min(1 + meanDigits(symbolSum, count), classCount(bits));
  // 'but at least the lowest class whose heads hold all symbols'
  const unionDigits = digits(union);
  return Math.max(byMean, unionDigits <= 4 ? 1 : 2, unionDigits <= 8 ? 1 : unionDigits - 4);
}

/** 'Expected cost of a group', in bits. */
export function expectedCost(symbolSum: number, count: number, bits: 8 | 16): number {
  if (symbolSum === 0) return 0;
  const k = Math.min(meanDigits(symbolSum, count), bits === 8 ? 6 : 13);
  return Math.min(count * (k + 1) + Math.floor(symbolSum / 2 ** k), count * bits);
}
