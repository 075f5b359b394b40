// Adds one plane of voxels to a slab: sums and counts, or extremes, of the planes of a few slices, voxel by voxel.
// src/shaders/volume/voxel.wgsl stands in front of it.
//
// One invocation for each voxel of the plane; those that the box does not hold do nothing, so that all boxes that a plane
// crosses are dispatched one after the other.
//
// Invariants
// 1. Voxels without a number (NaN, infinities, values beyond `numbers`) are left out: their count does not rise.
// 2. Values are 32-bit floats: integers up to 2^24 are exact.
// 3. No sum of floats overflows: theirs is a mean from the start.

import package::volume::voxel::{element_type, is_finite, is_float, voxel_bits, voxel_key};

struct Plane {
  /// Kept voxels along x, y, z.
  dims: vec3u,
  /// The axis that the slab is across.
  axis: u32,
  /// The plane's number along it.
  number: u32,
  time_point: u32,
  /// 0: sum of integers or mean of floats, 1: maximum, 2: minimum, of stored values.
  kind: u32,
  /// Keys of the lowest and the highest number.
  numbers: vec2u,
}
struct Box {
  /// As in slice.wgsl.
  first: vec3u,
  row_words: u32,
  size: vec3u,
  planes_per_time_point: u32,
}
@group(0) @binding(1) var<uniform> box: Box;
@group(0) @binding(2) var<uniform> plane: Plane;
/// x: sum, mean or extreme so far; y: how many voxels are in it. The plane's lower axis fastest.
@group(0) @binding(3) var<storage, read_write> sums: array<vec2f>;

fn value_of(bits: u32) -> f32 {
  if (is_float()) {
    return bitcast<f32>(bits);
  }
  let signed = element_type == 1u || element_type == 3u || element_type == 5u;
  return select(f32(bits), f32(bitcast<i32>(bits)), signed);
}

@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3u) {
  var voxel = vec3u(id.x, id.y, plane.number);
  var width = plane.dims.x;
  if (plane.axis == 0u) {
    voxel = vec3u(plane.number, id.x, id.y);
    width = plane.dims.y;
  } else if (plane.axis == 1u) {
    voxel = vec3u(id.x, plane.number, id.y);
  }
  // The box's place at this time point; a box may reach into others.
  let in_box = vec3i(voxel) - vec3i(box.first) + vec3i(0, 0, i32(plane.time_point * box.planes_per_time_point));
  if (any(voxel >= plane.dims) || any(in_box < vec3i(0)) || any(in_box >= vec3i(box.size))) {
    return;
  }
  let at = vec3u(in_box);
  let bits = voxel_bits((at.z * box.size.y + at.y) * box.row_words, at.x);
  let key = voxel_key(bits);
  if (!is_finite(bits) || key < plane.numbers.x || key > plane.numbers.y) {
    return;
  }
  let value = value_of(bits);
  let index = id.y * width + id.x;
  let before = sums[index];
  let count = before.y + 1.0;
  var next = before.x + value;
  if (is_float()) {
    next = before.x + (value / count - before.x / count);
  }
  if (plane.kind == 1u) {
    next = select(max(before.x, value), value, before.y == 0.0);
  } else if (plane.kind == 2u) {
    next = select(min(before.x, value), value, before.y == 0.0);
  }
  sums[index] = vec2f(next, count);
}
