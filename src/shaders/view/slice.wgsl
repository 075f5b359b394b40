// Draws the part of one slice that lies in one box of the resident volume, straight from its voxels.
// src/shaders/resident/voxel.wgsl stands in front of it.
//
// A triangle covers the canvas; each fragment finds its voxel by an affine map, reads it (or four, blended, when smooth),
// and colours it by window and colormap. Fragments outside the volume or the box, and NaN and infinities, draw nothing.
// Draw: 3 vertices, once for each box that the slice crosses.
//
// Invariants
// 1. A voxel's colour depends on its exact stored value: differences of integers are taken as integers.
// 2. Smooth blending stays inside the box: where a volume is in several boxes, their seam is not blended over.
//
// Twin: src/renderer/viewer/slice-renderer.gpu.test.ts computes the same pixels on the CPU.

struct Slice {
  /// Voxel position (of the resident volume) = origin + right × pixel x + down × pixel y; w is unused.
  origin: vec4f,
  right: vec4f,
  down: vec4f,
  /// Resident voxels along x, y, z.
  dims: vec3u,
  /// The time point's first plane.
  first_plane: u32,
  /// The box: its first row, rows, its first plane, planes.
  box: vec4u,
  /// Words per row.
  row_words: u32,
  /// The window's low end, rounded down for integers and into their range; what was lost by that.
  low_key: u32,
  low: f32,
  low_rest: f32,
  /// 1 / (high − low); for floats 2 / (high − low), because their differences come halved.
  scale: f32,
  /// 1: blend between voxels.
  smooth_voxels: u32,
  /// 1: colours stand for single values: low is colour 0, the values above take colours 1 to 255 in turn.
  categorical: u32,
}
@group(0) @binding(1) var<uniform> slice: Slice;
/// 256 × 1 texels, lowest value first.
@group(0) @binding(2) var colors: texture_2d<f32>;

@vertex
fn vertex(@builtin(vertex_index) index: u32) -> @builtin(position) vec4f {
  return vec4f(f32(index & 1u) * 4.0 - 1.0, f32(index >> 1u) * 4.0 - 1.0, 0.0, 1.0);
}

/// x: the voxel's place in the window, 0…1 inside it; y: 1, or 0 where there is no number.
fn windowed(voxel: vec3i) -> vec2f {
  let row = u32(voxel.y) - slice.box.x;
  let plane = slice.first_plane + u32(voxel.z) - slice.box.z;
  let bits = voxel_bits((plane * slice.box.y + row) * slice.row_words, u32(voxel.x));
  if (!is_finite(bits)) {
    return vec2f(0.0);
  }
  return vec2f((difference(bits, slice.low_key, slice.low) - slice.low_rest) * slice.scale, 1.0);
}

fn color_of(place: f32) -> vec4f {
  var index = i32(clamp(place, 0.0, 1.0) * 255.0 + 0.5);
  if (slice.categorical == 1u) {
    // Back from the window to the difference from its low end.
    let value = i32(place / slice.scale * select(1.0, 2.0, is_float()) + 0.5);
    index = select(1 + (value - 1) % 255, 0, value <= 0);
  }
  return vec4f(textureLoad(colors, vec2i(index, 0), 0).rgb, 1.0);
}

@fragment
fn main(@builtin(position) pixel: vec4f) -> @location(0) vec4f {
  let position = slice.origin.xyz + slice.right.xyz * pixel.x + slice.down.xyz * pixel.y;
  let voxel = vec3i(floor(position));
  // The box's first and last voxel at this time point.
  let first_z = i32(slice.box.z) - i32(slice.first_plane);
  let first = vec3i(0, i32(slice.box.x), max(0, first_z));
  let last = vec3i(slice.dims) - 1;
  let box_last = min(last, vec3i(last.x, i32(slice.box.x + slice.box.y) - 1, first_z + i32(slice.box.w) - 1));
  if (any(voxel < first) || any(voxel > box_last)) {
    discard;
  }
  if (slice.smooth_voxels == 0u) {
    let value = windowed(voxel);
    if (value.y == 0.0) {
      discard;
    }
    return color_of(value.x);
  }
  // Across the slice the position is in a voxel's middle, so one of the three fractions is 0 and half the weights are too.
  let corner = position - 0.5;
  let base = vec3i(floor(corner + 1e-4));
  let fraction = clamp(corner - vec3f(base), vec3f(0.0), vec3f(1.0));
  var sum = vec2f(0.0);
  for (var index = 0; index < 8; index++) {
    let offset = vec3i(index & 1, (index >> 1) & 1, index >> 2);
    let weights = select(1.0 - fraction, fraction, offset == vec3i(1));
    let weight = weights.x * weights.y * weights.z;
    if (weight > 1e-3) {
      sum += weight * windowed(clamp(base + offset, first, box_last));
    }
  }
  if (sum.y == 0.0) {
    discard;
  }
  return color_of(sum.x / sum.y);
}
