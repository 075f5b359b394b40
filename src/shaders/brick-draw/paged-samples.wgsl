// Samples of the shown brick at any position, with trilinear interpolation: from the texture of bricks, or, without one, from eight voxels
// of the atlas.
//
// A sample near a face of a brick in the texture takes its texel from the apron (`BrickTexture`), and records how far it reached. A
// sample near a face of a constant brick, which has no slot, takes its texel from the apron of a neighbour. Without the texture, each
// voxel is looked up.

import package::brick_draw::paged::{
  paged,
  paged_bits,
  paged_bits_in,
  paged_brick,
  paged_constants,
  paged_end,
  paged_entry,
  paged_entry_at,
  paged_first,
  paged_index,
  paged_is_constant,
  paged_last,
  paged_scale,
  paged_shown,
  paged_table,
};
import package::brick_draw::number_texels::{greatest_number, least_sample};
import package::brick_draw::paged_feedback::{paged_miss, paged_use};
import package::brick_draw::texture_layout::{paged_apron, paged_texels};
import package::draw::rays::{missing_place, no_place};
import package::volume::voxel::{
  bits_of_key,
  difference,
  element_type,
  is_finite,
  is_float,
  is_signed,
  power_of_two,
  value_of,
  voxel_bits,
  voxel_key,
};

/// Copies of the bricks in the atlas. A texel of 8 or 16 bits has the bytes of the voxel, the highest one in red; others are values
/// (brick-numbers.wgsl).
@group(0) @binding(10) var filtered: texture_3d<f32>;
@group(0) @binding(11) var filter_linear: sampler;

/// Whether bricks are in `filtered`.
override is_filtered: bool = false;

/// Of the shown brick, in voxels of its level: the centres of its first and last voxel, and the offset to texels of the texture. Then, of
/// the texture: 1 / its size, texels of a slot, and slots along x and y.
var<private> paged_first_center: vec3f;
var<private> paged_last_center: vec3f;
var<private> paged_to_texels: vec3f;
var<private> paged_per_texel: vec3f;
var<private> paged_slot_texels: vec3u;
var<private> paged_across: vec2u;
/// The bounds of the samples of the shown brick so far, in voxels of its level.
var<private> paged_reach_low: vec3f;
var<private> paged_reach_high: vec3f;

/// Called before the first sample of a ray.
fn paged_begin_samples() {
  if (is_filtered) {
    let size = textureDimensions(filtered);
    paged_slot_texels = paged_texels(paged.levels[0].brick.xyz);
    paged_across = size.xy / paged_slot_texels.xy;
    paged_per_texel = 1.0 / vec3f(size);
  }
}

/// Called after `paged_show`, before the first sample of the brick.
fn paged_begin_brick() {
  paged_first_center = vec3f(paged_first) + 0.5;
  paged_last_center = vec3f(paged_last) + 0.5;
  paged_reach_low = paged_first_center;
  paged_reach_high = paged_last_center;
  if (is_filtered && !paged_is_constant(paged_entry)) {
    paged_to_texels = vec3f(paged_texel_of(paged_entry - 1u) - paged_first);
  }
}

/// The place in the window of a number.
fn paged_number_place(bits: u32) -> f32 {
  return (difference(bits, paged.low_key, paged.scaled_low, paged.power) - paged.low_rest) * paged.scale;
}

/// The place in the window of a voxel; `missing_place` if the voxel is missing.
fn paged_place_of(bits: u32) -> f32 {
  let key = voxel_key(bits);
  if (is_float() && (!is_finite(bits) || key < paged.first_number || key > paged.last_number)) {
    return missing_place;
  }
  return paged_number_place(bits);
}

