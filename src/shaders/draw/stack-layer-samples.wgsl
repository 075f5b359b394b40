// Samples of the layers of ray-stack.wgsl whose voxels lie in bricks (stack-layers.wgsl): texels of the shown brick or beside it.
//
// A sample near a face of a brick takes its texel from the apron, which holds two voxels of the neighbours. A constant brick has no slot
// and thus no apron: its samples near a face take their texel from the apron of a neighbour, or lie between constants.

import package::brick_draw::layer_bricks::{
  layer_bricks,
  layer_constant,
  layer_index,
  layer_is_constant,
  layer_miss,
  layer_slot_texel,
  layer_use,
  layer_words,
};
import package::brick_draw::number_texels::{least_sample, missing_number};
import package::brick_draw::texture_layout::paged_apron;
import package::draw::rays::ray_value;
import package::draw::stack_frame::{Passage, linear};
import package::draw::stack_layers::layer_reach;

/// Of the shown brick and its neighbours at the same level, the texel of a voxel; if its own brick is not loaded, that of the nearest voxel
/// of the shown brick. The voxel must lie inside the layer.
fn layer_voxel(layer: u32, ray: ptr<function, Passage>, voxel: vec3i, atlas: texture_3d<f32>) -> f32 {
  let center = vec3f(voxel) + 0.5;
  var entry = (*ray).entry;
  var texel: vec3i;
  if (!layer_is_constant(entry)) {
    layer_reach(ray, center, center);
    let apron = f32(paged_apron);
    texel = vec3i(clamp(center, (*ray).first - apron, (*ray).last + apron) + (*ray).to_texels);
  } else if (any(center < (*ray).first) || any(center > (*ray).last)) {
    let size = layer_bricks[layer].levels[(*ray).level].brick;
    let brick = vec3u(voxel) / size;
    let index = layer_index(layer, (*ray).level, brick);
    let other = layer_words[index];
    if (other == 0u) {
      layer_miss(layer, index);
    } else {
      entry = other;
      if (!layer_is_constant(other)) {
        layer_use(layer, other - 1u, 1u);
        texel = layer_slot_texel(layer, other - 1u, textureDimensions(atlas)) + voxel - vec3i(brick * size);
      }
    }
  }
  if (layer_is_constant(entry)) {
    return layer_constant(layer, entry);
  }
  return ray_value(textureLoad(atlas, texel, 0));
}

/// The texel at a position in the layer's cube, in the shown brick or beside it.
/// @param is_nearest takes the nearest voxel instead of interpolating eight
fn layer_texel(layer: u32, ray: ptr<function, Passage>, position: vec3f, is_nearest: bool, atlas: texture_3d<f32>) -> f32 {
  let in_level = position * (*ray).scale;
  let end = vec3i(layer_bricks[layer].levels[(*ray).level].dims) - 1;
  if (is_nearest) {
    return layer_voxel(layer, ray, clamp(vec3i(floor(in_level)), vec3i(0), end), atlas);
  }
  if (!layer_is_constant((*ray).entry)) {
    layer_reach(ray, in_level, in_level);
    return layer_filtered(layer_place(ray, in_level), atlas);
  }
  let below = (in_level < (*ray).first) & ((*ray).first > vec3f(0.5));
  let above = (in_level > (*ray).last) & ((*ray).last < vec3f(end));
  if (!any(below | above)) {
    return layer_constant(layer, (*ray).entry);
  }
  return layer_beyond(layer, ray, in_level, below, above, atlas);
}

