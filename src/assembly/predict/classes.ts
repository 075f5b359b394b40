// SPEC.md, 'Classes; heads and tails' and "The encoder's choice". T is u8 or u16.

/** The highest class, which is also the number of sections of heads. */
export function classCount<T>(): u32 {
  return sizeof<T>() === 1 ? 8 : 12;
}

/** How many low bits of each symbol a class stores separately. */
export function tailBits<T>(groupClass: u32): u32 {
  return sizeof<T>() === 1 || groupClass < 4 ? 0 : groupClass - 4;
}

/** Bits of one head. Class 0 has none. */
export function headBits(groupClass: u32): u32 {
  return groupClass === 0 ? 0 : groupClass === 1 ? 4 : 8;
}

/** Words of `count` fields of `bits` bits. */
export function wordsOf(count: u32, bits: u32): u32 {
  return (count * bits + 31) >> 5;
}

/** 'the number of binary digits of floor(2S / 3n)' */
function meanDigits(sum: u32, count: u32): u32 {
  // Division by a constant is cheaper, and nearly all groups are whole.
  return 32 - clz(count === 64 ? sum / 96 : (2 * sum) / (3 * count));
}

/** 'Expected cost of a group', in bits. */
export function expectedCost<T>(sum: u32, count: u32): u32 {
  if (sum === 0) return 0;
  const k = min<u32>(meanDigits(sum, count), sizeof<T>() === 1 ? 6 : 13);
  return min(count * (k + 1) + (sum >> k), count * 8 * sizeof<T>());
}

/** The class of a group. @param union the bitwise OR of its symbols */
export function classOf<T>(sum: u32, union: u32, count: u32): u32 {
  if (sum === 0) return 0;
  const byMean = min(1 + meanDigits(sum, count), classCount<T>());
  // 'but at least the lowest class whose heads hold all symbols'
  const digits = 32 - clz(union);
  return max(byMean, digits <= 4 ? 1 : digits <= 8 ? 2 : digits - 4);
}
