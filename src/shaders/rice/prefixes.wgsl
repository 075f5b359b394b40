// Finds where a decoder's prefixes start, by counting ones in a brick's code. SPEC.md, 'Codes'.
// Algorithm: each invocation counts the ones in its share of the words. Once it knows how many come before, it marks each one
// that ends a full part's prefixes. A part's start is then a mark, or is searched from the mark before it.

import package::bricks::memory::load_word;
import package::bricks::packed::{lanes, low_bits};
import package::rice::brick::{clipped, part_words, threads};

// Elements of an unclipped part.
override part_elements: u32 = part_words * lanes;
// Element n > 0: the bit after the first n × part_elements ones of the prefixes.
var<workgroup> wg_marks: array<u32, threads + 1u>;

// The words `first` to `end` that hold a brick's prefixes, `share` of them for each invocation. Ones before `bit` in the first
// word do not count.
struct Prefixes { bit: u32, first: u32, end: u32, share: u32 }

fn prefix_word(prefixes: Prefixes, word: u32) -> u32 {
  let bits_there = load_word(word);
  if (word == prefixes.first) { return bits_there & ~low_bits(prefixes.bit % 32u); }
  return bits_there;
}

// An invocation's share of the words. Two are kept in registers, with no ones if they are outside; more are rare.
struct Share { first: u32, end: u32, low: u32, high: u32 }

fn share_of(prefixes: Prefixes, thread: u32) -> Share {
  let first = prefixes.first + thread * prefixes.share;
  let end = min(first + prefixes.share, prefixes.end);
  var share = Share(first, end, 0u, 0u);
  if (first < end) { share.low = prefix_word(prefixes, first); }
  if (first + 1u < end) { share.high = prefix_word(prefixes, first + 1u); }
  return share;
}

fn count_ones(prefixes: Prefixes, share: Share) -> u32 {
  var ones_there = countOneBits(share.low) + countOneBits(share.high);
  for (var word = share.first + 2u; word < share.end; word++) { ones_there += countOneBits(prefix_word(prefixes, word)); }
  return ones_there;
}

// Marks those ones of a share that end a part.
fn mark_ones(prefixes: Prefixes, share: Share, ones_before: u32) {
  var ones_there = mark_word(share.first, share.low, ones_before);
  ones_there = mark_word(share.first + 1u, share.high, ones_there);
  for (var word = share.first + 2u; word < share.end; word++) {
    ones_there = mark_word(word, prefix_word(prefixes, word), ones_there);
  }
}

// Returns the number of ones up to the word's end.
fn mark_word(word: u32, bits_there: u32, ones_before: u32) -> u32 {
  let end = ones_before + countOneBits(bits_there);
  for (var mark = ones_before / part_elements + 1u; mark * part_elements <= end && mark <= threads; mark++) {
    wg_marks[mark] = 32u * word + bit_of_one(bits_there, mark * part_elements - ones_before - 1u) + 1u;
  }
  return end;
}

// The position of one number `number` (from 0) in a word. It counts groups of 8, 4 and 2 bits in parallel, because countOneBits
// is slow.
fn bit_of_one(bits_there: u32, number: u32) -> u32 {
  let twos = bits_there - ((bits_there >> 1u) & 0x55555555u);
  let fours = (twos & 0x33333333u) + ((twos >> 2u) & 0x33333333u);
  // In each byte: the ones up to its end.
  let ends = ((fours + (fours >> 4u)) & 0x0f0f0f0fu) * 0x01010101u;
  let first_end = ends & 0xffu;
  let second_end = (ends >> 8u) & 0xffu;
  let third_end = (ends >> 16u) & 0xffu;
  var bit = 8u * (u32(number >= first_end) + u32(number >= second_end) + u32(number >= third_end));
  var rest = number - (((ends << 8u) >> bit) & 0xffu);
  let four = (fours >> bit) & 15u;
  if (rest >= four) {
    rest -= four;
    bit += 4u;
  }
  let two = (twos >> bit) & 3u;
  if (rest >= two) {
    rest -= two;
    bit += 2u;
  }
  return bit + u32(rest >= ((bits_there >> bit) & 1u));
}

// The bit after the first `count` ones of the prefixes.
fn bit_behind(prefixes: Prefixes, count: u32) -> u32 {
  let mark = min(count / part_elements, threads);
  var bit = prefixes.bit;
  if (mark > 0u) { bit = wg_marks[mark]; }
  let rest = count % part_elements;
  if (clipped == 0u || rest == 0u) { return bit; }
  var word = bit / 32u;
  var bits_there = load_word(word) & ~low_bits(bit % 32u);
  var passed = 0u;
  while (passed + countOneBits(bits_there) < rest && word + 1u < prefixes.end) {
    passed += countOneBits(bits_there);
    word++;
    bits_there = load_word(word);
  }
  return 32u * word + bit_of_one(bits_there, rest - passed - 1u) + 1u;
}

// How many prefixes between two bits are escapes, that is ones after 15 zeros. Searches all positions of a word at once.
fn count_escapes(start: u32, end: u32) -> u32 {
  var escaped = 0u;
  // For the previous word: the bits at which 1, 2, 4, 8 or 15 zeros end. Bits before the prefixes count as ones.
  var before = vec4u(0u);
  var fifteen_before = 0u;
  for (var word = start / 32u; 32u * word < end; word++) {
    var bits_there = load_word(word);
    if (32u * word < start) { bits_there |= low_bits(start % 32u); }
    let one = ~bits_there;
    let two = one & ((one << 1u) | (before.x >> 31u));
    let four = two & ((two << 2u) | (before.y >> 30u));
    let eight = four & ((four << 4u) | (before.z >> 28u));
    let fifteen = eight & ((eight << 7u) | (before.w >> 25u));
    let ends = bits_there & ((fifteen << 1u) | (fifteen_before >> 31u));
    escaped += countOneBits(ends & low_bits(min(end - 32u * word, 32u)));
    before = vec4u(one, two, four, eight);
    fifteen_before = fifteen;
  }
  return escaped;
}
