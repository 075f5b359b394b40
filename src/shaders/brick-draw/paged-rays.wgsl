// What ray-march.wgsl needs to march through bricks: the choice of a level for each brick, samples, and the record of what rays
// used and missed.
//
// The level is chosen from the coarsest on: a brick is drawn if the edge of its voxels is at most `paged.detail` per unit of distance
// from the eye to the nearest place of the brick; otherwise the choice goes on with the finer brick at that place. It depends on the
// brick alone, so all rays agree. If the brick is not there, the finest coarser one that is there is drawn, and the miss is
// recorded: of the wanted brick, or of one at most two levels finer than what is drawn, so that something is seen soon.
//
// Feedback, in words: the number of misses; the missed entries; for each slot whether it was used; for each entry of the table a bit
// that says whether its miss is recorded. Misses beyond the room for them are recorded in a later frame.
//
// Invariants
// 1. Each missed entry is recorded once in a frame.
// 2. Ranges of slots hold all voxels of the brick, so samples that depend on no other brick lie within.

import package::brick_draw::paged::{
  paged,
  paged_bits,
  paged_bits_in,
  paged_brick,
  paged_constants,
  paged_end,
  paged_entry,
  paged_entry_at,
  paged_first,
  paged_index,
  paged_is_constant,
  paged_last,
  paged_scale,
  paged_show,
  paged_shown,
  paged_table,
  paged_voxel,
};
import package::draw::rays::{missing_place, no_place};
import package::volume::voxel::{
  difference,
  element_type,
  is_finite,
  is_float,
  is_signed,
  power_of_two,
  value_of,
  voxel_bits,
  voxel_key,
};

/// For each slot: the bits of its least and its greatest number; whether a voxel is missing; whether any is not.
@group(0) @binding(8) var<storage, read> ranges: array<vec4u>;
@group(0) @binding(9) var<storage, read_write> feedback: array<atomic<u32>>;

/// What a ray meets.
struct PagedCell {
  /// Whether a brick is there to draw.
  is_there: bool,
  /// In the cube: the wanted brick; and the part of the drawn one whose samples depend on no other brick.
  low: vec3f,
  high: vec3f,
  inner_low: vec3f,
  inner_high: vec3f,
  /// Places of the brick's least and greatest number, and whether there are missing voxels and numbers.
  ends: vec2f,
  has_missing: bool,
  has_numbers: bool,
}

/// Chooses the brick to draw at a position in the cube.
/// @param eye in the cube; w: 0 if it is infinitely far away
fn paged_enter(position: vec3f, eye: vec4f, edges: vec3f) -> PagedCell {
  let at = position * paged.dims;
  var shown = paged.level_count;
  var shown_entry = 0u;
  var wanted = 0u;
  var cell: PagedCell;
  for (var level = i32(paged.level_count) - 1; level >= 0; level--) {
    wanted = u32(level);
    let size = vec3f(paged.levels[level].brick.xyz) * paged.levels[level].factors / paged.dims;
    let voxel = paged_voxel(wanted, at);
    let brick = vec3f(paged_brick(wanted, vec3u(voxel)));
    cell.low = brick * size;
    cell.high = min((brick + 1.0) * size, vec3f(1.0));
    let entry = paged_table[paged_index(wanted, vec3u(voxel))];
    if (entry != 0u) {
      shown = wanted;
      shown_entry = entry;
    }
    let away = length((clamp(eye.xyz, cell.low, cell.high) - eye.xyz) * edges);
    if (paged.levels[level].edge <= paged.detail * select(1.0, away, eye.w > 0.5)) {
      break;
    }
  }
  if (shown != wanted) {
    let asked = select(max(wanted, shown - min(shown, 2u)), paged.level_count - 1u, shown == paged.level_count);
    paged_miss(paged_index(asked, vec3u(paged_voxel(asked, at))));
  }
  if (shown == paged.level_count) {
    cell.is_there = false;
    return cell;
  }
  cell.is_there = true;
  let voxel = paged_voxel(shown, at);
  paged_show(shown, voxel, shown_entry);
  // Samples at the faces of the volume depend on no neighbour.
  let last = vec3i(paged.levels[shown].dims) - 1;
  let scale = paged.levels[shown].factors / paged.dims;
  cell.inner_low = select((vec3f(paged_first) + 0.5) * scale, vec3f(0.0), paged_first == vec3i(0));
  cell.inner_high = select((vec3f(paged_last) + 0.5) * scale, vec3f(1.0), paged_last == last);
  if (paged_is_constant(shown_entry)) {
    let place = paged_place_of(paged_constants[shown_entry & 0x7fffffffu]);
    cell.has_missing = place <= -no_place;
    cell.has_numbers = !cell.has_missing;
    cell.ends = vec2f(place);
    return cell;
  }
  let slot = shown_entry - 1u;
  if (atomicLoad(&feedback[paged.used_start + slot]) == 0u) {
    atomicStore(&feedback[paged.used_start + slot], 1u);
  }
  let range = ranges[slot];
  let ends = vec2f(paged_number_place(range.x), paged_number_place(range.y));
  cell.ends = vec2f(min(ends.x, ends.y), max(ends.x, ends.y));
  cell.has_missing = range.z != 0u;
  cell.has_numbers = range.w != 0u;
  return cell;
}

/// Records that an entry of the table is missed.
fn paged_miss(index: u32) {
  let word = paged.asked_start + (index >> 5u);
  let bit = 1u << (index & 31u);
  if ((atomicLoad(&feedback[word]) & bit) != 0u || (atomicOr(&feedback[word], bit) & bit) != 0u) {
    return;
  }
  let at = atomicAdd(&feedback[0], 1u);
  if (at < paged.most_misses) {
    atomicStore(&feedback[1u + at], index);
  }
}

/// The place in the window of a number.
fn paged_number_place(bits: u32) -> f32 {
  return (difference(bits, paged.low_key, paged.scaled_low, paged.power) - paged.low_rest) * paged.scale;
}

/// The place in the window of a voxel, `missing_place` if it is none.
fn paged_place_of(bits: u32) -> f32 {
  let key = voxel_key(bits);
  if (is_float() && (!is_finite(bits) || key < paged.first_number || key > paged.last_number)) {
    return missing_place;
  }
  return paged_number_place(bits);
}

/// Blends eight voxels of 8 or 16 bits of the shown brick, which has a slot. As floats they are exact, and none is missing; so the
/// values are blended, and not their places.
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
  let value = mix(planes.x, planes.y, fraction.z);
  let window_low = value_of(select(paged.low_key, paged.low_key ^ 0x80000000u, is_signed()));
  return ((value - window_low) * power_of_two(paged.power) - paged.low_rest) * paged.scale;
}

/// A sample of the shown level at a position in the cube.
/// @param is_nearest the nearest voxel; otherwise eight voxels are blended
fn paged_place(position: vec3f, is_nearest: bool) -> f32 {
  let in_level = position * paged_scale;
  let last = paged_end;
  if (is_nearest) {
    let voxel = clamp(vec3i(floor(in_level)), vec3i(0), last);
    if (paged_entry_at(voxel) == 0u) {
      paged_miss(paged_index(paged_shown, vec3u(voxel)));
    }
    return paged_place_of(paged_bits(voxel));
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
      if (weight > 0.0 && paged_entry_at(voxel) == 0u) {
        paged_miss(paged_index(paged_shown, vec3u(voxel)));
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
