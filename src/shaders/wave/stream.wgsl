// A lane's stream of codes: src/core/codecs/wave/SPEC.md, 'A lane'. Twin: `LaneDecoder` in src/core/codecs/wave/rans.ts.
// Invariants:
// 1. No word after the part's last byte is read. A lane that reads more bytes than it has gets other bytes, and does not end
//    where it should.

import package::wave::header::{payloads, wg_end};
import package::wave::search::find_token;

var<private> state: u32;
// The next byte of the payloads to read.
var<private> next: u32;
// The word of that byte, and the two words after it. They are read long before they are needed.
var<private> words: vec3u;
var<private> last_word: u32;

fn open_stream(start: u32) {
  next = start;
  last_word = (wg_end - 1u) / 4u;
  let word = start / 4u;
  words = vec3u(
    payloads[min(word, last_word)], payloads[min(word + 1u, last_word)], payloads[min(word + 2u, last_word)],
  );
  state = 0u;
  for (var i = 0u; i < 3u; i++) {
    state = (state << 8u) | (next_bytes() & 255u);
    skip(1u);
  }
}

// Reads at least the next two bytes, the first one lowest.
fn next_bytes() -> u32 {
  let shift = 8u * (next % 4u);
  return (words.x >> shift) | (words.y << (32u - max(shift, 8u)));
}

fn skip(count: u32) {
  let is_in_word = next % 4u + count < 4u;
  next += count;
  if (is_in_word) { return; }
  words = vec3u(words.yz, payloads[min(next / 4u + 2u, last_word)]);
}

// Takes a code off the state, and refills the state, for which two bytes are always enough.
fn take(start: u32, frequency: u32) {
  let bytes = next_bytes();
  let taken = frequency * (state >> 12u) + (state & 4095u) - start;
  let one = (taken << 8u) | (bytes & 255u);
  let two = (one << 8u) | extractBits(bytes, 8u, 8u);
  state = select(select(two, one, taken >= 256u), taken, taken >= 65536u);
  skip(u32(taken < 65536u) + u32(taken < 256u));
}

fn take_bits(count: u32) -> u32 {
  let value = (state & 4095u) >> (12u - count);
  take(value << (12u - count), 4096u >> count);
  return value;
}

fn take_token(table: u32) -> u32 {
  let token = find_token(table, state & 4095u);
  take(token.start, token.frequency);
  return token.number;
}
