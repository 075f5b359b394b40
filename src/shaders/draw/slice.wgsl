// Draws the part of a slice that lies in one box of voxels in GPU memory, straight from the voxels.
//
// A triangle covers the canvas. Each fragment finds its voxel by an affine map, reads it (or interpolates eight, if smooth), and
// colours it by window and colormap. Fragments outside the volume or the box draw nothing. Missing voxels (NaN, infinities,
// values outside `numbers`) draw nothing, or a colour of their own.
//
// The window runs from the lowest shown real value to the highest. If the slope is negative, stored values fall along the window, and
// its width is negative.
//
// The same shader draws layers over each other, each in a plane of any orientation through its own voxels. Colours are premultiplied
// by the layer's opacity; the pipeline's blend state combines them with the picture below.
//
// Draw: 3 vertices from number 3 × the time point on, and 1 instance, whose number is the slice's; once for each box that the slice
// crosses. Everything that changes from frame to frame is in the draw call, so playback writes no buffer.
//
// Invariants
// 1. A voxel's colour depends on its exact stored value: differences of integers are computed as integers.
// 2. Interpolation and outlines stay inside the box: they do not cross the seam between two boxes. Planes of any orientation through
//    several boxes are therefore drawn from a plane of the canvas's size (layer-blend.wgsl, layer-labels.wgsl).
//
// With the condition `paged` the slice is drawn in one draw call, from the bricks in GPU memory (brick-draw/paged.wgsl): at the level
// that the draw names, or at the next coarser one that is loaded. Interpolation crosses the seams of bricks.
//
// Twin: src/renderer/viewer/draw/slice-renderer.gpu.test.ts computes the same pixels on the CPU.

@if(paged) import package::brick_draw::paged::{
  paged,
  paged_bits,
  paged_brick,
  paged_entry_at,
  paged_index,
  paged_show,
  paged_shown,
  paged_table,
  paged_voxel,
};
@if(!paged) import package::draw::box::Box;
import package::draw::labels::label_color;
import package::volume::label::label_number;
@if(!paged) import package::volume::voxel::voxel_bits;
import package::volume::voxel::{difference, element_type, is_finite, voxel_key};

struct Slice {
  /// Voxel position (among the kept voxels) = origin + across × slice number + right × pixel x + down × pixel y. The w of the first three are
  /// the end of the volume along x, y, z: the last kept voxels may stand for fewer voxels than others.
  origin: vec4f,
  across: vec4f,
  right: vec4f,
  down: vec4f,
  /// Kept voxels along x, y, z.
  dims: vec3u,
  /// The start of the window as `difference` takes it. For integers it is rounded down and clamped to their range, and `low_rest` is the
  /// part lost by rounding.
  low_key: u32,
  scaled_low: f32,
  low_rest: f32,
  /// 1 / width.
  scale: f32,
  /// From the window's start to its end. `width`, `scaled_low` and `low_rest` are multiplied by 2^power.
  width: f32,
  /// 1: interpolate between voxels.
  smooth_voxels: u32,
  /// 1: colours stand for single values: 0 has colour 0, the others take colours 1 to 255 in turn.
  categorical: u32,
  power: i32,
  /// 0…1.
  opacity: f32,
  /// How values below and above the window are shown: w: 0 in the nearest colour of the window, 1 not at all, 2 in the colour rgb.
  below: vec4f,
  above: vec4f,
  /// How missing voxels are shown, in the same encoding.
  missing: vec4f,
  /// Keys of the lowest and the highest number.
  numbers: vec2u,
  /// If colours are categorical: only a line of this many pixels inside the edge of each label is drawn. 0: all of it.
  outline: f32,
  /// 1: the number 0 draws nothing.
  hides_zero: u32,
}
@if(!paged) @group(0) @binding(1) var<uniform> slice: Slice;
@if(paged) @group(0) @binding(4) var<uniform> slice: Slice;
@if(!paged) @group(0) @binding(2) var<uniform> box: Box;
/// 256 × 1 texels, lowest value first. For labels there are more rows: see labels.wgsl.
@if(!paged) @group(0) @binding(3) var colors: texture_2d<f32>;
@if(paged) @group(0) @binding(5) var colors: texture_2d<f32>;

struct Corner {
  @builtin(position) pixel: vec4f,
  @location(0) @interpolate(flat, either) index: u32,
  @location(1) @interpolate(flat, either) time_point: u32,
}

