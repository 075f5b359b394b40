// Writes gaps as bytes, for encoders. src/core/codecs/parle/SPEC.md, 'Marks'. Twin: `encode` in
// src/core/codecs/parle/reference.ts.

import package::parle::segment::{bit_words, most_segments};

// The marks of one segment; with `flat`, of several segments one after the other.
@if(flat) var<workgroup> wg_marks: array<atomic<u32>, most_segments * bit_words>;
@else var<workgroup> wg_marks: array<atomic<u32>, bit_words>;

// Writes the gaps of one word's starts from byte `first_byte` of `wg_marks` on, which must be 0. `first`: position of the word's
// first bit. `end_before`: one past the start before the word. Returns the next free byte.
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
