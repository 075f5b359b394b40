// A lane's stream of codes: src/core/codecs/wave/SPEC.md, 'A lane'. Twin: `LaneDecoder` in src/core/codecs/wave/rans.ts.
// Invariants:
// 1. No word after the part's last byte is read. A lane that reads more bytes than it has gets other bytes, and does not end
//    where it should.
// 2. A code takes at most 16 bits, and `refill` leaves at least 33, so it must be called before every second code. Of a field of bits,
//    a code takes at most 8 for each 8 bits or fewer. Only a lane whose first state is too small takes more, and that one is damaged.

import package::wave::header::{payloads, wg_end};
import package::wave::search::find_token;

var<private> state: u32;
// The stream's next bits, the first one highest, and their number. The bits after them are 0.
var<private> upper: u32;
var<private> lower: u32;
var<private> bit_count: u32;
// The word after these, and its number. It is read long before it is needed.
var<private> next_word: u32;
var<private> next_at: u32;
var<private> last_word: u32;

fn open_stream(start: u32) {
  last_word = (wg_end - 1u) / 4u;
  let skipped = 8u * (start % 4u);
  upper = word_at(start / 4u) << skipped;
  lower = 0u;
  bit_count = 32u - skipped;
  next_at = start / 4u + 1u;
  next_word = word_at(next_at);
  refill();
  state = upper >> 8u;
  drop_bits(24u);
}

// A word of the payloads, with its first byte highest.
fn word_at(number: u32) -> u32 {
  let word = payloads[min(number, last_word)];
  let swapped = ((word & 0xff00ffu) << 8u) | ((word >> 8u) & 0xff00ffu);
  return (swapped << 16u) | (swapped >> 16u);
}

// The number of the byte after the last one that was taken.
fn next_byte() -> u32 { return 4u * next_at - bit_count / 8u; }

fn refill() {
  if (bit_count > 32u) { return; }
  upper |= (next_word >> 1u) >> (bit_count - 1u);
  lower = next_word << (32u - bit_count);
  bit_count += 32u;
  next_at++;
  next_word = word_at(next_at);
}

// Drops the next bits, up to 31.
fn drop_bits(count: u32) {
  upper = (upper << count) | ((lower >> 1u) >> (31u - count));
  lower <<= count;
  bit_count -= count;
}

// Refills what is left of the state after a code, for which two bytes are always enough.
fn refill_state(left: u32) {
  let count = select(select(16u, 8u, left >= 256u), 0u, left >= 65536u);
  state = (left << count) | ((upper >> 1u) >> (31u - count));
  drop_bits(count);
}

// Takes a code off the state.
fn take(start: u32, frequency: u32) { refill_state(frequency * (state >> 12u) + (state & 4095u) - start); }

fn take_bits(count: u32) -> u32 {
  let rest = 12u - count;
  let value = (state & 4095u) >> rest;
  refill_state(((state >> 12u) << rest) | (state & ((1u << rest) - 1u)));
  return value;
}

fn take_token(table: u32) -> u32 {
  let token = find_token(table, state & 4095u);
  take(token.start, token.frequency);
  return token.number;
}