@vertex
fn vertex(@builtin(vertex_index) vertex_index: u32, @builtin(instance_index) index: u32) -> Corner {
  let corner = vertex_index % 3u;
  let pixel = vec4f(f32(corner & 1u) * 4.0 - 1.0, f32(corner >> 1u) * 4.0 - 1.0, 0.0, 1.0);
  return Corner(pixel, index, vertex_index / 3u);
}

@if(!paged) fn bits_of(in_box: vec3u) -> u32 {
  return voxel_bits((in_box.z * box.size.y + in_box.y) * box.row_words, in_box.x);
}

/// x: the voxel's distance from the window's start, 0…slice.width inside the window; y: 1, or 0 if the voxel is missing.
fn windowed(bits: u32) -> vec2f {
  let key = voxel_key(bits);
  if (!is_finite(bits) || key < slice.numbers.x || key > slice.numbers.y) {
    return vec2f(0.0);
  }
  return vec2f(difference(bits, slice.low_key, slice.scaled_low, slice.power) - slice.low_rest, 1.0);
}

/// The colour of a missing voxel.
fn missing_color() -> vec4f {
  if (slice.missing.w != 2.0) {
    discard;
  }
  return slice.opacity * vec4f(slice.missing.rgb, 1.0);
}

/// A label's index in the palette. Twin: labelColorIndex in src/renderer/viewer/colors/colormaps.ts.
fn label_index(bits: u32) -> i32 {
  if (element_type == 0u || element_type == 2u || element_type == 4u) {
    return select(i32(1u + (bits - 1u) % 255u), 0, bits == 0u);
  }
  let label = bitcast<i32>(label_number(bits));
  return select(1 + ((label - 1) % 255 + 255) % 255, 0, label == 0);
}

/// The colour of a value at a distance from the window's start; if colours are categorical, the colour of the label with these bits,
/// whose index in the palette is `label`.
fn color_of(from_low: f32, label: i32, bits: u32) -> vec4f {
  // The distance in the direction of rising values, even if the window runs downwards.
  let above_low = select(from_low, -from_low, slice.width < 0.0);
  let is_below = above_low < 0.0;
  let outside = select(slice.above, slice.below, is_below);
  if ((is_below || above_low > abs(slice.width)) && outside.w > 0.0) {
    if (outside.w == 1.0) {
      discard;
    }
    return vec4f(outside.rgb, 1.0);
  }
  if (slice.categorical == 1u) {
    let color = label_color(colors, label_number(bits), label);
    if (color.a == 0.0) {
      discard;
    }
    return color;
  }
  // Interpolates between two colours of the map, so that a wide window shows more than 256.
  let place = clamp(from_low * slice.scale, 0.0, 1.0) * 255.0;
  let index = min(i32(place), 254);
  let low = textureLoad(colors, vec2i(index, 0), 0).rgb;
  let high = textureLoad(colors, vec2i(index + 1, 0), 0).rgb;
  return vec4f(mix(low, high, place - f32(index)), 1.0);
}

@if(!paged) fn slice_end() -> vec3f {
  return vec3f(slice.origin.w, slice.across.w, slice.right.w);
}

/// Whether the voxel at a position has other bits, or lies outside the volume. `first` and `last` are the box's first and last voxel at
/// this time point, and `origin` is its origin.
@if(!paged) fn differs_at(position: vec3f, bits: u32, first: vec3i, last: vec3i, origin: vec3i) -> bool {
  let voxel = vec3i(floor(position));
  if (any(voxel < vec3i(0)) || any(position >= slice_end())) {
    return true;
  }
  if (any(voxel < first) || any(voxel > last)) {
    return false;
  }
  return bits_of(vec3u(voxel - origin)) != bits;
}

