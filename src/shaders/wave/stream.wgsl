// A lane's stream of codes: src/core/codecs/wave/SPEC.md, 'A lane'. Twin: `LaneDecoder` in src/core/codecs/wave/rans.ts.
// Invariants:
// 1. No word after the part's last byte is read. A lane that reads more bytes than it has gets other bytes, and does not end
//    where it should.
// 2. A code takes at most 16 bits, and `refill` leaves 32, so it must be called before every second code. Of a field of bits,
//    a code takes at most 8 for each 8 bits or fewer. Only a lane whose first state is too small takes more, and that one is damaged.

import package::wave::header::{payloads, wg_end};
import package::wave::search::find_token;

var<private> state: u32;
// Two words of the stream with their first byte highest, and how many bits of the first one were taken: after `refill`, less than 32.
var<private> first_word: u32;
var<private> second_word: u32;
var<private> taken: u32;
// The next bits, the first one highest: after `refill`, 32 of them.
var<private> ahead: u32;
// The word after these, and its number. It is read long before it is needed.
var<private> next_word: u32;
var<private> next_at: u32;
var<private> last_word: u32;

fn open_stream(start: u32) {
  last_word = (wg_end - 1u) / 4u;
  first_word = word_at(start / 4u);
  second_word = word_at(start / 4u + 1u);
  taken = 8u * (start % 4u);
  next_at = start / 4u + 2u;
  next_word = word_at(next_at);
  refill();
  state = ahead >> 8u;
  drop_bits(24u);
}

// A word of the payloads, with its first byte highest.
fn word_at(number: u32) -> u32 {
  let word = payloads[min(number, last_word)];
  let swapped = ((word & 0xff00ffu) << 8u) | ((word >> 8u) & 0xff00ffu);
  return (swapped << 16u) | (swapped >> 16u);
}

// The number of the byte after the last one that was taken.
fn next_byte() -> u32 { return 4u * (next_at - 2u) + taken / 8u; }

fn refill() {
  if (taken >= 32u) {
    first_word = second_word;
    second_word = next_word;
    taken -= 32u;
    next_at++;
    next_word = word_at(next_at);
  }
  ahead = (first_word << taken) | ((second_word >> 1u) >> (31u - taken));
}

// Drops the next bits, up to 31.
fn drop_bits(count: u32) {
  ahead <<= count;
  taken += count;
}

// Refills what is left of the state after a code, for which two bytes are always enough.
fn refill_state(left: u32) {
  let count = select(select(16u, 8u, left >= 256u), 0u, left >= 65536u);
  state = (left << count) | ((ahead >> 1u) >> (31u - count));
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

// Takes a token. @param none whether there is none: then this returns 0 and leaves the state as it is
fn take_token(table: u32, none: bool) -> u32 {
  let token = find_token(table, state & 4095u);
  take(select(token.start, 0u, none), select(token.frequency, 4096u, none));
  return select(token.number, 0u, none);
}
