// Bits in memory: bit number i is bit i % 8 of byte i / 8.

/** The lowest `count` bits, 1 to 64. */
export function lowBits(count: u32): u64 {
  return u64.MAX_VALUE >> (64 - count);
}

/** Sets the bits from number `index` on that are 1 in `bits`. Reads and writes 9 bytes. */
export function putBits(bytes: usize, index: u32, bits: u64): void {
  const at = bytes + (index >> 3);
  const shift = index & 7;
  store<u64>(at, load<u64>(at) | (bits << shift));
  if (shift !== 0) store<u8>(at, load<u8>(at, 8) | <u8>(bits >> (64 - shift)), 8);
}

/** `count` bits, 1 to 64, from number `index` on. Reads 9 bytes. */
export function getBits(bytes: usize, index: u32, count: u32): u64 {
  const at = bytes + (index >> 3);
  const shift = index & 7;
  let bits = load<u64>(at) >> shift;
  if (shift !== 0) bits |= (<u64>load<u8>(at, 8)) << (64 - shift);
  return bits & lowBits(count);
}

/**
 * Transposes 64 words of 64 bits: bit j of word i becomes bit i of word j. Swaps blocks of 32×32 bits first, then smaller blocks
 * within each (Hacker's Delight, section 7-3).
 */
export function transpose(words: usize): void {
  let mask: u64 = 0x00000000_ffffffff;
  for (let distance: u32 = 32; distance > 1; distance >>= 1, mask ^= mask << distance) {
    const masks = i64x2.splat(mask);
    for (let group: u32 = 0; group < 64; group += 2 * distance) {
      for (let word = group; word < group + distance; word += 2) {
        const low = words + 8 * word;
        const far = low + 8 * distance;
        const swap = v128.and(v128.xor(i64x2.shr_u(v128.load(low), distance), v128.load(far)), masks);
        v128.store(far, v128.xor(v128.load(far), swap));
        v128.store(low, v128.xor(v128.load(low), i64x2.shl(swap, distance)));
      }
    }
  }
  for (let low = words; low < words + 512; low += 16) {
    const swap = ((load<u64>(low) >> 1) ^ load<u64>(low, 8)) & mask;
    store<u64>(low, load<u64>(low, 8) ^ swap, 8);
    store<u64>(low, load<u64>(low) ^ (swap << 1));
  }
}

/** Flags which of 64 elements of T at `p` differ from those at `q`. */
export function differences<T>(p: usize, q: usize): u64 {
  const quarter = 16 * sizeof<T>();
  return (
    <u64>differ<T>(p, q) |
    ((<u64>differ<T>(p + quarter, q + quarter)) << 16) |
    ((<u64>differ<T>(p + 2 * quarter, q + 2 * quarter)) << 32) |
    ((<u64>differ<T>(p + 3 * quarter, q + 3 * quarter)) << 48)
  );
}

/** The same for 16 elements. */
function differ<T>(p: usize, q: usize): u32 {
  if (sizeof<T>() === 1) return i8x16.bitmask(i8x16.ne(v128.load(p), v128.load(q)));
  if (sizeof<T>() === 2) return i8x16.bitmask(i8x16.narrow_i16x8_s(differ16(p, q), differ16(p + 16, q + 16)));
  const front = i16x8.narrow_i32x4_s(differ32(p, q), differ32(p + 16, q + 16));
  const back = i16x8.narrow_i32x4_s(differ32(p + 32, q + 32), differ32(p + 48, q + 48));
  return i8x16.bitmask(i8x16.narrow_i16x8_s(front, back));
}

function differ16(p: usize, q: usize): v128 {
  return i16x8.ne(v128.load(p), v128.load(q));
}

function differ32(p: usize, q: usize): v128 {
  return i32x4.ne(v128.load(p), v128.load(q));
}
