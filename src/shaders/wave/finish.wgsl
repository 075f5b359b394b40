// Writes each part's header, decides whether the part is stored as it is, and sums the lengths of its lanes.
// src/core/codecs/wave/SPEC.md, 'A part' and 'A coded part'.
// One workgroup owns one part. Dispatch: one workgroup for each part, spread over x and y.
// Twin: `headerBytes` in src/core/codecs/wave/header.ts, `encodePart` in part.ts.

import package::wave::fields::{
  bias_bits, biases_bit, cells, in_plane_neighbours, level_bits, levels, levels_bit, lengths_bit, neighbours, weight_bits, weight_count,
  weights_bit,
};
import package::wave::finished::{Finished, header_words};
import package::wave::layout::{Box, Part, bits, kind_coded, kind_one_value, kind_raw, lane_count};

@group(0) @binding(0) var<uniform> box: Box;
@group(0) @binding(1) var<storage, read> parts: array<Part>;
// See solve.wgsl.
@group(0) @binding(2) var<storage, read> weights: array<i32>;
// See coding.wgsl.
@group(0) @binding(3) var<storage, read> codings: array<i32>;
// For each part, the lengths in bytes of its 64 lanes.
@group(0) @binding(4) var<storage, read> lengths: array<u32>;
@group(0) @binding(5) var<storage, read_write> finished: array<Finished>;

const weight_words = 40u;
const coding_words = 88u;

var<workgroup> wg_header: array<atomic<u32>, header_words>;
var<workgroup> wg_lengths: array<u32, lane_count>;

// Puts up to 16 bits of a number into the header.
fn put(bit: u32, count: u32, number: u32) {
  let field = extractBits(number, 0u, count);
  let shift = bit % 32u;
  atomicOr(&wg_header[bit / 32u], field << shift);
  if (shift + count > 32u) { atomicOr(&wg_header[bit / 32u + 1u], field >> (32u - shift)); }
}

fn put_fields(part: Part, number: u32, width: u32, shortest: u32, lane: u32) {
  let specials = part.specials;
  if (lane == 0u) {
    put(0u, 8u, kind_coded | (specials << 2u) | (width << 4u));
    put(8u, bits, part.lowest);
    put(8u + bits, bits, part.range);
    if (specials > 0u) { put(8u + 2u * bits, bits, part.special.x); }
    if (specials > 1u) { put(8u + 3u * bits, bits, part.special.y); }
    put(lengths_bit(part, specials) - 16u, 16u, shortest);
  }
  let later = weight_count(part);
  for (var i = lane; i < later + in_plane_neighbours; i += lane_count) {
    // The weights of slice 0 follow those of 28 neighbours, whether the part has these or not.
    let weight = weights[number * weight_words + select(i, neighbours + i - later, i >= later)];
    put(weights_bit(specials) + weight_bits * i, weight_bits, u32(weight));
  }
  let coding = number * coding_words;
  if (lane < levels) { put(levels_bit(part, specials) + level_bits * lane, level_bits, u32(codings[coding + lane])); }
  if (lane < 2u * cells) { put(biases_bit(part, specials) + bias_bits * lane, bias_bits, u32(codings[coding + levels + lane])); }
  if (lane < part.extent.y) { put(lengths_bit(part, specials) + width * lane, width, wg_lengths[lane] - shortest); }
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
  if (lane < part.extent.y) { wg_lengths[lane] = lengths[number * lane_count + lane]; }
  // Wait for the lengths.
  workgroupBarrier();
  var shortest = 0xffffffffu;
  var longest = 0u;
  var total = 0u;
  var before = 0u;
  for (var other = 0u; other < part.extent.y; other++) {
    let length = wg_lengths[other];
    shortest = min(shortest, length);
    longest = max(longest, length);
    if (other < lane) { before += length; }
    total += length;
  }
  let width = 32u - countLeadingZeros(longest - shortest);
  let raw_bytes = part.extent.x * part.extent.y * part.extent.z * bits / 8u;
  let header_bytes = (lengths_bit(part, part.specials) + width * part.extent.y + 7u) / 8u;
  var kind = kind_coded;
  if (longest > part.extent.x * part.extent.z * bits / 4u + 16u || header_bytes + total > raw_bytes) { kind = kind_raw; }
  if (part.range == 0u) { kind = kind_one_value; }
  if (kind == kind_coded) {
    put_fields(part, number, width, shortest, lane);
  } else if (lane == 0u) {
    put(0u, 8u, kind);
    if (kind == kind_one_value) { put(8u, bits, part.lowest); }
  }
  // Wait for the header.
  workgroupBarrier();
  for (var i = lane; i < header_words; i += lane_count) { finished[number].header[i] = atomicLoad(&wg_header[i]); }
  finished[number].lanes[lane] = header_bytes + before;
  if (lane > 0u) { return; }
  finished[number].kind = kind;
  finished[number].header_bytes = select(select(1u, 1u + bits / 8u, kind == kind_one_value), header_bytes, kind == kind_coded);
  finished[number].byte_length = select(
    select(1u + raw_bytes, 1u + bits / 8u, kind == kind_one_value), header_bytes + total, kind == kind_coded,
  );
}