/// A sample beyond some faces of the shown brick, which is constant: from the texels of the first neighbour with a slot, whose apron holds
/// the voxels of the others; or, if there is none, between constants. @param below, above beyond which faces
fn layer_beyond(
  layer: u32,
  ray: ptr<function, Passage>,
  in_level: vec3f,
  below: vec3<bool>,
  above: vec3<bool>,
  atlas: texture_3d<f32>,
) -> f32 {
  let size = vec3i(layer_bricks[layer].levels[(*ray).level].brick);
  let end = vec3i(layer_bricks[layer].levels[(*ray).level].dims) - 1;
  let own = vec3i((*ray).first) / size;
  let way = select(vec3i(0), vec3i(-1), below) + select(vec3i(0), vec3i(1), above);
  let axes = dot(select(vec3u(0u), vec3u(1u, 2u, 4u), below | above), vec3u(1u));
  let own_texel = layer_constant(layer, (*ray).entry);
  var beyond = own_texel;
  for (var part = 1u; part <= axes; part++) {
    if ((part & axes) != part) {
      continue;
    }
    let brick = own + way * vec3i((vec3u(part) >> vec3u(0u, 1u, 2u)) & vec3u(1u));
    let at = layer_index(layer, (*ray).level, vec3u(brick));
    let entry = layer_words[at];
    if (entry == 0u) {
      layer_miss(layer, at);
    } else if (layer_is_constant(entry)) {
      beyond = layer_constant(layer, entry);
    } else {
      layer_use(layer, entry - 1u, 1u);
      let first = brick * size;
      let apron = f32(paged_apron);
      let low = vec3f(first) + 0.5 - apron;
      let high = vec3f(min(first + size - 1, end)) + 0.5 + apron;
      let to_texels = vec3f(layer_slot_texel(layer, entry - 1u, textureDimensions(atlas)) - first);
      return layer_filtered(clamp(in_level, low, high) + to_texels, atlas);
    }
  }
  if (countOneBits(axes) > 1u) {
    return layer_blend_voxels(layer, ray, in_level, atlas);
  }
  let away = dot(select(vec3f(0.0), (*ray).first - in_level, below) + select(vec3f(0.0), in_level - (*ray).last, above), vec3f(1.0));
  let weight = clamp(away, 0.0, 1.0);
  if ((beyond < least_sample && weight > 0.0) || (own_texel < least_sample && weight < 1.0)) {
    return missing_number;
  }
  return mix(own_texel, beyond, weight);
}

/// Samples of the texture at the corners of a tetrahedron around a position in the layer's cube, all read at once: those of
/// `ray_place_differences` in rays.wgsl. The shown brick must have a slot.
fn layer_corners(layer: u32, ray: ptr<function, Passage>, position: vec3f, atlas: texture_3d<f32>) -> vec4f {
  let center = position * (*ray).scale;
  layer_reach(ray, center - 1.0, center + 1.0);
  return vec4f(
    layer_filtered(layer_place(ray, center + vec3f(1.0, -1.0, -1.0)), atlas),
    layer_filtered(layer_place(ray, center + vec3f(-1.0, 1.0, -1.0)), atlas),
    layer_filtered(layer_place(ray, center + vec3f(-1.0, -1.0, 1.0)), atlas),
    layer_filtered(layer_place(ray, center + 1.0), atlas),
  );
}

/// The position in texels of a position in voxels of the level, in the shown brick or its apron.
fn layer_place(ray: ptr<function, Passage>, in_level: vec3f) -> vec3f {
  let apron = f32(paged_apron);
  return clamp(in_level, (*ray).first - apron, (*ray).last + apron) + (*ray).to_texels;
}

/// A sample of the texture. @param texel position in texels
fn layer_filtered(texel: vec3f, atlas: texture_3d<f32>) -> f32 {
  @if(filters_layers) return ray_value(textureSampleLevel(atlas, linear, texel / vec3f(textureDimensions(atlas)), 0.0));
  @else return layer_blend(texel, atlas);
}

/// Interpolates eight voxels, each looked up by itself.
fn layer_blend_voxels(layer: u32, ray: ptr<function, Passage>, in_level: vec3f, atlas: texture_3d<f32>) -> f32 {
  let end = vec3i(layer_bricks[layer].levels[(*ray).level].dims) - 1;
  let base = floor(in_level - 0.5);
  let fraction = in_level - 0.5 - base;
  var sum = 0.0;
  for (var index = 0u; index < 8u; index++) {
    let is_high = vec3<bool>((index & 1u) != 0u, (index & 2u) != 0u, (index & 4u) != 0u);
    let weights = select(1.0 - fraction, fraction, is_high);
    let weight = weights.x * weights.y * weights.z;
    if (weight > 1e-7) {
      let texel = layer_voxel(layer, ray, clamp(vec3i(base) + select(vec3i(0), vec3i(1), is_high), vec3i(0), end), atlas);
      if (texel < least_sample) {
        return missing_number;
      }
      sum += weight * texel;
    }
  }
  return sum;
}

/// Interpolates eight texels as a sampler would, for textures that the device cannot filter. @param position in texels
@if(!filters_layers)
fn layer_blend(position: vec3f, atlas: texture_3d<f32>) -> f32 {
  let base = floor(position - 0.5);
  let fraction = position - 0.5 - base;
  let last = vec3i(textureDimensions(atlas)) - 1;
  var sum = 0.0;
  for (var index = 0u; index < 8u; index++) {
    let is_high = vec3<bool>((index & 1u) != 0u, (index & 2u) != 0u, (index & 4u) != 0u);
    let weights = select(1.0 - fraction, fraction, is_high);
    let texel = min(vec3i(base) + select(vec3i(0), vec3i(1), is_high), last);
    sum += weights.x * weights.y * weights.z * ray_value(textureLoad(atlas, texel, 0));
  }
  return sum;
}