/// Interpolates eight voxels of 8 or 16 bits of the shown brick, which must have a slot. Such values are exact as floats, and none are
/// missing, so the values are interpolated instead of their places.
fn paged_blend(low: vec3u, high: vec3u, fraction: vec3f) -> f32 {
  let slot = (paged_entry - 1u) * paged.slot_words;
  let near = slot + low.z * paged.slice_words;
  let far = slot + high.z * paged.slice_words;
  let upper = low.y * paged.row_words;
  let lower = high.y * paged.row_words;
  let firsts = vec4f(
    value_of(voxel_bits(near + upper, low.x)),
    value_of(voxel_bits(near + lower, low.x)),
    value_of(voxel_bits(far + upper, low.x)),
    value_of(voxel_bits(far + lower, low.x)),
  );
  let seconds = vec4f(
    value_of(voxel_bits(near + upper, high.x)),
    value_of(voxel_bits(near + lower, high.x)),
    value_of(voxel_bits(far + upper, high.x)),
    value_of(voxel_bits(far + lower, high.x)),
  );
  let rows = mix(firsts, seconds, fraction.x);
  let planes = mix(rows.xz, rows.yw, fraction.y);
  return paged_value_place(mix(planes.x, planes.y, fraction.z));
}

/// The place in the window of a value, as a float.
fn paged_value_place(value: f32) -> f32 {
  let window_low = value_of(bits_of_key(paged.low_key));
  return ((value - window_low) * power_of_two(paged.power) - paged.low_rest) * paged.scale;
}

/// The texel of a slot's first voxel.
fn paged_texel_of(slot: u32) -> vec3i {
  let row = slot / paged_across.x;
  let layer = row / paged_across.y;
  let place = vec3u(slot - row * paged_across.x, row - layer * paged_across.y, layer);
  return vec3i(place * paged_slot_texels + paged_apron);
}

/// Whether texels of the texture are values instead of bytes.
fn paged_has_values() -> bool {
  return element_type >= 4u;
}

/// The place in the window of a texel of 0…255, of 0…65535 for 16 bits, or of a value; `missing_place` if the voxel is missing.
fn paged_texel_place(texel: f32) -> f32 {
  if (paged_has_values()) {
    return select(paged_value_place(max(texel, -greatest_number)), missing_place, texel < least_sample);
  }
  return paged_value_place(texel - select(0.0, select(32768.0, 128.0, element_type < 2u), is_signed()));
}

/// A sample of the texture. @param texel position in texels
fn paged_filter(texel: vec3f) -> f32 {
  let sample = textureSampleLevel(filtered, filter_linear, texel * paged_per_texel, 0.0);
  if (paged_has_values()) {
    return paged_texel_place(sample.r);
  }
  // Texels of one byte have no green.
  let bytes = sample.rg * 255.0;
  return paged_texel_place(bytes.r * select(256.0, 1.0, element_type < 2u) + bytes.g);
}

/// A sample in a constant brick that also depends on its neighbours: a texel of the first neighbour with a slot, whose apron holds the
/// voxels of the others; or, if all are constant, their interpolated values. @param in_level position in voxels of the shown level
fn paged_filter_several(in_level: vec3f) -> f32 {
  let base = floor(in_level - 0.5);
  let fraction = in_level - 0.5 - base;
  let low = paged_brick(paged_shown, vec3u(clamp(vec3i(base), vec3i(0), paged_end)));
  let high = paged_brick(paged_shown, vec3u(clamp(vec3i(base) + 1, vec3i(0), paged_end)));
  let differs = low != high;
  let size = paged.levels[paged_shown].brick.xyz;
  let counts = paged.levels[paged_shown].counts;
  let own = paged_brick(paged_shown, vec3u(paged_first));
  var sum = 0.0;
  for (var index = 0u; index < 8u; index++) {
    let is_high = vec3<bool>((index & 1u) != 0u, (index & 2u) != 0u, (index & 4u) != 0u);
    if (any(is_high & !differs)) {
      continue;
    }
    let weights = select(vec3f(1.0), select(1.0 - fraction, fraction, is_high), differs);
    let weight = weights.x * weights.y * weights.z;
    if (weight <= 0.0) {
      continue;
    }
    let brick = select(low, high, is_high);
    var entry = paged_entry;
    if (any(brick != own)) {
      let at = paged.levels[paged_shown].start + (brick.z * counts.y + brick.y) * counts.x + brick.x;
      let other = paged_table[at];
      if (other == 0u) {
        paged_miss(at);
      } else if (!paged_is_constant(other)) {
        paged_use(other - 1u);
        return paged_filter(in_level + vec3f(paged_texel_of(other - 1u) - vec3i(brick * size)));
      } else {
        entry = other;
      }
    }
    let place = paged_place_of(paged_constants[entry & 0x7fffffffu]);
    if (place <= -no_place) {
      return missing_place;
    }
    sum += weight * place;
  }
  return sum;
}

