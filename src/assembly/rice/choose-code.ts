// The encoder's choice of a group's code: SPEC.md, "The encoder's choice".
import { escapeQuotient, rawCode } from './groups';

/** For each bit, how many of a group's symbols have it; four zeros follow. */
const counts: usize = memory.data(<i32>(4 * (16 + 4)), 16);

/** @param words planes of the group's sets, set after set; `n` elements */
export function chooseCode<T>(words: usize, n: u32): u32 {
  const bits: u32 = 8 * sizeof<T>();
  const raw = rawCode<T>();
  let any: u32 = 0;
  for (let bit: u32 = 0; bit < bits; bit++) {
    let count: u32 = popcnt(load<u32>(words + 4 * bit));
    if (sizeof<T>() === 1) count += popcnt(load<u32>(words + 4 * bit, 32));
    any |= count;
    store<u32>(counts + 4 * bit, count);
  }
  if (any === 0) return 0;
  for (let bit = bits; bit < bits + 4; bit++) store<u32>(counts + 4 * bit, 0);
  let code = raw;
  let least = n * bits;
  let most: u32 = 0;
  let sum: u32 = 0;
  for (let k: i32 = bits - 1; k >= 0; k--) {
    const at = counts + 4 * k;
    const above = load<u32>(at, 16);
    most = max(most, above);
    sum += above;
    if (<u32>k > raw - 2) continue;
    const first = load<u32>(at);
    const second = load<u32>(at, 4);
    const third = load<u32>(at, 8);
    const fourth = load<u32>(at, 12);
    const inside = n * (k + 1) + first + 2 * second + 4 * third + 8 * fourth;
    const perEscape = escapeQuotient + bits - k;
    const expected = inside + most * perEscape;
    const fifteens = min(min(first, second), min(third, fourth));
    if (expected < least && inside + sum * perEscape + fifteens * (bits - k) <= n * bits) {
      code = k + 1;
      least = expected;
    }
  }
  return code;
}
