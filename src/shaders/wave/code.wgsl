// Encodes each lane of a part into its slot, from the last element to the first: src/core/codecs/wave/SPEC.md, 'A lane'.
// One workgroup owns one part, one invocation one row. Dispatch: one workgroup for each part, spread over x and y.
// Invariants:
// 1. A lane's bytes end where its slot ends. Bytes that do not fit are counted but not written.
// Twin: `encodeElement` in src/core/codecs/wave/code.ts, `LaneEncoder` in rans.ts.

import package::wave::contexts::escape_from;
import package::wave::layout::{Box, Part, lane_count};
import package::wave::places::{pitch_of, row_at};
import package::wave::tables::token_start;

@group(0) @binding(0) var<uniform> box: Box;
@group(0) @binding(1) var<storage, read> parts: array<Part>;
// As the kernel `symbols` writes them.
@group(0) @binding(2) var<storage, read> symbols: array<u32>;
@group(0) @binding(3) var<storage, read> flags: array<u32>;
@group(0) @binding(5) var<storage, read_write> slots: array<u32>;
// For each part the bytes of its 64 lanes.
@group(0) @binding(6) var<storage, read_write> lengths: array<u32>;

const entries = 3456u;

// For each token, and for the end of each table: the start in the high half, the frequency in the low one.
var<workgroup> wg_tokens: array<u32, entries>;

var<private> state: u32;
// The bytes of a word that is not full yet, the latest one lowest, and how many they are.
var<private> pending: u32;
var<private> pending_count: u32;
// One past the words of the slot that are still free, and how many of them there are; negative if the slot was too short.
var<private> word: u32;
var<private> free_words: i32;

// Puts up to two bytes. Later bytes come before earlier ones.
fn put_bytes(bytes: u32, count: u32) {
  let total = pending_count + count;
  let is_full = total >= 4u;
  if (is_full) {
    free_words--;
    word--;
    if (free_words >= 0) { slots[word] = (pending << (32u - 8u * pending_count)) | (bytes >> (8u * (total - 4u))); }
  }
  pending = select((pending << (8u * count)) | bytes, bytes, is_full);
  pending_count = total & 3u;
}

// Puts the bytes that the state has no room for, before a code of this frequency. Returns the rest of the state.
fn shed_bytes(frequency: u32) -> u32 {
  let limit = frequency << 12u;
  let one = state & 255u;
  let two = (one << 8u) | extractBits(state, 8u, 8u);
  let count = u32(state >= limit) + u32((state >> 8u) >= limit);
  put_bytes(select(select(two, one, count == 1u), 0u, count == 0u), count);
  return state >> (8u * count);
}

// The state becomes 4096 q + r + start, for a quotient q and a rest r of the division by the frequency.
fn put_code(start: u32, frequency: u32) {
  // Slightly low, and the rest of the state has 24 bits, so the quotient is right or one too low. Does not wait for the state.
  let reciprocal = 0.999999 / f32(frequency);
  let rest = shed_bytes(frequency);
  let near = u32(f32(rest) * reciprocal);
  let quotient = near + u32(rest - near * frequency >= frequency);
  state = rest + start + quotient * (4096u - frequency);
}

fn put_bits(value: u32, count: u32) {
  let frequency = 4096u >> count;
  let rest = shed_bytes(frequency);
  state = rest + (extractBits(value, 0u, count) << (12u - count)) + (rest >> (12u - count)) * (4096u - frequency);
}

// Puts an element's codes, the last one first.
fn put_element(symbol: u32, flag: u32, specials: u32) {
  let hits = flag >> 24u;
  if (hits == 0u) {
    let magnitude = extractBits(symbol, 12u, 16u);
    let low_bits = symbol >> 28u;
    if (low_bits > 0u) { put_bits(magnitude, low_bits); }
    let high = magnitude >> low_bits;
    if (high >= escape_from) {
      let rest = high - escape_from + 1u;
      let digits = 31u - countLeadingZeros(rest);
      if (digits > 8u) { put_bits(rest >> 8u, digits - 8u); }
      put_bits(rest, min(digits, 8u));
      put_bits(digits, 4u);
    }
    let token = wg_tokens[symbol & 4095u];
    put_code(token >> 16u, token & 0xffffu);
  }
  // After a yes for the first special value there is no second flag.
  if (specials > 1u && (hits & 1u) == 0u) { put_flag(extractBits(flag, 12u, 12u), (hits & 2u) != 0u); }
  if (specials > 0u) { put_flag(extractBits(flag, 0u, 12u), (hits & 1u) != 0u); }
}

fn put_flag(chance: u32, is_hit: bool) {
  put_code(select(0u, 4096u - chance, is_hit), select(4096u - chance, chance, is_hit));
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
  // The tables are loaded.
  workgroupBarrier();
  let part = parts[number];
  if (lane >= part.extent.y || part.range == 0u) { return; }
  state = 65536u;
  free_words = i32(part.slot_words);
  word = part.slots + (lane + 1u) * part.slot_words;
  let pitch = pitch_of(part);
  let width = i32(part.extent.x);
  let has_flags = part.specials > 0u;
  var at = row_at(part, i32(lane), i32(part.extent.z) - 1) + part.extent.x - 1u;
  var x = width;
  var symbol = symbols[at];
  var flag = select(0u, flags[at], has_flags);
  for (var left = part.extent.x * part.extent.z; left > 0u; left--) {
    x--;
    at--;
    if (x == 0) {
      // The end of the row in the slice before.
      x = width;
      at -= pitch * part.extent.y - part.extent.x;
    }
    // Read early, because everything else waits for the coder. Before slice 0 it is not used.
    let next = select(at, 0u, left == 1u);
    let next_symbol = symbols[next];
    let next_flag = select(0u, flags[next], has_flags);
    put_element(symbol, flag, part.specials);
    symbol = next_symbol;
    flag = next_flag;
  }
  put_bytes(state & 255u, 1u);
  put_bytes((state & 0xff00u) | (state >> 16u), 2u);
  // The word that the first bytes fill only partly.
  if (pending_count > 0u && free_words > 0) { slots[word - 1u] = pending << (32u - 8u * pending_count); }
  lengths[number * lane_count + lane] = 4u * u32(i32(part.slot_words) - free_words) + pending_count;
}
