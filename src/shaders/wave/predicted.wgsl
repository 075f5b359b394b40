// Elements of a part with their residuals. src/core/codecs/wave/SPEC.md, 'Energy'.
// Twin: src/core/codecs/wave/walk.ts.

import package::wave::contexts::{Near, residual_of};
import package::wave::layout::Part;
import package::wave::source::{stand_in, value_at};

// The prediction of each element before biases, x fastest.
@group(0) @binding(3) var<storage, read_write> predictions: array<u32>;

fn index_of(part: Part, place: vec3i) -> u32 {
  let at = vec3u(place);
  return part.scratch + (at.z * part.extent.y + at.y) * part.extent.x + at.x;
}

// A neighbour's value, and its residual in the high half.
fn neighbour_word(part: Part, place: vec3i, offset: vec3i) -> u32 {
  let other = stand_in(part, place, offset);
  if (other.x < 0) { return 0u; }
  let value = value_at(part, other);
  let plain = i32(predictions[index_of(part, other)]);
  return value | (u32(residual_of(i32(value), plain, part.specials, part.special)) << 16u);
}

fn near_of(part: Part, place: vec3i) -> Near {
  var near: Near;
  near.has_behind = place.z > 0;
  near.left = neighbour_word(part, place, vec3i(-1, 0, 0));
  near.left2 = neighbour_word(part, place, vec3i(-2, 0, 0));
  near.above = neighbour_word(part, place, vec3i(0, -1, 0));
  near.above_left = neighbour_word(part, place, vec3i(-1, -1, 0));
  near.above_right = neighbour_word(part, place, vec3i(1, -1, 0));
  near.above2 = neighbour_word(part, place, vec3i(0, -2, 0));
  if (near.has_behind) {
    near.behind = neighbour_word(part, place, vec3i(0, 0, -1));
    near.behind_left = neighbour_word(part, place, vec3i(-1, 0, -1));
    near.behind_right = neighbour_word(part, place, vec3i(1, 0, -1));
    near.behind_up = neighbour_word(part, place, vec3i(0, -1, -1));
    near.behind_down = neighbour_word(part, place, vec3i(0, 1, -1));
  }
  return near;
}
