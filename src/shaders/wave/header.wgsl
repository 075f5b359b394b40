// The fields before a part's lanes. src/core/codecs/wave/SPEC.md, 'Payload' and 'A coded part'.
// Invariants:
// 1. Nothing outside the chunk's payload is read, whatever its bytes are.
// 2. A part that breaks SPEC.md in its header has the kind `kind_damaged`.
// Twin: `readHeader` in src/core/codecs/wave/header.ts.

import package::wave::fields::{
  bias_bits, biases_bit, cells, in_plane_neighbours, level_bits, levels, levels_bit, lengths_bit, neighbours, weight_bits, weight_count,
  weights_bit,
};
import package::wave::layout::{Part, bits, kind_coded, kind_one_value, lane_count};

const kind_damaged = 3u;

@group(0) @binding(3) var<storage, read> payloads: array<u32>;

var<workgroup> wg_kind: u32;
// The part's first byte, and its end.
var<workgroup> wg_start: u32;
var<workgroup> wg_end: u32;
var<workgroup> wg_lowest: u32;
var<workgroup> wg_range: u32;
var<workgroup> wg_special_count: u32;
var<workgroup> wg_specials: vec2u;
// The weights of the 28 neighbours, then those of the first ten in slice 0.
var<workgroup> wg_weights: array<vec4i, 10>;
var<workgroup> wg_levels: array<u32, levels>;
// The biases of the cells of residuals, then those of the cells of gradients.
var<workgroup> wg_biases: array<i32, 54>;
// The start of each lane's bytes, and the end of the last lane's.
var<workgroup> wg_lanes: array<u32, 65>;
var<workgroup> wg_is_damaged: atomic<u32>;

// Reads up to 16 bits of the part.
fn part_bits(bit: u32, count: u32) -> u32 {
  let at = 8u * (wg_start % 4u) + bit;
  let word = wg_start / 4u + at / 32u;
  let shift = at % 32u;
  var value = payloads[word] >> shift;
  if (shift + count > 32u) { value |= payloads[word + 1u] << (32u - shift); }
  return value & ((1u << count) - 1u);
}

fn signed_bits(bit: u32, count: u32) -> i32 {
  return i32(part_bits(bit, count) << (32u - count)) >> (32u - count);
}

// Finds the part by the lengths at the start of the payload.
fn locate(part: Part) -> bool {
  let directory = 4u * (part.parts - 1u);
  if (part.byte_length <= directory) { return false; }
  var start = directory;
  var end = part.byte_length;
  for (var i = 0u; i <= part.number && i < part.parts - 1u; i++) {
    let length = payloads[part.byte_offset / 4u + i];
    if (length > part.byte_length - start) { return false; }
    if (i < part.number) { start += length; } else { end = start + length; }
  }
  wg_start = part.byte_offset + start;
  wg_end = part.byte_offset + end;
  return end > start;
}

// The part's kind; `kind_damaged` if its length does not match its kind.
fn kind_of(part: Part) -> u32 {
  if (!locate(part)) { return kind_damaged; }
  let head = part_bits(0u, 8u);
  let length = wg_end - wg_start;
  let bytes = bits / 8u;
  if (head < kind_coded) {
    let stored = select(part.extent.x * part.extent.y * part.extent.z, 1u, head == kind_one_value);
    return select(kind_damaged, head, length == 1u + stored * bytes);
  }
  wg_special_count = extractBits(head, 2u, 2u);
  let is_coded = (head & 3u) == kind_coded && wg_special_count <= 2u;
  return select(kind_damaged, kind_coded, is_coded && 8u * length >= lengths_bit(part, wg_special_count) + part.extent.y * (head >> 4u));
}

fn damage(is_damaged: bool) {
  if (is_damaged) { atomicStore(&wg_is_damaged, 1u); }
}

// Weight `number`: first those of later slices, then those of slice 0. Weights that the part does not have are 0.
fn weight_at(part: Part, number: u32) -> i32 {
  let count = weight_count(part);
  if (number < neighbours) {
    if (number >= count) { return 0; }
    return signed_bits(weights_bit(wg_special_count) + weight_bits * number, weight_bits);
  }
  if (number >= neighbours + in_plane_neighbours) { return 0; }
  return signed_bits(weights_bit(wg_special_count) + weight_bits * (number - neighbours + count), weight_bits);
}

// Reads the fields that all lanes share. `wg_kind` must then be loaded with a barrier.
fn read_header(part: Part, lane: u32) {
  if (lane == 0u) {
    atomicStore(&wg_is_damaged, 0u);
    wg_kind = kind_of(part);
  }
  if (workgroupUniformLoad(&wg_kind) != kind_coded) { return; }
  if (lane == 0u) {
    wg_lowest = part_bits(8u, bits);
    wg_range = part_bits(8u + bits, bits);
    let count = wg_special_count;
    var specials = vec2u(0u);
    if (count > 0u) { specials.x = part_bits(8u + 2u * bits, bits); }
    if (count > 1u) { specials.y = part_bits(8u + 3u * bits, bits); }
    wg_specials = specials;
    damage(wg_range == 0u);
    damage(count > 0u && specials.x > wg_range);
    damage(count > 1u && (specials.y > wg_range || specials.x == specials.y));
  }
  // Writing a component of a vector may write the whole vector, so one invocation writes all four components.
  if (lane < 10u) {
    let first = 4u * lane;
    wg_weights[lane] = vec4i(
      weight_at(part, first), weight_at(part, first + 1u), weight_at(part, first + 2u), weight_at(part, first + 3u));
  }
  if (lane < levels) { wg_levels[lane] = part_bits(levels_bit(part, wg_special_count) + level_bits * lane, level_bits); }
  if (lane < 2u * cells) { wg_biases[lane] = signed_bits(biases_bit(part, wg_special_count) + bias_bits * lane, bias_bits); }
  let width = part_bits(4u, 4u);
  let shortest = part_bits(lengths_bit(part, wg_special_count) - 16u, 16u);
  if (lane < part.extent.y) { wg_lanes[lane] = shortest + part_bits(lengths_bit(part, wg_special_count) + width * lane, width); }
  // Wait for the lengths, which one invocation sums.
  workgroupBarrier();
  if (lane == 0u) {
    let header_bits = lengths_bit(part, wg_special_count) + width * part.extent.y;
    damage(part_bits(header_bits, (0u - header_bits) & 7u) != 0u);
    var at = wg_start + (header_bits + 7u) / 8u;
    for (var i = 0u; i < part.extent.y; i++) {
      let length = wg_lanes[i];
      wg_lanes[i] = at;
      at += length;
    }
    for (var i = part.extent.y; i <= lane_count; i++) { wg_lanes[i] = at; }
    damage(at != wg_end);
    if (atomicLoad(&wg_is_damaged) != 0u) { wg_kind = kind_damaged; }
  }
}
