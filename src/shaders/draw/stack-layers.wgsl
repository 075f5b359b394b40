// The layers of ray-stack.wgsl whose voxels lie in bricks, under the condition `layer_bricks`: which brick a ray is in, and its voxels.
//
// A ray enters a brick of the level that suits its distance, or of a coarser level until that one is loaded, and takes steps of that
// level. A part of the ray ends with its brick, or earlier: at a cell of 8³ voxels if the brick is partly visible. Where no brick is
// loaded, or none is needed, the ray samples the layer's own texture (`Passage.entry` is 0).
//
// A sample near a face of a brick takes its texel from the apron, which holds two voxels of the neighbours. A constant brick has no slot
// and thus no apron: its samples near a face take their texel from the apron of a neighbour, or lie between constants.

import package::brick_draw::faces::face_bits;
import package::brick_draw::layer_bricks::{
  layer_bricks,
  layer_cell_range,
  layer_constant,
  layer_index,
  layer_is_constant,
  layer_miss,
  layer_slot_range,
  layer_slot_texel,
  layer_use,
  layer_words,
};
import package::brick_draw::number_texels::{greatest_number, least_sample, missing_number};
import package::brick_draw::texture_layout::{paged_apron, paged_cell_voxels};
import package::draw::rays::ray_value;
import package::draw::stack_boxes::ray_through;
import package::draw::stack_frame::{Passage, frame, linear, ray_toward};

/// Called at the first sample of a part. Chooses the brick at a ray parameter, and with it the ray's step.
/// @param position in the layer's cube, at the ray parameter
fn layer_enter(layer: u32, ray: ptr<function, Passage>, at: f32, position: vec3f, atlas: texture_3d<f32>) {
  layer_leave(layer, ray);
  let levels = layer_bricks[layer].level_count;
  let away = select(1.0, at * length(ray_toward * frame.edges), frame.eye.w > 0.5);
  var wanted = 0u;
  while (wanted < levels && layer_bricks[layer].levels[wanted + 1u].edge <= layer_bricks[layer].detail * away) {
    wanted++;
  }
  var shown = wanted;
  var entry = 0u;
  for (; shown < levels; shown++) {
    entry = layer_words[layer_index(layer, shown, layer_brick_at(layer, shown, position))];
    if (entry != 0u) {
      break;
    }
  }
  if (shown != wanted) {
    // At most two levels finer than the drawn one, so that the picture improves soon.
    let asked = max(wanted, shown - min(shown, 2u));
    layer_miss(layer, layer_index(layer, asked, layer_brick_at(layer, asked, position)));
  }
  (*ray).entry = entry;
  if (shown == levels) {
    (*ray).step = frame.volumes[layer].march.x / length((*ray).toward * frame.volumes[layer].dims.xyz);
    return;
  }
  (*ray).level = shown;
  (*ray).scale = layer_bricks[layer].levels[shown].scale.xyz;
  (*ray).step = frame.volumes[layer].table.w / length((*ray).toward * (*ray).scale);
  let brick = layer_brick_at(layer, shown, position);
  let size = layer_bricks[layer].levels[shown].brick;
  let first = vec3i(brick * size);
  let last = min(first + vec3i(size), vec3i(layer_bricks[layer].levels[shown].dims)) - 1;
  (*ray).first = vec3f(first) + 0.5;
  (*ray).last = vec3f(last) + 0.5;
  (*ray).faces = 0u;
  if (!layer_is_constant(entry)) {
    layer_use(layer, entry - 1u, 1u);
    (*ray).to_texels = vec3f(layer_slot_texel(layer, entry - 1u, textureDimensions(atlas)) - first);
  }
}

