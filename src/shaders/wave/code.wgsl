// Encodes each lane of a part into its slot, from the last element to the first: src/core/codecs/wave/SPEC.md, 'A lane'.
// One workgroup owns one part, one invocation one row. Dispatch: one workgroup for each part, spread over x and y.
// Invariants:
// 1. A lane's bytes end where its slot ends. Bytes that do not fit are counted but not written.
// Twin: `encodeElement` in src/core/codecs/wave/code.ts, `LaneEncoder` in rans.ts.

import package::wave::contexts::escape_from;
import package::wave::layout::{Box, Part, lane_count};
import package::wave::places::{codes_at, pitch_of};
import package::wave::tables::token_start;

@group(0) @binding(0) var<uniform> box: Box;
@group(0) @binding(1) var<storage, read> parts: array<Part>;
// The symbols, as the kernel `symbols` writes them.
@group(0) @binding(2) var<storage, read> symbols: array<u32>;
@group(0) @binding(3) var<storage, read> flags: array<u32>;
@group(0) @binding(5) var<storage, read_write> slots: array<u32>;
// For each part, the lengths in bytes of its 64 lanes.
@group(0) @binding(6) var<storage, read_write> lengths: array<u32>;

const entries = 3456u;

// For each token, and for the end of each table: the start in the high half, the frequency in the low half.
var<workgroup> wg_tokens: array<u32, entries>;

var<private> state: u32;
// The bits that are not written yet, the latest lowest: first the low 32 of them, then those above. At most 64.
var<private> pending: u32;
var<private> pending_above: u32;
var<private> pending_bits: u32;
// The end of the slot's free words, and their number, which is negative if the slot was too short.
var<private> word: u32;
var<private> free_words: i32;

// Writes a word if one is pending. At most 31 bits stay pending.
fn flush() {
  if (pending_bits < 32u) { return; }
  pending_bits -= 32u;
  free_words--;
  word--;
  // Later bytes go before earlier ones.
  if (free_words >= 0) { slots[word] = (pending >> pending_bits) | ((pending_above << 1u) << (31u - pending_bits)); }
}

// Removes the bytes that must leave the state before a code of this frequency: up to two, which become pending.
fn shed_bytes(frequency: u32) {
  let limit = frequency << 12u;
  let count = select(0u, 8u, state >= limit) + select(0u, 8u, (state >> 8u) >= limit);
  let two = ((state & 255u) << 8u) | extractBits(state, 8u, 8u);
  pending_above = (pending_above << count) | ((pending >> 1u) >> (31u - count));
  pending = (pending << count) | (two >> (16u - count));
  pending_bits += count;
  state >>= count;
}

// A code: a range within 0 … 4095, and the reciprocal of its frequency.
struct Code { start: u32, frequency: u32, reciprocal: f32 }

// 1 + 2^-19. WGSL allows `inverseSqrt` an error of two units in the last place, and each product one: at most seven units of 2^-23
// for a quotient. With this factor, the quotient is never too small, and too large by less than 2^-6.
const surplus = 1.0000019073486328f;

fn code_of(start: u32, frequency: u32) -> Code {
  // This is faster than a division, and exact enough.
  let root = inverseSqrt(f32(frequency));
  return Code(start, frequency, surplus * (root * root));
}

// 1.5 × 2^22. After adding it to a number below 4096, the lowest bits are twice that number, rounded up or down.
const halves = 6291456f;

// The state becomes 4096 q + r + start, with quotient q and remainder r of the division by the frequency. A code with frequency 4096
// does not change the state.
fn put_code(code: Code) {
  shed_bytes(code.frequency);
  let rest = state;
  // The quotient is below 4096, and the reciprocal slightly too large, so this is the quotient or one more, however the device
  // rounds.
  let near = (bitcast<u32>(fma(f32(rest), code.reciprocal, halves)) - bitcast<u32>(halves)) >> 1u;
  let quotient = near - ((rest - near * code.frequency) >> 31u);
  state = rest + code.start + quotient * (4096u - code.frequency);
}

fn put_bits(value: u32, count: u32) {
  let frequency = 4096u >> count;
  shed_bytes(frequency);
  let rest = state;
  state = rest + (extractBits(value, 0u, count) << (12u - count)) + (rest >> (12u - count)) * (4096u - frequency);
}

