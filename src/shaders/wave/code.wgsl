// Encodes each lane of a part into its slot, from the last element to the first: src/core/codecs/wave/SPEC.md, 'A lane'.
// One workgroup owns one part, one invocation one row. Dispatch: one workgroup for each part, spread over x and y.
// Invariants:
// 1. A lane's bytes end where its slot ends. Bytes that do not fit are counted but not written.
// Twin: `encodeElement` in src/core/codecs/wave/code.ts, `LaneEncoder` in rans.ts.

import package::wave::contexts::{
  bias_cells, energy_of, escape_from, flag_context, level_of, low_bits_of, scale_of, table_of,
};
import package::wave::layout::{Part, fraction, lane_count};
import package::wave::predicted::{index_of, near_of, predictions};
import package::wave::source::{box, parts, value_at};
import package::wave::tables::{flag_chance, token_start};

// For each part: for each level the level whose tables are used, then the biases by the residuals' cell and by the gradients'.
@group(0) @binding(5) var<storage, read> codings: array<i32>;
@group(0) @binding(6) var<storage, read_write> slots: array<u32>;
// For each part the bytes of its 64 lanes.
@group(0) @binding(7) var<storage, read_write> lengths: array<u32>;

const coding_words = 88u;

var<private> state: u32;
var<private> byte_count: u32;
var<private> pending: u32;
// One past the slot's last byte.
var<private> slot_end: u32;
var<private> slot_bytes: u32;
// An element's codes in the order in which they are read: the start in the high half, the frequency in the low one.
var<private> codes: array<u32, 8>;
var<private> code_count: u32;

fn add(start: u32, frequency: u32) {
  codes[code_count] = (start << 16u) | frequency;
  code_count++;
}

fn add_bits(value: u32, count: u32) { add(value << (12u - count), 4096u >> count); }

fn put_byte(byte: u32) {
  byte_count++;
  if (byte_count > slot_bytes) { return; }
  let at = slot_end - byte_count;
  pending = insertBits(pending, byte, 8u * (at % 4u), 8u);
  if (at % 4u == 0u) { slots[at / 4u] = pending; }
}

fn put_code(code: u32) {
  let frequency = code & 0xffffu;
  for (var i = 0u; i < 2u && state >= frequency << 12u; i++) {
    put_byte(state & 255u);
    state >>= 8u;
  }
  state = ((state / frequency) << 12u) + state % frequency + (code >> 16u);
}

fn put_element(part: Part, place: vec3i, coding: u32) {
  let value = i32(value_at(part, place));
  let near = near_of(part, place);
  let energy = energy_of(near);
  let plain = i32(predictions[index_of(part, place)]);
  let cells = bias_cells(near, plain, energy);
  let scale = scale_of(energy);
  let biased = plain + ((codings[coding + 32u + cells.x] * scale) >> 6u) + ((codings[coding + 59u + cells.y] * scale) >> 6u);
  let prediction = clamp(biased, 0, i32(part.range << fraction));
  let level = level_of(energy);
  code_count = 0u;
  var is_hit = false;
  for (var i = 0u; i < part.specials && !is_hit; i++) {
    let special = i32(part.special[i]);
    let chance = flag_chance(flag_context(near, special, energy, level, prediction));
    is_hit = value == special;
    if (is_hit) { add(4096u - chance, chance); } else { add(0u, 4096u - chance); }
  }
  if (!is_hit) {
    let middle = prediction >> fraction;
    let is_above = value > middle;
    let magnitude = u32(select(middle - value, value - middle - 1, is_above));
    let low_bits = low_bits_of(level);
    let high = magnitude >> low_bits;
    let at = table_of(u32(codings[coding + level]), prediction) + 2u * min(high, escape_from) + u32(is_above);
    let start = token_start(at);
    add(start, token_start(at + 1u) - start);
    if (high >= escape_from) {
      let rest = high - escape_from + 1u;
      let digits = 31u - countLeadingZeros(rest);
      add_bits(digits, 4u);
      add_bits(extractBits(rest, 0u, min(digits, 8u)), min(digits, 8u));
      if (digits > 8u) { add_bits(extractBits(rest, 8u, digits - 8u), digits - 8u); }
    }
    if (low_bits > 0u) { add_bits(extractBits(magnitude, 0u, low_bits), low_bits); }
  }
  for (var i = code_count; i > 0u; i--) { put_code(codes[i - 1u]); }
}

@compute @workgroup_size(lane_count)
fn main(
  @builtin(local_invocation_index) lane: u32,
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
) {
  let number = workgroup.x + workgroup.y * workgroups.x;
  if (number >= box.part_count) { return; }
  let part = parts[number];
  if (lane >= part.extent.y || part.range == 0u) { return; }
  state = 65536u;
  slot_bytes = 4u * part.slot_words;
  slot_end = 4u * part.slots + (lane + 1u) * slot_bytes;
  for (var z = i32(part.extent.z) - 1; z >= 0; z--) {
    for (var x = i32(part.extent.x) - 1; x >= 0; x--) { put_element(part, vec3i(x, i32(lane), z), number * coding_words); }
  }
  put_byte(state & 255u);
  put_byte((state >> 8u) & 255u);
  put_byte(state >> 16u);
  // The word that the first bytes fill only partly.
  if (byte_count <= slot_bytes && byte_count % 4u != 0u) { slots[(slot_end - byte_count) / 4u] = pending; }
  lengths[number * lane_count + lane] = byte_count;
}