/// Called before a ray leaves a brick: records beyond which of its faces samples lay.
fn layer_leave(layer: u32, ray: ptr<function, Passage>) {
  let entry = (*ray).entry;
  (*ray).entry = 0u;
  if (entry == 0u || layer_is_constant(entry)) {
    return;
  }
  let end = vec3f(layer_bricks[layer].levels[(*ray).level].dims) - 0.5;
  let inner = face_bits(((*ray).first > vec3f(0.5)), ((*ray).last < end));
  layer_use(layer, entry - 1u, ((*ray).faces & inner) << 1u);
}

/// Records how far samples reach, in voxels of the level.
fn layer_reach(ray: ptr<function, Passage>, low: vec3f, high: vec3f) {
  (*ray).faces |= face_bits((low < (*ray).first), (high > (*ray).last));
}

/// The brick of a level at a position in the layer's cube, as its numbers along x, y, z.
fn layer_brick_at(layer: u32, level: u32, position: vec3f) -> vec3u {
  let dims = layer_bricks[layer].levels[level].dims;
  let voxel = min(vec3u(max(position * layer_bricks[layer].levels[level].scale.xyz, vec3f(0.0))), dims - 1u);
  return voxel / layer_bricks[layer].levels[level].brick;
}

/// A part of a ray in which samples depend on texels between two ends.
struct LayerPart {
  /// The ray parameter where it ends.
  leave: f32,
  /// Whether samples in it depend on no brick but the shown one.
  is_inner: bool,
  /// The least and the greatest texel. The greatest is below `least_sample` if all are missing.
  ends: vec2f,
}

/// The part of a ray from a ray parameter to the end of the brick. @param is_label takes the nearest voxel for each sample
fn layer_part(layer: u32, ray: ptr<function, Passage>, at: f32, is_label: bool) -> LayerPart {
  // The brick's faces, which at the end of the layer reach as far as it does.
  let end = vec3f(layer_bricks[layer].levels[(*ray).level].dims) - 0.5;
  let low = ((*ray).first - 0.5) / (*ray).scale;
  let high = select(((*ray).last + 0.5) / (*ray).scale, vec3f(2.0), (*ray).last >= end);
  let leave = min((*ray).exit, ray_through((*ray).origin, (*ray).toward, low, high).y);
  if (!layer_is_constant((*ray).entry)) {
    return LayerPart(leave, true, layer_slot_range(layer, (*ray).entry - 1u));
  }
  let ends = vec2f(layer_constant(layer, (*ray).entry));
  if (is_label) {
    return LayerPart(leave, true, ends);
  }
  // The samples that depend on no neighbour.
  let inner_low = select((*ray).first / (*ray).scale, vec3f(-1.0), (*ray).first <= vec3f(0.5));
  let inner_high = select((*ray).last / (*ray).scale, vec3f(2.0), (*ray).last >= end);
  let inner = ray_through((*ray).origin, (*ray).toward, inner_low, inner_high);
  if (inner.x >= inner.y || at >= inner.y) {
    return LayerPart(leave, false, ends);
  }
  if (at < inner.x) {
    return LayerPart(min(leave, inner.x), false, ends);
  }
  return LayerPart(min(leave, inner.y), true, ends);
}

/// The part of a ray to the end of a cell of the brick, which must have a slot. @param position in the layer's cube
fn layer_cell(layer: u32, ray: ptr<function, Passage>, position: vec3f) -> LayerPart {
  let voxel = clamp(floor(position * (*ray).scale) + 0.5, (*ray).first, (*ray).last) - (*ray).first;
  let cell = vec3u(voxel) / paged_cell_voxels;
  let low = ((*ray).first - 0.5 + vec3f(cell * paged_cell_voxels)) / (*ray).scale;
  let high = low + f32(paged_cell_voxels) / (*ray).scale;
  let leave = min((*ray).exit, ray_through((*ray).origin, (*ray).toward, low, high).y);
  let texels = layer_cell_range(layer, (*ray).entry - 1u, cell);
  // The least number of a cell with missing voxels is not known.
  return LayerPart(leave, true, vec2f(select(texels.x, -greatest_number, texels.x < least_sample), texels.y));
}

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
