// Encodes each lane of a part into its slot, from the last element to the first: src/core/codecs/wave/SPEC.md, 'A lane'.
// One workgroup owns one part, one invocation one row. Dispatch: one workgroup for each part, spread over x and y.
// Invariants:
// 1. A lane's bytes end where its slot ends. Bytes that do not fit are counted but not written.
// Twin: `encodeElement` in src/core/codecs/wave/code.ts, `LaneEncoder` in rans.ts.

import package::wave::contexts::escape_from;
import package::wave::layout::{Box, Part, lane_count};
import package::wave::places::row_at;
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
var<private> byte_count: u32;
var<private> pending: u32;
// One past the slot's last byte.
var<private> slot_end: u32;
var<private> slot_bytes: u32;

fn put_byte(byte: u32) {
  byte_count++;
  if (byte_count > slot_bytes) { return; }
  let at = slot_end - byte_count;
  pending = insertBits(pending, byte, 8u * (at % 4u), 8u);
  if (at % 4u == 0u) { slots[at / 4u] = pending; }
}

fn put_code(start: u32, frequency: u32) {
  for (var i = 0u; i < 2u && state >= frequency << 12u; i++) {
    put_byte(state & 255u);
    state >>= 8u;
  }
  // The state has 24 bits, so the quotient is one off at most.
  var quotient = u32(f32(state) / f32(frequency));
  var rest = i32(state) - i32(quotient * frequency);
  if (rest < 0) {
    quotient--;
    rest += i32(frequency);
  }
  if (rest >= i32(frequency)) {
    quotient++;
    rest -= i32(frequency);
  }
  state = (quotient << 12u) + u32(rest) + start;
}

fn put_bits(value: u32, count: u32) { put_code(extractBits(value, 0u, count) << (12u - count), 4096u >> count); }

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
  slot_bytes = 4u * part.slot_words;
  slot_end = 4u * part.slots + (lane + 1u) * slot_bytes;
  let width = part.extent.x;
  for (var z = i32(part.extent.z) - 1; z >= 0; z--) {
    let first = row_at(part, i32(lane), z);
    for (var x = width; x > 0u; x--) {
      let at = first + x - 1u;
      put_element(symbols[at], select(0u, flags[at], part.specials > 0u), part.specials);
    }
  }
  put_byte(state & 255u);
  put_byte((state >> 8u) & 255u);
  put_byte(state >> 16u);
  // The word that the first bytes fill only partly.
  if (byte_count <= slot_bytes && byte_count % 4u != 0u) { slots[(slot_end - byte_count) / 4u] = pending; }
  lengths[number * lane_count + lane] = byte_count;
}
