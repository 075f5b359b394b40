// What lies beyond the faces of a constant brick, which has no slot and thus no apron: a sample near a face takes its texel from the apron of a
// neighbour, or lies between constants.

import package::brick_draw::paged::{
  paged,
  paged_brick,
  paged_constants,
  paged_end,
  paged_first,
  paged_index_of,
  paged_is_constant,
  paged_shown,
  paged_table,
};
import package::brick_draw::paged_feedback::{paged_miss, paged_use};
import package::brick_draw::paged_texels::{paged_place_of, paged_use_texels};
import package::draw::rays::{missing_place, no_place};

/// Of a shown constant brick: its place; the faces that the last sample lay beyond or near, within the margin, as `face_bits`; those
/// that were looked beyond for it, which are the same if there is only one, and otherwise those that it lay beyond; where samples beyond them
/// come from; and the place of the only brick there.
var<private> paged_own_place: f32;
var<private> paged_near: u32;
var<private> paged_beyond: u32;
var<private> paged_beyond_source: u32;
var<private> paged_beyond_place: f32;
const beyond_texels = 0u;
const beyond_constant = 1u;
const beyond_constants = 2u;

/// Finds out where samples come from that may depend on voxels beyond some faces of the shown brick, which is constant: from the texels of
/// the first neighbour with a slot, whose apron holds the voxels of the others; or, if there is none, from constants. While some of the
/// others are not loaded, the apron holds that neighbour's nearest voxels in their place, so the picture depends on which one is first.
/// @param below, above beyond which faces
fn paged_look_beyond(below: vec3<bool>, above: vec3<bool>) {
  let own = vec3i(paged_brick(paged_shown, vec3u(paged_first)));
  let way = select(vec3i(0), vec3i(-1), below) + select(vec3i(0), vec3i(1), above);
  let axes = dot(select(vec3u(0u), vec3u(1u, 2u, 4u), below | above), vec3u(1u));
  paged_beyond_source = select(beyond_constants, beyond_constant, countOneBits(axes) == 1u);
  paged_beyond_place = paged_own_place;
  for (var part = 1u; part <= axes; part++) {
    if ((part & axes) != part) {
      continue;
    }
    let brick = vec3u(own + way * vec3i((vec3u(part) >> vec3u(0u, 1u, 2u)) & vec3u(1u)));
    let at = paged_index_of(paged_shown, brick);
    let entry = paged_table[at];
    if (entry == 0u) {
      paged_miss(at);
    } else if (paged_is_constant(entry)) {
      paged_beyond_place = paged_place_of(paged_constants[entry & 0x7fffffffu]);
    } else {
      paged_use(entry - 1u);
      let size = vec3i(paged.levels[paged_shown].brick.xyz);
      paged_use_texels(entry - 1u, vec3i(brick) * size, min(vec3i(brick + 1u) * size - 1, paged_end));
      paged_beyond_source = beyond_texels;
      return;
    }
  }
}

/// A sample between constant bricks, the shown one and neighbours. Those that are not loaded have the value of the shown one.
/// @param in_level position in voxels of the shown level
fn paged_blend_constants(in_level: vec3f) -> f32 {
  let base = floor(in_level - 0.5);
  let fraction = in_level - 0.5 - base;
  let low = paged_brick(paged_shown, vec3u(clamp(vec3i(base), vec3i(0), paged_end)));
  let high = paged_brick(paged_shown, vec3u(clamp(vec3i(base) + 1, vec3i(0), paged_end)));
  var sum = 0.0;
  for (var index = 0u; index < 8u; index++) {
    let is_high = vec3<bool>((index & 1u) != 0u, (index & 2u) != 0u, (index & 4u) != 0u);
    let weights = select(1.0 - fraction, fraction, is_high);
    let weight = weights.x * weights.y * weights.z;
    if (weight <= 0.0) {
      continue;
    }
    let entry = paged_table[paged_index_of(paged_shown, select(low, high, is_high))];
    var place = paged_own_place;
    if (paged_is_constant(entry)) {
      place = paged_place_of(paged_constants[entry & 0x7fffffffu]);
    }
    if (place <= -no_place) {
      return missing_place;
    }
    sum += weight * place;
  }
  return sum;
}
