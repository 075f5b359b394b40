// Adds one plane of voxels to a slab, which holds the sum and count, or the extreme, of a few slices for each voxel of a plane.
//
// One invocation owns one voxel of the plane. Invocations for voxels outside the box do nothing: each box that a plane crosses
// has its own dispatch.
//
// Invariants
// 1. Missing voxels (NaN, infinities, values outside `numbers`) are skipped and not counted.
// 2. Values are 32-bit floats: integers up to 2^24 are exact.
// 3. Sums of floats do not overflow: a running mean is kept instead.

import package::draw::box::Box;
import package::volume::voxel::{is_finite, is_float, value_of, voxel_bits, voxel_key};

struct Plane {
  /// Kept voxels along x, y, z.
  dims: vec3u,
  /// The axis across the slab.
  axis: u32,
  /// The number of the plane of voxels along that axis.
  number: u32,
  time_point: u32,
  /// 0: sum of integers or mean of floats, 1: maximum, 2: minimum, of stored values.
  kind: u32,
  /// Keys of the lowest and the highest number.
  numbers: vec2u,
}
@group(0) @binding(1) var<uniform> box: Box;
@group(0) @binding(2) var<uniform> plane: Plane;
/// x: sum, mean or extreme so far; y: number of voxels in it. The lower of the plane's two axes is fastest.
@group(0) @binding(3) var<storage, read_write> sums: array<vec2f>;

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
  // The voxel's position in the box at this time point. A box may extend into other time points.
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
