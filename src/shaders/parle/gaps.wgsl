// Writes gaps as bytes. src/core/codecs/parle/SPEC.md, 'Marks'. No entry point: segment.wgsl and this stand in front of the two
// encoders' texts, which have a `wg_marks`.
// Twin: `encode` in src/core/codecs/parle/reference.ts.

import package::parle::segment::{bit_words, most_segments};

// Of one segment, or with `flat` of several, one after the other.
@if(flat) var<workgroup> wg_marks: array<atomic<u32>, most_segments * bit_words>;
@else var<workgroup> wg_marks: array<atomic<u32>, bit_words>;

// The bytes of the gaps of one word's starts, from byte `first_byte` of `wg_marks` on, where all is 0. `first`: the place of the
// word's first bit; `end_before`: one behind the start before the word. Returns the byte behind them.
fn put_gaps(word: u32, first: u32, end_before: u32, first_byte: u32) -> u32 {
  var at = first_byte;
  var next = end_before;
  var bits = word;
  while (bits != 0u) {
    let start = first + countTrailingZeros(bits);
    var gap = start - next;
    while (gap >= 255u) {
      atomicOr(&wg_marks[at / 4u], 255u << (8u * (at % 4u)));
      gap -= 255u;
      at++;
    }
    atomicOr(&wg_marks[at / 4u], gap << (8u * (at % 4u)));
    at++;
    next = start + 1u;
    bits &= bits - 1u;
  }
  return at;
}
