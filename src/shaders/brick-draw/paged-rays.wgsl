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
/// The atlas once more, as texels of 0…1 for 8-bit voxels (`BrickTexture` in src/core/bricks/brick-texture.ts).
@group(0) @binding(10) var filtered: texture_3d<f32>;
@group(0) @binding(11) var filter_linear: sampler;

/// Whether bricks are in `filtered`.
override is_filtered: bool = false;

/// Of the shown brick, in voxels of its level: where samples depend on no other brick; the centres of its first and last voxel; what
/// leads to the texture's texels; and 1 / the texture's size. Then slots along x and y of the texture, and the shown brick's place
/// among those of its level.
var<private> paged_inner_low: vec3f;
var<private> paged_inner_high: vec3f;
var<private> paged_first_center: vec3f;
var<private> paged_last_center: vec3f;
var<private> paged_to_texels: vec3f;
var<private> paged_per_texel: vec3f;
var<private> paged_across: vec2u;
var<private> paged_own: vec3u;

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
  if (is_filtered) {
    let size = textureDimensions(filtered);
    paged_across = size.xy / paged.levels[0].brick.xy;
    paged_per_texel = 1.0 / vec3f(size);
    paged_own = paged_brick(shown, vec3u(voxel));
  }
  paged_first_center = vec3f(paged_first) + 0.5;
  paged_last_center = vec3f(paged_last) + 0.5;
  paged_inner_low = select(paged_first_center, vec3f(-1e9), paged_first == vec3i(0));
  paged_inner_high = select(paged_last_center, vec3f(1e9), paged_last == last);
  cell.inner_low = select(paged_first_center * scale, vec3f(0.0), paged_first == vec3i(0));
  cell.inner_high = select(paged_last_center * scale, vec3f(1.0), paged_last == last);
  if (paged_is_constant(shown_entry)) {
    let place = paged_place_of(paged_constants[shown_entry & 0x7fffffffu]);
    cell.has_missing = place <= -no_place;
    cell.has_numbers = !cell.has_missing;
    cell.ends = vec2f(place);
    return cell;
  }
  let slot = shown_entry - 1u;
  if (is_filtered) {
    paged_to_texels = vec3f(paged_texel_of(slot) - paged_first);
  }
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
  return paged_value_place(mix(planes.x, planes.y, fraction.z));
}

/// The place in the window of a value of 8 or 16 bits.
fn paged_value_place(value: f32) -> f32 {
  let window_low = value_of(select(paged.low_key, paged.low_key ^ 0x80000000u, is_signed()));
  return ((value - window_low) * power_of_two(paged.power) - paged.low_rest) * paged.scale;
}

/// The first texel of a slot.
fn paged_texel_of(slot: u32) -> vec3i {
  let row = slot / paged_across.x;
  let layer = row / paged_across.y;
  return vec3i(vec3u(slot - row * paged_across.x, row - layer * paged_across.y, layer) * paged.levels[0].brick.xyz);
}

fn paged_filter(texel: vec3f) -> f32 {
  let byte = textureSampleLevel(filtered, filter_linear, texel * paged_per_texel, 0.0).r * 255.0;
  return paged_value_place(byte - select(0.0, 128.0, is_signed()));
}

/// A sample that depends on several bricks: one filtered sample of each. @param in_level in voxels of the shown level
fn paged_filter_several(in_level: vec3f) -> f32 {
  let base = floor(in_level - 0.5);
  let fraction = in_level - 0.5 - base;
  let low = paged_brick(paged_shown, vec3u(clamp(vec3i(base), vec3i(0), paged_end)));
  let high = paged_brick(paged_shown, vec3u(clamp(vec3i(base) + 1, vec3i(0), paged_end)));
  let differs = low != high;
  let size = paged.levels[paged_shown].brick.xyz;
  let counts = paged.levels[paged_shown].counts;
  var sum = 0.0;
  for (var index = 0u; index < 8u; index++) {
    let is_high = vec3<bool>((index & 1u) != 0u, (index & 2u) != 0u, (index & 4u) != 0u);
    if (any(is_high & !differs)) {
      continue;
    }
    let weights = select(vec3f(1.0), select(1.0 - fraction, fraction, is_high), differs);
    let weight = weights.x * weights.y * weights.z;
    if (weight <= 0.0) {
      continue;
    }
    let brick = select(low, high, is_high);
    let first = vec3i(brick * size);
    let last = min(first + vec3i(size) - 1, paged_end);
    // The centres of the brick's voxels that are nearest to the position.
    var nearest = clamp(in_level, vec3f(first) + 0.5, vec3f(last) + 0.5);
    var to_texels = paged_to_texels;
    var entry = paged_entry;
    if (any(brick != paged_own)) {
      let at = paged.levels[paged_shown].start + (brick.z * counts.y + brick.y) * counts.x + brick.x;
      let other = paged_table[at];
      if (other == 0u) {
        paged_miss(at);
        nearest = clamp(nearest, paged_first_center, paged_last_center);
      } else {
        entry = other;
        if (!paged_is_constant(other)) {
          to_texels = vec3f(paged_texel_of(other - 1u) - first);
        }
      }
    }
    if (paged_is_constant(entry)) {
      sum += weight * paged_place_of(paged_constants[entry & 0x7fffffffu]);
    } else {
      sum += weight * paged_filter(nearest + to_texels);
    }
  }
  return sum;
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
  if (is_filtered) {
    if (!paged_is_constant(paged_entry) && all(in_level >= paged_inner_low) && all(in_level <= paged_inner_high)) {
      return paged_filter(clamp(in_level, paged_first_center, paged_last_center) + paged_to_texels);
    }
    return paged_filter_several(in_level);
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
