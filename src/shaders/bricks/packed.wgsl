// Elements packed into words, and arithmetic on all elements of a word at once, for `rice` and `predict`. SPEC.md, 'Planes'.
//
// A word holds `lanes` elements, the first in its low bits. An element of 4 bytes is two planes of 2 bytes.

override element_bytes: u32 = 1u;
// 0: 'volume', 1: 'picture'.
override picture: u32 = 0u;

override planes: u32 = 1u + element_bytes / 4u;
override plane_bytes: u32 = element_bytes - 2u * (element_bytes / 4u);
override bits: u32 = 8u * plane_bytes;
override lanes: u32 = 4u / plane_bytes;
override element_mask: u32 = 0xffffffffu >> (32u - bits);
// 1 in each lane, and the highest bit of each lane.
override ones: u32 = 0xffffffffu / element_mask;
override tops: u32 = ones << (bits - 1u);

struct Box { row_words: u32, slice_words: u32, brick_count: u32, chunk_count: u32 }

// The lowest `width` bits; at most 32.
fn low_bits(width: u32) -> u32 { return select(0u, 0xffffffffu >> (32u - width), width > 0u); }

// The lanes of a word that hold its first `count` elements.
fn lanes_below(count: u32) -> u32 { return low_bits(bits * min(count, lanes)); }

fn packed_add(a: u32, b: u32) -> u32 { return ((a & ~tops) + (b & ~tops)) ^ ((a ^ b) & tops); }
fn packed_subtract(a: u32, b: u32) -> u32 { return ((a | tops) - (b & ~tops)) ^ ((a ^ ~b) & tops); }

// `own - h(before)`, where h(d) is half of a signed d, rounded up. Computed as `difference` (own - before) plus half of `before`,
// rounded down.
fn packed_soften(difference: u32, before: u32) -> u32 {
  return ((difference & ~tops) + ((before >> 1u) & ~tops)) ^ ((difference ^ before) & tops);
}

// 'Residuals 0, −1, 1, −2, 2 … are the symbols 0, 1, 2, 3, 4 …', and back.
fn packed_symbols(residuals: u32) -> u32 {
  return ((residuals & ~tops) << 1u) ^ (((residuals & tops) >> (bits - 1u)) * element_mask);
}
fn packed_residuals(symbols: u32) -> u32 { return ((symbols >> 1u) & ~tops) ^ ((symbols & ones) * element_mask); }
