// The layers of ray-stack.wgsl whose voxels lie in bricks, under the condition `layer_bricks`: which brick a ray is in, and the parts of the
// ray in it. Samples: stack-layer-samples.wgsl.
//
// A ray enters a brick of the level that suits its distance, or of a coarser level until that one is loaded, and takes steps of that
// level. A part of the ray ends with its brick, or earlier: at a cell of 8³ voxels if the brick is partly visible. Where no brick is
// loaded, or none is needed, the ray samples the layer's own texture (`Passage.entry` is 0).

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
import package::brick_draw::number_texels::{greatest_number, least_sample};
import package::brick_draw::texture_layout::paged_cell_voxels;
import package::draw::ray_boxes::ray_through;
import package::draw::stack_frame::{Passage, frame, ray_toward};

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
