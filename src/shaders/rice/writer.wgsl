// Bits into a brick's code in workgroup memory. No entry point: kernels.ts puts it in front of encode.wgsl, behind
// shared-memory.wgsl. SPEC.md, 'A brick' and 'Codes'.
// Invariants:
// 1. The code is zero before, and no two bits written stand in one place: words that several share are the same whoever comes
//    first.

// Up to 32 bits in one go, for the few values that stand alone. `value` has no bits above `width`.
fn put(bit: u32, value: u32, width: u32) {
  atomicOr(&wg_words[bit / 32u], value << (bit % 32u));
  if (bit % 32u + width > 32u) { atomicOr(&wg_words[bit / 32u + 1u], value >> (32u - bit % 32u)); }
}

// Gathers neighbouring bits into words.
struct Writer { word: u32, used: u32, bits: u32 }

fn writer_at(bit: u32) -> Writer { return Writer(bit / 32u, bit % 32u, 0u); }

// `width`: 32 at most; `value` has no bits above.
fn append(writer: ptr<function, Writer>, value: u32, width: u32) {
  let used = (*writer).used;
  (*writer).bits |= value << used;
  (*writer).used = used + width;
  if (used + width >= 32u) {
    atomicOr(&wg_words[(*writer).word], (*writer).bits);
    (*writer).word++;
    (*writer).used = used + width - 32u;
    (*writer).bits = (value >> 1u) >> (31u - used);
  }
}

fn finish(writer: ptr<function, Writer>) {
  if ((*writer).used > 0u) { atomicOr(&wg_words[(*writer).word], (*writer).bits); }
}

// The low `width` bits of all lanes, side by side.
fn suffixes_of(symbols: u32, width: u32) -> u32 {
  let low = symbols & (low_bits(width) * ones);
  if (lanes == 2u) { return (low & 0xffffu) | ((low >> 16u) << width); }
  // The products of a pair's second element end below bit 15, as long as widths do not reach 8.
  if (width == 8u) { return symbols; }
  let second = 1u << width;
  return dot4U8Packed(low, 1u | (second << 8u)) | (dot4U8Packed(low, (1u | (second << 8u)) << 16u) << (2u * width));
}

// How a group is coded.
struct Coded { width: u32, is_rice: bool }

// The prefixes of a word's four quotients, 15 at most.
fn append_four(prefixes: ptr<function, Writer>, quotients: u32) {
  // Sums of quotients and ones before them: where each prefix has its one. The last is at bit 63 at most.
  let ends = quotients * ones + 0x03020100u;
  let last = ends >> 24u;
  let first_pair = (1u << (ends & 0xffu)) | (1u << ((ends >> 8u) & 0xffu));
  let third = (ends >> 16u) & 0xffu;
  if (last < 32u) {
    append(prefixes, first_pair | (1u << third) | (1u << last), last + 1u);
  } else {
    let pair_bits = ((ends >> 8u) & 0xffu) + 1u;
    append(prefixes, first_pair, pair_bits);
    append(prefixes, (1u << (third - pair_bits)) | (1u << (last - pair_bits)), last + 1u - pair_bits);
  }
}

// The prefixes of a word's first `count` quotients, 15 at most. Two at a time: two prefixes have 32 bits at most.
fn append_pairs(prefixes: ptr<function, Writer>, quotients: u32, count: u32) {
  for (var pair = 0u; pair < min(count, lanes); pair += 2u) {
    let first = (quotients >> (pair * bits)) & element_mask;
    var bits_there = 1u << first;
    var bit_count = first + 1u;
    if (pair + 1u < count) {
      bit_count += ((quotients >> ((pair + 1u) * bits)) & element_mask) + 1u;
      bits_there |= 1u << (bit_count - 1u);
    }
    append(prefixes, bits_there, bit_count);
  }
}

// Puts those of a word's quotients that are escapes from bit `escapes` on, in `width` bits each, and moves that on. Returns the
// quotients with 15 in their places.
fn put_escapes(quotients: u32, width: u32, escapes: ptr<function, u32>) -> u32 {
  let escaped = escapes_in(quotients);
  if (escaped == 0u) { return quotients; }
  for (var lane = 0u; lane < lanes; lane++) {
    if (((escaped >> (lane * bits)) & element_mask) == 0u) { continue; }
    put(*escapes, (quotients >> (lane * bits)) & element_mask, width);
    *escapes += width;
  }
  let lanes_escaped = (escaped >> (bits - 1u)) * element_mask;
  return (quotients & ~lanes_escaped) | ((escape_quotient * ones) & lanes_escaped);
}

// Writes a part's bits, from the three places on.
fn write_part(
  place: Place,
  symbols: ptr<function, array<u32, part_words>>,
  coded: Coded,
  has_escapes: bool,
  suffixes_at: u32,
  prefixes_at: u32,
  escapes_at: u32,
) {
  var suffixes = writer_at(suffixes_at);
  var prefixes = writer_at(prefixes_at);
  var escapes = escapes_at;
  let width = coded.width;
  let quotient_mask = element_mask >> width;
  for (var i = 0u; i < part_words; i++) {
    let count = word_of(place, i).count;
    let word = (*symbols)[i];
    append(&suffixes, suffixes_of(word, width), width * count);
    if (coded.is_rice) {
      // 'q zero bits and a one; 15 zero bits and a one for an escape.'
      var quotients = (word >> width) & (quotient_mask * ones);
      if (has_escapes) { quotients = put_escapes(quotients, bits - width, &escapes); }
      if (lanes == 4u && count == 4u) { append_four(&prefixes, quotients); } else { append_pairs(&prefixes, quotients, count); }
    }
  }
  finish(&suffixes);
  finish(&prefixes);
}
