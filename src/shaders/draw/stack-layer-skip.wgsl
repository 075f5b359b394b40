// Finds where a layer of ray-stack.wgsl is empty, if its voxels lie in bricks: the twin of stack-skip.wgsl for such layers.

import package::brick_draw::layer_bricks::layer_is_constant;
import package::brick_draw::number_texels::least_sample;
import package::draw::ray_boxes::ray_safe;
import package::draw::stack_composite::ray_is_over;
import package::draw::stack_frame::{Passage, frame, never};
import package::draw::stack_layers::{layer_cell, layer_enter, layer_part};
import package::draw::stack_skip::{ray_adds_nothing, ray_has_no_surface, ray_shows_nothing};
import package::draw::stack_values::{ray_brick_place, ray_label_at_place};

/// Called before the first sample of a ray. @param end the end of the ray
fn ray_begin_layer(
  index: u32,
  ray: ptr<function, Passage>,
  end: f32,
  ranges: texture_3d<f32>,
  atlas: texture_3d<f32>,
) {
  if ((*ray).enter < min(end, (*ray).exit)) {
    ray_enter_layer(index, ray, (*ray).enter, ranges, atlas);
    // The first sample may lie behind this part.
    (*ray).leave = (*ray).enter;
  }
}

/// As `ray_look`. @param ranges of the bricks of the layer's own texture
fn ray_look_layer(index: u32, ray: ptr<function, Passage>, at: f32, ranges: texture_3d<f32>, atlas: texture_3d<f32>) -> f32 {
  if (ray_is_over(index, ray, at)) {
    return never;
  }
  if (at < (*ray).enter) {
    return (*ray).enter;
  }
  if (at >= (*ray).leave) {
    ray_enter_layer(index, ray, at, ranges, atlas);
  }
  return select(-never, (*ray).leave, (*ray).is_empty);
}

/// Begins the part of a ray at a ray parameter.
fn ray_enter_layer(index: u32, ray: ptr<function, Passage>, at: f32, ranges: texture_3d<f32>, atlas: texture_3d<f32>) {
  let position = clamp((*ray).origin + (*ray).toward * at, vec3f(0.0), vec3f(0.999999));
  layer_enter(index, ray, at, position, atlas);
  if ((*ray).entry == 0u) {
    let dims = frame.volumes[index].dims;
    let size = vec3f(dims.w) / dims.xyz;
    let cell = vec3i(position / size);
    let safe = ray_safe((*ray).toward);
    let far = max((vec3f(cell) * size - (*ray).origin) / safe, (vec3f(cell + 1) * size - (*ray).origin) / safe);
    (*ray).leave = min((*ray).exit, min(far.x, min(far.y, far.z)));
    (*ray).is_empty = ray_shows_nothing(index, ray, textureLoad(ranges, cell, 0).xy);
    return;
  }
  var part = layer_part(index, ray, at, frame.volumes[index].window.w > 0.0);
  (*ray).is_empty = part.is_inner && ray_passes_layer(index, ray, part.ends);
  if (!(*ray).is_empty && !layer_is_constant((*ray).entry)) {
    part = layer_cell(index, ray, position);
    (*ray).is_empty = ray_passes_layer(index, ray, part.ends);
  }
  (*ray).leave = part.leave;
}

/// Whether samples between two texels change nothing.
fn ray_passes_layer(index: u32, ray: ptr<function, Passage>, texels: vec2f) -> bool {
  let ends = vec2f(ray_brick_place(index, texels.x), ray_brick_place(index, texels.y));
  if (frame.volumes[index].window.w > 0.0) {
    return ray_has_no_surface(ray, ray_label_at_place(index, ends.x), ray_label_at_place(index, ends.y));
  }
  return ray_adds_nothing(index, ray, vec2f(min(ends.x, ends.y), max(ends.x, ends.y)), texels.y >= least_sample);
}
