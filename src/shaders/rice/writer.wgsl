// Writes bits into a brick's code in workgroup memory. SPEC.md, 'A brick' and 'Codes'.
// Invariants:
// 1. The code starts as zeros and no bit is written twice, so words that several invocations share do not depend on their order.

import package::bricks::packed::{bits, element_mask, lanes, ones, tops};
import package::rice::brick::{Place, clipped, escape_quotient, part_words, sum_of_lanes, word_of};
import package::rice::planes::Eight;
import package::rice::spread::{gather_bits, places_of, spread_to};
import package::rice::tiles::wg_code;

// Writes up to 32 bits, for values that stand alone. `value` must have no bits above `width`.
fn put(bit: u32, value: u32, width: u32) {
  atomicOr(&wg_code[bit / 32u], value << (bit % 32u));
  if (bit % 32u + width > 32u) { atomicOr(&wg_code[bit / 32u + 1u], value >> (32u - bit % 32u)); }
}

// Collects neighbouring bits into words. All words between the first and the last belong to this writer alone.
struct Writer { first: u32, word: u32, used: u32, bits: u32, head: u32 }

fn writer_at(bit: u32) -> Writer { return Writer(bit / 32u, bit / 32u, bit % 32u, 0u, 0u); }

// `width`: at most 32. `value` must have no bits above it.
fn append(writer: ptr<function, Writer>, value: u32, width: u32) {
  let used = (*writer).used;
  (*writer).bits |= value << used;
  (*writer).used = used + width;
  if (used + width >= 32u) {
    if ((*writer).word == (*writer).first) {
      (*writer).head = (*writer).bits;
    } else {
      atomicStore(&wg_code[(*writer).word], (*writer).bits);
    }
    (*writer).word++;
    (*writer).used = used + width - 32u;
    (*writer).bits = (value >> 1u) >> (31u - used);
  }
}

fn finish(writer: Writer) {
  if (writer.word > writer.first) { atomicOr(&wg_code[writer.first], writer.head); }
  if (writer.used > 0u) { atomicOr(&wg_code[writer.word], writer.bits); }
}

// The quotients of four words.
fn quotients_of(symbols: vec4u, k: u32) -> vec4u { return (symbols >> vec4u(k)) & vec4u((element_mask >> k) * ones); }

// The top bit of each lane whose quotient is 15 or more.
fn escapes_in(quotients: vec4u) -> vec4u {
  return (((quotients & vec4u(~tops)) + ones * ((1u << (bits - 1u)) - escape_quotient)) | quotients) & vec4u(tops);
}

fn sum_of_four(words: vec4u) -> u32 {
  return sum_of_lanes(words.x) + sum_of_lanes(words.y) + sum_of_lanes(words.z) + sum_of_lanes(words.w);
}

// A part's quotients, capped at 15; the top bits of the lanes that are escapes; and the number of escapes.
struct Quotients { words: Eight, escaped: Eight, escapes: u32 }

fn quotients_with(symbols: Eight, k: u32) -> Quotients {
  var words = Eight(quotients_of(symbols.low, k), quotients_of(symbols.high, k));
  let escaped = Eight(escapes_in(words.low), escapes_in(words.high));
  let any = escaped.low | escaped.high;
  var escapes = 0u;
  if (((any.x | any.y) | (any.z | any.w)) != 0u) {
    let counts = countOneBits(escaped.low) + countOneBits(escaped.high);
    escapes = counts.x + counts.y + counts.z + counts.w;
    words = Eight(capped(words.low, escaped.low), capped(words.high, escaped.high));
  }
  return Quotients(words, escaped, escapes);
}

// Replaces the quotients that are escapes by 15.
fn capped(quotients: vec4u, escaped: vec4u) -> vec4u {
  let covered = (escaped >> vec4u(bits - 1u)) * element_mask;
  return (quotients & ~covered) | (vec4u(escape_quotient * ones) & covered);
}

