// Differences of samples around a sample of the shown brick, from texels that need no further look-ups. Gradients that depend on several
// bricks have none: their samples are taken one by one.

import package::brick_draw::paged::{paged_entry, paged_is_constant, paged_scale};
import package::brick_draw::paged_beyond::{
  beyond_constant,
  beyond_texels,
  paged_beyond_place,
  paged_beyond_source,
  paged_near,
  paged_own_place,
};
import package::brick_draw::paged_samples::{paged_first_center, paged_last_center};
import package::brick_draw::paged_texels::{is_filtered, paged_filter, paged_texels_high, paged_texels_low, paged_to_texels};
import package::draw::rays::{no_place, ray_place_differences};

/// Whether all samples around the last one, up to the margin, are the same.
fn paged_is_even() -> bool {
  return is_filtered && paged_is_constant(paged_entry) && paged_near == 0u;
}

/// Whether `paged_corners` gives the samples around the last one. In a constant brick, near one face, texels of the neighbour hold all
/// voxels that they depend on, or equal ones.
fn paged_has_corners() -> bool {
  return is_filtered && (!paged_is_constant(paged_entry) || (countOneBits(paged_near) == 1u && paged_beyond_source == beyond_texels));
}

/// Whether the last sample lies between the shown brick and one other, both constant and not missing: see `paged_step`.
fn paged_is_step() -> bool {
  let is_between = countOneBits(paged_near) == 1u && paged_beyond_source == beyond_constant;
  return is_filtered && paged_is_constant(paged_entry) && is_between && min(paged_own_place, paged_beyond_place) > -no_place;
}

/// The differences of places over two voxels, along x, y and z, around the last sample's position in the cube, if `paged_is_step`.
fn paged_step(position: vec3f) -> vec3f {
  let bits = vec3u(1u, 2u, 4u);
  let below = (vec3u(paged_near) & bits) != vec3u(0u);
  let above = (vec3u(paged_near >> 3u) & bits) != vec3u(0u);
  let in_level = position * paged_scale;
  let away = dot(
    select(vec3f(0.0), paged_first_center - in_level, below) + select(vec3f(0.0), in_level - paged_last_center, above),
    vec3f(1.0),
  );
  let rise = clamp(paged_beyond_place, -1e6, 1e6) - clamp(paged_own_place, -1e6, 1e6);
  let outwards = select(vec3f(0.0), vec3f(1.0), above) - select(vec3f(0.0), vec3f(1.0), below);
  return rise * (saturate(away + 1.0) - saturate(away - 1.0)) * outwards;
}

/// Samples at the corners of a tetrahedron around the last sample's position in the cube: those of `ray_place_differences` in rays.wgsl. The four
/// texels are read at once, so that a ray waits for them only once.
fn paged_corners(position: vec3f) -> vec4f {
  let center = position * paged_scale;
  let right = clamp(center + vec3f(1.0, -1.0, -1.0), paged_texels_low, paged_texels_high);
  let upper = clamp(center + vec3f(-1.0, 1.0, -1.0), paged_texels_low, paged_texels_high);
  let behind = clamp(center + vec3f(-1.0, -1.0, 1.0), paged_texels_low, paged_texels_high);
  let all_three = clamp(center + 1.0, paged_texels_low, paged_texels_high);
  return vec4f(
    paged_filter(right + paged_to_texels),
    paged_filter(upper + paged_to_texels),
    paged_filter(behind + paged_to_texels),
    paged_filter(all_three + paged_to_texels),
  );
}

/// Whether `paged_differences` gives the differences around the last sample.
fn paged_has_differences() -> bool {
  return paged_is_even() || paged_has_corners() || paged_is_step();
}

/// The differences of places over two voxels, along x, y and z, around the last sample's position in the cube, if
/// `paged_has_differences`.
fn paged_differences(position: vec3f) -> vec3f {
  if (paged_has_corners()) {
    let places = paged_corners(position);
    return ray_place_differences(places, places <= vec4f(-no_place));
  }
  if (paged_is_step()) {
    return paged_step(position);
  }
  return vec3f(0.0);
}