// Writes the fields after an escape, in reverse order.
fn put_escape(high: u32) {
  let rest = high - escape_from + 1u;
  let digits = 31u - countLeadingZeros(rest);
  flush();
  if (digits > 8u) { put_bits(rest >> 8u, digits - 8u); }
  put_bits(rest, min(digits, 8u));
  flush();
  put_bits(digits, 4u);
}

fn flag_code(flag: u32, number: u32) -> Code {
  let chance = extractBits(flag, 12u * number, 12u);
  let is_hit = extractBits(flag, 24u + number, 1u) == 1u;
  return code_of(select(0u, 4096u - chance, is_hit), select(4096u - chance, chance, is_hit));
}

// Writes an element's codes, the last one first. A special value has no token, and after a yes for the first one there is no second
// flag; codes with frequency 4096 take their place, so that lanes do not diverge.
fn put_element(symbol: u32, token: u32, flag: u32, specials: u32) {
  let hits = flag >> 24u;
  let low_bits = symbol >> 28u;
  let high = extractBits(symbol, 12u, 16u) >> low_bits;
  let of_token = select(token, 4096u, hits != 0u);
  let code = code_of(of_token >> 16u, of_token & 0xffffu);
  if (hits == 0u) {
    put_bits(symbol >> 12u, low_bits);
    if (high >= escape_from) { put_escape(high); }
  }
  put_code(code);
  flush();
  if (specials > 1u) { put_code(flag_code(select(flag, 0u, (hits & 1u) == 1u), 1u)); }
  if (specials > 0u) {
    put_code(flag_code(flag, 0u));
    flush();
  }
}

// Writes the codes of a row's elements in all slices, from the last to the first.
fn put_row(part: Part, lane: u32, specials: u32) {
  let pitch = pitch_of(part);
  let width = i32(part.extent.x);
  var at = codes_at(part, i32(lane), i32(part.extent.z) - 1) + part.extent.x - 1u;
  var x = width;
  var symbol = symbols[at];
  var flag = 0u;
  if (specials > 0u) { flag = flags[at]; }
  for (var left = part.extent.x * part.extent.z; left > 0u; left--) {
    let token = wg_tokens[symbol & 4095u];
    x--;
    at--;
    if (x == 0) {
      // Continue at the end of the row in the slice before.
      x = width;
      at -= pitch * part.extent.y - part.extent.x;
    }
    // Read early, because everything waits for the coder. Before slice 0, the symbol is not used.
    let next = select(at, 0u, left == 1u);
    let next_symbol = symbols[next];
    var next_flag = 0u;
    if (specials > 0u) { next_flag = flags[next]; }
    put_element(symbol, token, flag, specials);
    symbol = next_symbol;
    flag = next_flag;
  }
}

@compute @workgroup_size(lane_count)
fn main(
  @builtin(local_invocation_index) lane: u32,
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
) {
  let number = workgroup.x + workgroup.y * workgroups.x;
  if (number >= box.part_count) { return; }
  for (var i = lane; i < entries; i += lane_count) {
    let start = token_start(i);
    wg_tokens[i] = (start << 16u) | ((token_start(i + 1u) - start) & 0xffffu);
  }
  // Wait until the tables are loaded.
  workgroupBarrier();
  let part = parts[number];
  if (lane >= part.extent.y || part.range == 0u) { return; }
  state = 65536u;
  free_words = i32(part.slot_words);
  word = part.slots + (lane + 1u) * part.slot_words;
  // Most parts have one special value or none. The loops without the other flags are shorter.
  if (part.specials == 0u) {
    put_row(part, lane, 0u);
  } else if (part.specials == 1u) {
    put_row(part, lane, 1u);
  } else {
    put_row(part, lane, 2u);
  }
  pending_above = pending >> 8u;
  pending = (pending << 24u) | ((state & 255u) << 16u) | (state & 0xff00u) | (state >> 16u);
  pending_bits += 24u;
  flush();
  // The first bytes fill the last word only partly.
  if (pending_bits > 0u && free_words > 0) { slots[word - 1u] = pending << (32u - pending_bits); }
  lengths[number * lane_count + lane] = 4u * u32(i32(part.slot_words) - free_words) + pending_bits / 8u;
}
