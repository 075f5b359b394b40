// Texels of the texture of bricks (`BrickTexture`), and the places in the window of texels and voxels.

import package::brick_draw::number_texels::{greatest_number, least_sample};
import package::brick_draw::paged::paged;
import package::brick_draw::texture_layout::{paged_apron, paged_texels};
import package::draw::rays::missing_place;
import package::volume::voxel::{
  bits_of_key,
  difference,
  element_type,
  is_finite,
  is_float,
  is_signed,
  power_of_two,
  value_of,
  voxel_key,
};

/// Copies of the bricks in the atlas. A texel of 8 or 16 bits has the bytes of the voxel, the highest one in red; others are values
/// (brick-numbers.wgsl).
@group(0) @binding(10) var filtered: texture_3d<f32>;
@group(0) @binding(11) var filter_linear: sampler;

/// Whether bricks are in `filtered`.
override is_filtered: bool = false;

/// Where samples come from, in voxels of the shown level: the bounds of a slot's texels with their apron, and the offset to them.
var<private> paged_texels_low: vec3f;
var<private> paged_texels_high: vec3f;
var<private> paged_to_texels: vec3f;
/// Of the texture: 1 / its size, texels of a slot, and slots along x and y.
var<private> paged_per_texel: vec3f;
var<private> paged_slot_texels: vec3u;
var<private> paged_across: vec2u;
/// The place of a texel of 8 or 16 bits is (texel − low) × scale − rest.
var<private> paged_texel_low: f32;
var<private> paged_texel_scale: f32;
var<private> paged_texel_rest: f32;

/// Called before the first sample of a ray.
fn paged_begin_texels() {
  if (is_filtered) {
    let size = textureDimensions(filtered);
    paged_slot_texels = paged_texels(paged.levels[0].brick.xyz);
    paged_across = size.xy / paged_slot_texels.xy;
    paged_per_texel = 1.0 / vec3f(size);
    // Texels of signed types are offset by the sign bit.
    let offset = select(0.0, select(32768.0, 128.0, element_type < 2u), is_signed());
    paged_texel_low = value_of(bits_of_key(paged.low_key)) + offset;
    paged_texel_scale = power_of_two(paged.power) * paged.scale;
    paged_texel_rest = paged.low_rest * paged.scale;
  }
}

/// Takes samples from the texels of a slot. @param first, last the voxels of its brick
fn paged_use_texels(slot: u32, first: vec3i, last: vec3i) {
  let apron = f32(paged_apron);
  paged_texels_low = vec3f(first) + 0.5 - apron;
  paged_texels_high = vec3f(last) + 0.5 + apron;
  paged_to_texels = vec3f(paged_texel_of(slot) - first);
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
  return (texel - paged_texel_low) * paged_texel_scale - paged_texel_rest;
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
