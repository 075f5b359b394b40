// Finds where the open volume of ray-stack.wgsl is empty, if its voxels lie in bricks: the twin of stack-skip.wgsl under the condition
// `paged`.

import package::brick_draw::paged::{paged, paged_shown};
import package::brick_draw::paged_rays::{PagedCell, paged_begin, paged_enter, paged_has_parts, paged_part};
import package::draw::ray_boxes::ray_through;
import package::draw::stack_composite::ray_is_over;
import package::draw::stack_frame::{Passage, frame, never, way};
import package::draw::stack_skip::{ray_adds_nothing, ray_has_no_surface};
import package::draw::stack_values::ray_label_at_place;

/// The brick that the ray entered last, and where the ray passes its part whose samples depend on no other brick.
var<private> brick: PagedCell;
var<private> brick_inner: vec2f;
/// Whether the ranges of its cells are checked, too.
var<private> brick_has_cells: bool;
/// The step in t of the finest voxels of the bricks.
var<private> bricks_step: f32;

/// Called before the first sample of a ray. @param end the end of the ray
fn ray_begin_bricks(ray: ptr<function, Passage>, end: f32) {
  paged_begin(select(0.0, 1.0, way == 2 && frame.look.z > 0.5));
  bricks_step = frame.volumes[0].march.x / length((*ray).toward * frame.volumes[0].dims.xyz);
  (*ray).step = select(never, bricks_step, (*ray).exit > (*ray).enter);
  if ((*ray).enter < min(end, (*ray).exit)) {
    ray_enter_brick(ray, (*ray).enter);
  }
}

/// As `ray_look`.
fn ray_look_bricks(ray: ptr<function, Passage>, at: f32) -> f32 {
  if (ray_is_over(0u, ray, at)) {
    return never;
  }
  if (at < (*ray).enter) {
    return (*ray).enter;
  }
  if (at >= (*ray).leave) {
    if (at >= (*ray).leave_block) {
      ray_enter_brick(ray, at);
    }
    let is_inner = at >= brick_inner.x && at < brick_inner.y;
    (*ray).leave = select((*ray).leave_block, brick_inner.y, is_inner);
    if (at < brick_inner.x && brick_inner.x < brick_inner.y) {
      (*ray).leave = brick_inner.x;
    }
    (*ray).is_empty = is_inner && ray_passes(ray, brick.ends, brick.has_numbers);
    if (!(*ray).is_empty && brick_has_cells) {
      let part = paged_part((*ray).origin + (*ray).toward * at);
      (*ray).leave = min((*ray).leave_block, ray_through((*ray).origin, (*ray).toward, part.low, part.high).y);
      (*ray).is_empty = ray_passes(ray, part.ends, part.has_numbers);
    }
  }
  return select(-never, (*ray).leave, (*ray).is_empty);
}

/// Enters the brick at a ray parameter, and with it the steps of its level.
fn ray_enter_brick(ray: ptr<function, Passage>, at: f32) {
  let position = clamp((*ray).origin + (*ray).toward * at, vec3f(0.0), vec3f(1.0));
  brick = paged_enter(position, frame.eye, frame.edges);
  (*ray).leave_block = min((*ray).exit, ray_through((*ray).origin, (*ray).toward, brick.low, brick.high).y);
  brick_inner = vec2f(at, (*ray).leave_block);
  brick_has_cells = false;
  if (!brick.is_there) {
    return;
  }
  let factors = paged.levels[paged_shown].factors;
  (*ray).step = bricks_step * min(factors.x, min(factors.y, factors.z));
  if (frame.volumes[0].window.w > 0.0) {
    // The label of a sample is that of the nearest voxel, which lies in the brick.
    brick_has_cells = paged_has_parts();
    return;
  }
  let inner = ray_through((*ray).origin, (*ray).toward, brick.inner_low, brick.inner_high);
  brick_inner = vec2f(inner.x, min((*ray).leave_block, inner.y));
  // Compositing is faster without checks of cells, which are rarely invisible in a visible brick.
  brick_has_cells = way != 2 && paged_has_parts();
}

/// Whether the samples of a part of a brick change nothing. @param ends the places of its least and its greatest number
fn ray_passes(ray: ptr<function, Passage>, ends: vec2f, has_numbers: bool) -> bool {
  if (!brick.is_there) {
    (*ray).number = 0;
    return true;
  }
  if (frame.volumes[0].window.w > 0.0) {
    return ray_has_no_surface(ray, ray_label_at_place(0u, ends.x), ray_label_at_place(0u, ends.y));
  }
  return ray_adds_nothing(0u, ray, ends, has_numbers);
}