// q zero bits and a one; 15 zero bits and a one for an escape.
fn write_prefixes(place: Place, quotients: Eight, at: u32) {
  var prefixes = writer_at(at);
  if (clipped == 0u) {
    // Checks four words at once: in few parts does a word take more than 32 bits.
    let longest = max(bits_of_four(quotients.low), bits_of_four(quotients.high));
    if (max(max(longest.x, longest.y), max(longest.z, longest.w)) <= 32u) {
      append_word(&prefixes, quotients.low.x);
      append_word(&prefixes, quotients.low.y);
      append_word(&prefixes, quotients.low.z);
      append_word(&prefixes, quotients.low.w);
      append_word(&prefixes, quotients.high.x);
      append_word(&prefixes, quotients.high.y);
      append_word(&prefixes, quotients.high.z);
      append_word(&prefixes, quotients.high.w);
      finish(prefixes);
      return;
    }
  }
  var rest = quotients;
  for (var i = 0u; i < part_words; i++) {
    append_pairs(&prefixes, rest.low.x, word_of(place, i).count);
    rest = Eight(vec4u(rest.low.yzw, rest.high.x), rest.high.yzwx);
  }
  finish(prefixes);
}

// The number of bits in each word's prefixes.
fn bits_of_four(quotients: vec4u) -> vec4u {
  return lanes + vec4u(sum_of_lanes(quotients.x), sum_of_lanes(quotients.y), sum_of_lanes(quotients.z), sum_of_lanes(quotients.w));
}

// The prefixes of a whole word, at most 32 bits.
fn append_word(prefixes: ptr<function, Writer>, quotients: u32) {
  if (lanes == 2u) {
    let first = quotients & 0xffffu;
    let last = first + (quotients >> 16u) + 1u;
    append(prefixes, (1u << first) | (1u << last), last + 1u);
    return;
  }
  // Running sums of quotients plus the ones before them: the position of each prefix's one.
  let ends = quotients * ones + 0x03020100u;
  let last = ends >> 24u;
  let first_pair = (1u << (ends & 0xffu)) | (1u << ((ends >> 8u) & 0xffu));
  append(prefixes, first_pair | (1u << ((ends >> 16u) & 0xffu)) | (1u << last), last + 1u);
}

// The prefixes of a word's first `count` quotients, two at a time: two have at most 32 bits.
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

// The full quotients of a part's escapes, in `width` bits each.
fn write_escapes(symbols: Eight, escaped: Eight, k: u32, at: u32) {
  var bit = at;
  let width = bits - k;
  var rest = symbols;
  var flags = escaped;
  for (var i = 0u; i < part_words; i++) {
    for (var lane = 0u; lane < lanes; lane++) {
      if (((flags.low.x >> (lane * bits)) & element_mask) == 0u) { continue; }
      put(bit, ((rest.low.x >> (lane * bits)) & element_mask) >> k, width);
      bit += width;
    }
    rest = Eight(vec4u(rest.low.yzw, rest.high.x), rest.high.yzwx);
    flags = Eight(vec4u(flags.low.yzw, flags.high.x), flags.high.yzwx);
  }
}

// 'bit by bit': the lowest `width` of a part's eight planes. The planes of an unclipped set are whole words.
fn write_planes(place: Place, planes_there: Eight, width: u32, at: u32) {
  if (clipped == 0u) {
    let word = at / 32u;
    if (width > 0u) { atomicStore(&wg_code[word], planes_there.low.x); }
    if (width > 1u) { atomicStore(&wg_code[word + 1u], planes_there.low.y); }
    if (width > 2u) { atomicStore(&wg_code[word + 2u], planes_there.low.z); }
    if (width > 3u) { atomicStore(&wg_code[word + 3u], planes_there.low.w); }
    if (width > 4u) { atomicStore(&wg_code[word + 4u], planes_there.high.x); }
    if (width > 5u) { atomicStore(&wg_code[word + 5u], planes_there.high.y); }
    if (width > 6u) { atomicStore(&wg_code[word + 6u], planes_there.high.z); }
    if (width > 7u) { atomicStore(&wg_code[word + 7u], planes_there.high.w); }
    return;
  }
  let spread = spread_to(places_of(place, 0u));
  let count = countOneBits(spread.places);
  if (count == 0u) { return; }
  var rest = planes_there;
  for (var i = 0u; i < width; i++) {
    put(at + i * count, gather_bits(rest.low.x, spread), count);
    rest = Eight(vec4u(rest.low.yzw, rest.high.x), rest.high.yzwx);
  }
}
