// A lane's stream of codes: src/core/codecs/wave/SPEC.md, 'A lane'. Twin: `LaneDecoder` in src/core/codecs/wave/rans.ts.
// Invariants:
// 1. No word after the part's last byte is read. A lane that takes more bytes than it has gets others instead, and does not end
//    where it should.

import package::wave::header::{payloads, wg_end};
import package::wave::search::find_token;

// The least state between codes.
const least_state = 65536u;

var<private> state: u32;
// The byte of the payloads that is taken next.
var<private> next: u32;
// The next eight bytes, the first one lowest. Taking bytes leaves fewer.
var<private> ahead: vec2u;
// The words from which `ahead` comes, read long before they are needed, and the number of the first one.
var<private> words: vec3u;
var<private> first_word: u32;
var<private> last_word: u32;

fn open_stream(start: u32) {
  next = start;
  last_word = (wg_end - 1u) / 4u;
  first_word = start / 4u;
  words = vec3u(word_at(first_word), word_at(first_word + 1u), word_at(first_word + 2u));
  look_ahead();
  state = ((ahead.x & 255u) << 16u) | (ahead.x & 0xff00u) | extractBits(ahead.x, 16u, 8u);
  next += 3u;
  look_ahead();
}

fn word_at(word: u32) -> u32 { return payloads[min(word, last_word)]; }

// Fills `ahead`, which lasts for four codes.
fn look_ahead() {
  for (var i = 0u; i < 3u && first_word < next / 4u; i++) {
    words = vec3u(words.yz, word_at(first_word + 3u));
    first_word++;
  }
  let shift = 8u * (next % 4u);
  ahead = (words.xy >> vec2u(shift)) | ((words.yz << vec2u(1u)) << vec2u(31u - shift));
}

// Two bytes are always enough.
fn take(start: u32, frequency: u32) {
  let taken = frequency * (state >> 12u) + (state & 4095u) - start;
  let one = (taken << 8u) | (ahead.x & 255u);
  let two = (one << 8u) | extractBits(ahead.x, 8u, 8u);
  let count = select(select(2u, 1u, taken >= 256u), 0u, taken >= least_state);
  state = select(select(two, one, taken >= 256u), taken, taken >= least_state);
  next += count;
  ahead = vec2u((ahead.x >> (8u * count)) | ((ahead.y << 1u) << (31u - 8u * count)), ahead.y >> (8u * count));
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
