// Finds where a volume of ray-stack.wgsl is empty, from the ranges of its bricks.

import package::draw::rays::least_texel;
import package::draw::ray_boxes::ray_safe;
import package::draw::stack_composite::ray_is_over;
import package::draw::stack_frame::{Passage, frame, never, way};
import package::draw::stack_values::{ray_label_of, ray_opacity_bound, ray_place_of};

/// The margin by which bricks-level.wgsl widens ranges.
const brick_margin = 1.0 / 1024.0;

/// Finds whether the volume is visible at `at`. @returns the end of the empty range; less than `at` if the volume is visible there
fn ray_look(index: u32, ray: ptr<function, Passage>, at: f32, bricks: texture_3d<f32>, blocks: texture_3d<f32>) -> f32 {
  if (ray_is_over(index, ray, at)) {
    return never;
  }
  if (at < (*ray).enter) {
    return (*ray).enter;
  }
  if (at >= (*ray).leave) {
    let dims = frame.volumes[index].dims;
    let position = clamp((*ray).origin + (*ray).toward * at, vec3f(0.0), vec3f(0.999999));
    let safe = ray_safe((*ray).toward);
    (*ray).is_empty = false;
    for (var level = select(0, 1, at >= (*ray).leave_block); level >= 0 && !(*ray).is_empty; level--) {
      let size = vec3f(dims.w * select(1.0, 4.0, level == 1)) / dims.xyz;
      let cell = vec3i(position / size);
      let far = max((vec3f(cell) * size - (*ray).origin) / safe, (vec3f(cell + 1) * size - (*ray).origin) / safe);
      (*ray).leave = min((*ray).exit, min(far.x, min(far.y, far.z)));
      var texels: vec2f;
      if (level == 1) {
        (*ray).leave_block = (*ray).leave;
        texels = textureLoad(blocks, cell, 0).xy;
      } else {
        texels = textureLoad(bricks, cell, 0).xy;
      }
      (*ray).is_empty = ray_shows_nothing(index, ray, texels);
    }
  }
  return select(-never, (*ray).leave, (*ray).is_empty);
}

/// @param texels the least and greatest texel
fn ray_shows_nothing(index: u32, ray: ptr<function, Passage>, texels: vec2f) -> bool {
  let window = frame.volumes[index].window;
  if (window.w > 0.0) {
    // Removes the margin, for which half floats near 0 are precise enough.
    let low = ray_label_of(index, texels.x + brick_margin);
    let high = ray_label_of(index, texels.y - brick_margin);
    // Half floats distinguish labels only if there are few.
    return ray_has_no_surface(ray, low, high) && ((*ray).number == 0 || window.x * window.w < 500.0);
  }
  let ends = vec2f(ray_place_of(index, texels.x), ray_place_of(index, texels.y));
  return ray_adds_nothing(index, ray, vec2f(min(ends.x, ends.y), max(ends.x, ends.y)), texels.y >= least_texel);
}

/// Whether a ray passes through labels without meeting a surface. @param low the least and the greatest label
fn ray_has_no_surface(ray: ptr<function, Passage>, low: i32, high: i32) -> bool {
  if (low == 0 && high == 0) {
    (*ray).number = 0;
  }
  return low == high && low == (*ray).number;
}

/// Whether samples of an image between two places change nothing. @param values the minimum and the maximum place
fn ray_adds_nothing(index: u32, ray: ptr<function, Passage>, values: vec2f, has_numbers: bool) -> bool {
  let below = frame.volumes[index].below.w;
  let above = frame.volumes[index].above.w;
  if (!has_numbers) {
    (*ray).number = 0;
    return true;
  }
  let is_hidden = way != 5 && ((below == 1.0 && values.y < 0.0) || (above == 1.0 && values.x > 1.0));
  switch (way) {
    case 1: { return is_hidden || values.y <= (*ray).extreme; }
    case 2: { return is_hidden || ray_opacity_bound(index, clamp(values, vec2f(0.0), vec2f(1.0))) <= 0.0; }
    case 3: { return is_hidden || values.x >= (*ray).extreme; }
    case 5: {
      if (values.y < frame.volumes[index].look.x) {
        (*ray).number = 0;
        return true;
      }
      return false;
    }
    case 6: {
      if (!is_hidden && values.y <= 0.0) {
        (*ray).extreme = max((*ray).extreme, 0.0);
        return true;
      }
      return is_hidden;
    }
    // The mean counts the background.
    default: { return is_hidden; }
  }
}