/// Records that the brick of a voxel of the shown level was missed or used. Bricks beside those that rays enter would otherwise be evicted
/// and missed in turn, for ever.
fn paged_need(voxel: vec3i) {
  let entry = paged_entry_at(voxel);
  // The shown brick was recorded when the ray entered it.
  if (entry == paged_entry) {
    return;
  }
  if (entry == 0u) {
    paged_miss(paged_index(paged_shown, vec3u(voxel)));
  } else if (!paged_is_constant(entry)) {
    paged_use(entry - 1u);
  }
}

/// The place in the window of a voxel of the shown level. The voxel must lie inside the volume.
fn paged_voxel_place(voxel: vec3i) -> f32 {
  paged_need(voxel);
  return paged_place_of(paged_bits(voxel));
}

/// A sample of the shown level at a position in the cube.
/// @param is_nearest takes the nearest voxel instead of interpolating eight
fn paged_place(position: vec3f, is_nearest: bool) -> f32 {
  let in_level = position * paged_scale;
  let last = paged_end;
  if (is_nearest) {
    return paged_voxel_place(clamp(vec3i(floor(in_level)), vec3i(0), last));
  }
  if (is_filtered) {
    if (!paged_is_constant(paged_entry)) {
      paged_reach_low = min(paged_reach_low, in_level);
      paged_reach_high = max(paged_reach_high, in_level);
      let apron = f32(paged_apron);
      return paged_filter(clamp(in_level, paged_first_center - apron, paged_last_center + apron) + paged_to_texels);
    }
    let low_face = select(paged_first_center, vec3f(-1e9), paged_first == vec3i(0));
    let high_face = select(paged_last_center, vec3f(1e9), paged_last == last);
    if (all(in_level >= low_face) && all(in_level <= high_face)) {
      return paged_place_of(paged_constants[paged_entry & 0x7fffffffu]);
    }
    return paged_filter_several(in_level);
  }
  let base = floor(in_level - 0.5);
  let fraction = in_level - 0.5 - base;
  let low = clamp(vec3i(base), vec3i(0), last);
  let high = clamp(vec3i(base) + 1, vec3i(0), last);
  let is_inside = all(low >= paged_first) && all(high <= paged_last);
  if (is_inside && paged_is_constant(paged_entry)) {
    return paged_place_of(paged_bits_in(paged_entry, vec3u(0u)));
  }
  if (is_inside && element_type < 4u) {
    return paged_blend(vec3u(low - paged_first), vec3u(high - paged_first), fraction);
  }
  var sum = 0.0;
  for (var index = 0u; index < 8u; index++) {
    let is_high = vec3<bool>((index & 1u) != 0u, (index & 2u) != 0u, (index & 4u) != 0u);
    let weights = select(1.0 - fraction, fraction, is_high);
    let weight = weights.x * weights.y * weights.z;
    let voxel = select(low, high, is_high);
    var bits: u32;
    if (is_inside) {
      bits = paged_bits_in(paged_entry, vec3u(voxel - paged_first));
    } else {
      if (weight > 0.0) {
        paged_need(voxel);
      }
      bits = paged_bits(voxel);
    }
    let place = paged_place_of(bits);
    if (place <= -no_place) {
      if (weight > 1e-7) {
        return missing_place;
      }
    } else {
      sum += weight * place;
    }
  }
  return sum;
}