@if(!paged) @fragment
fn main(corner: Corner) -> @location(0) vec4f {
  let pixel = corner.pixel;
  let number = f32(corner.index);
  let position = slice.origin.xyz + slice.across.xyz * number + slice.right.xyz * pixel.x + slice.down.xyz * pixel.y;
  let voxel = vec3i(floor(position));
  // The box's origin at this time point. A box may extend into other time points.
  let origin = vec3i(box.first) - vec3i(0, 0, i32(corner.time_point * box.planes_per_time_point));
  let first = max(origin, vec3i(0));
  let last = min(origin + vec3i(box.size), vec3i(slice.dims)) - 1;
  if (any(voxel < first) || any(voxel > last) || any(position >= slice_end())) {
    discard;
  }
  if (slice.smooth_voxels == 0u) {
    let bits = bits_of(vec3u(voxel - origin));
    let value = windowed(bits);
    if (value.y == 0.0) {
      return missing_color();
    }
    let label = label_index(bits);
    if (slice.hides_zero == 1u && label == 0) {
      discard;
    }
    if (slice.outline > 0.0) {
      let right = slice.outline * slice.right.xyz;
      let down = slice.outline * slice.down.xyz;
      let is_edge = differs_at(position + right, bits, first, last, origin) || differs_at(position - right, bits, first, last, origin)
        || differs_at(position + down, bits, first, last, origin) || differs_at(position - down, bits, first, last, origin);
      if (!is_edge) {
        discard;
      }
    }
    return slice.opacity * color_of(value.x, label, bits);
  }
  // If the slice cuts across an axis, its position along that axis is the middle of a voxel, and half of the weights are 0.
  let base_position = position - 0.5;
  let base = vec3i(floor(base_position + 1e-4));
  let fraction = clamp(base_position - vec3f(base), vec3f(0.0), vec3f(1.0));
  var sum = vec2f(0.0);
  for (var index = 0; index < 8; index++) {
    let offset = vec3i(index & 1, (index >> 1) & 1, index >> 2);
    let weights = select(1.0 - fraction, fraction, offset == vec3i(1));
    let weight = weights.x * weights.y * weights.z;
    if (weight > 1e-3) {
      sum += weight * windowed(bits_of(vec3u(clamp(base + offset, first, last) - origin)));
    }
  }
  // A sample is missing if most of its neighbours are.
  if (sum.y < 0.5) {
    return missing_color();
  }
  return slice.opacity * color_of(sum.x / sum.y, 0, 0u);
}

/// As above, for a voxel of the shown level.
@if(paged) fn differs_at(position: vec3f, bits: u32) -> bool {
  let voxel = vec3i(floor(position / paged.levels[paged_shown].factors));
  if (any(voxel < vec3i(0)) || any(voxel >= vec3i(paged.levels[paged_shown].dims))) {
    return true;
  }
  return paged_entry_at(voxel) != 0u && paged_bits(voxel) != bits;
}

@if(paged) @fragment
fn main(corner: Corner) -> @location(0) vec4f {
  let pixel = corner.pixel;
  let number = f32(corner.index);
  let position = slice.origin.xyz + slice.across.xyz * number + slice.right.xyz * pixel.x + slice.down.xyz * pixel.y;
  if (any(position < vec3f(0.0)) || any(position >= vec3f(slice.dims))) {
    discard;
  }
  var level = paged.level;
  var entry = 0u;
  for (; level < paged.level_count; level++) {
    entry = paged_table[paged_index(level, vec3u(paged_voxel(level, position)))];
    if (entry != 0u) {
      break;
    }
  }
  if (entry == 0u) {
    discard;
  }
  let voxel = paged_voxel(level, position);
  paged_show(level, paged_brick(level, vec3u(voxel)), entry);
  if (slice.smooth_voxels == 0u) {
    let bits = paged_bits(voxel);
    let value = windowed(bits);
    if (value.y == 0.0) {
      return missing_color();
    }
    let label = label_index(bits);
    if (slice.hides_zero == 1u && label == 0) {
      discard;
    }
    if (slice.outline > 0.0) {
      let right = slice.outline * slice.right.xyz;
      let down = slice.outline * slice.down.xyz;
      let is_edge = differs_at(position + right, bits) || differs_at(position - right, bits)
        || differs_at(position + down, bits) || differs_at(position - down, bits);
      if (!is_edge) {
        discard;
      }
    }
    return slice.opacity * color_of(value.x, label, bits);
  }
  let last = vec3i(paged.levels[level].dims) - 1;
  let base_position = position / paged.levels[level].factors - 0.5;
  let base = vec3i(floor(base_position + 1e-4));
  let fraction = clamp(base_position - vec3f(base), vec3f(0.0), vec3f(1.0));
  var sum = vec2f(0.0);
  for (var index = 0; index < 8; index++) {
    let offset = vec3i(index & 1, (index >> 1) & 1, index >> 2);
    let weights = select(1.0 - fraction, fraction, offset == vec3i(1));
    let weight = weights.x * weights.y * weights.z;
    if (weight > 1e-3) {
      sum += weight * windowed(paged_bits(clamp(base + offset, vec3i(0), last)));
    }
  }
  if (sum.y < 0.5) {
    return missing_color();
  }
  return slice.opacity * color_of(sum.x / sum.y, 0, 0u);
}
