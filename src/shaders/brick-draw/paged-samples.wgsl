// Samples of the shown brick at any position, with trilinear interpolation: from the texture of bricks, or, without one, from eight voxels
// of the atlas.
//
// A sample near a face of a brick in the texture takes its texel from the apron (`BrickTexture`). Beside a constant brick, which has none, the
// neighbours are looked up once for all samples near the same faces (paged-beyond.wgsl). Without the texture, each voxel is looked up.

import package::brick_draw::faces::face_bits;
import package::brick_draw::paged::{
  paged,
  paged_bits,
  paged_bits_in,
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
};
import package::brick_draw::paged_beyond::{
  beyond_constant,
  beyond_constants,
  paged_beyond,
  paged_beyond_place,
  paged_beyond_source,
  paged_blend_constants,
  paged_look_beyond,
  paged_near,
  paged_own_place,
};
import package::brick_draw::paged_feedback::{paged_miss, paged_use};
import package::brick_draw::paged_texels::{
  is_filtered,
  paged_filter,
  paged_place_of,
  paged_texels_high,
  paged_texels_low,
  paged_to_texels,
  paged_use_texels,
  paged_value_place,
};
import package::draw::rays::{missing_place, no_place};
import package::volume::voxel::{element_type, value_of, voxel_bits};

/// The centres of the shown brick's first and last voxel, in voxels of its level.
var<private> paged_first_center: vec3f;
var<private> paged_last_center: vec3f;
/// The distance from samples, in voxels along each axis, at which their gradients are sampled; 0 if they need none.
var<private> paged_margin: f32;
/// The faces of the shown brick beyond which samples lay, as in the feedback.
var<private> paged_faces: u32;

/// Called after `paged_show`, before the first sample of the brick.
fn paged_begin_brick() {
  paged_first_center = vec3f(paged_first) + 0.5;
  paged_last_center = vec3f(paged_last) + 0.5;
  paged_faces = 0u;
  if (paged_is_constant(paged_entry)) {
    paged_own_place = paged_place_of(paged_constants[paged_entry & 0x7fffffffu]);
    paged_beyond = 0u;
  } else if (is_filtered) {
    paged_use_texels(paged_entry - 1u, paged_first, paged_last);
  }
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

/// A sample of the texture, or of constants. @param in_level position in voxels of the shown level
fn paged_filtered_place(in_level: vec3f) -> f32 {
  if (paged_is_constant(paged_entry)) {
    let far_below = paged_first_center - in_level;
    let far_above = in_level - paged_last_center;
    let has_below = paged_first > vec3i(0);
    let has_above = paged_last < paged_end;
    // Near a single face, samples come from beyond it, because those of gradients do.
    var below = (far_below > vec3f(-paged_margin)) & has_below;
    var above = (far_above > vec3f(-paged_margin)) & has_above;
    paged_near = face_bits(below, above);
    var faces = paged_near;
    if (countOneBits(faces) > 1u) {
      below = (far_below > vec3f(0.0)) & has_below;
      above = (far_above > vec3f(0.0)) & has_above;
      faces = face_bits(below, above);
    }
    // Most samples lie near the same faces as the one before.
    if (faces != paged_beyond) {
      paged_beyond = faces;
      if (faces != 0u) {
        paged_look_beyond(below, above);
      }
    }
    if (faces == 0u) {
      return paged_own_place;
    }
    if (paged_beyond_source == beyond_constants) {
      return paged_blend_constants(in_level);
    }
    if (paged_beyond_source == beyond_constant) {
      let away = dot(select(vec3f(0.0), far_below, below) + select(vec3f(0.0), far_above, above), vec3f(1.0));
      let weight = clamp(away, 0.0, 1.0);
      if ((paged_beyond_place <= -no_place && weight > 0.0) || (paged_own_place <= -no_place && weight < 1.0)) {
        return missing_place;
      }
      return mix(paged_own_place, paged_beyond_place, weight);
    }
  }
  return paged_filter(clamp(in_level, paged_texels_low, paged_texels_high) + paged_to_texels);
}

/// Called for the first and the last of some samples on a line, both of the shown brick; the positions are in the cube.
fn paged_sampled(first: vec3f, last: vec3f) {
  if (!is_filtered || paged_is_constant(paged_entry)) {
    return;
  }
  let low = min(first, last) * paged_scale - paged_margin;
  let high = max(first, last) * paged_scale + paged_margin;
  let below = (low < paged_first_center) & (paged_first > vec3i(0));
  let above = (high > paged_last_center) & (paged_last < paged_end);
  paged_faces |= face_bits(below, above) << 1u;
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
    return paged_filtered_place(in_level);
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
