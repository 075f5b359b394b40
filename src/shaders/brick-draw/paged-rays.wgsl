// What ray-march.wgsl needs to march through bricks, apart from samples: the choice of a level for each brick, the ranges of bricks and
// their cells, and feedback about the bricks that rays used and missed.
//
// The level is chosen from the coarsest on: a brick is drawn if the edge of its voxels is at most `paged.detail` per unit of distance
// from the eye to the nearest point of the brick; otherwise the choice continues with the finer brick at that position. It depends on
// the brick alone, so all rays agree. If the chosen brick is not loaded, the finest loaded coarser one is drawn, and a miss is recorded:
// of the wanted brick, but at most two levels finer than the drawn one, so that the picture improves soon; or, if none is drawn, of the
// coarsest brick.
//
// For bricks in the texture, the ranges of cells of 8³ voxels are known, too.
//
// Feedback, in words: the number of misses; the missed entries; for each slot bit 0 if a ray entered it or took a voxel from it, and bits 1
// to 6 for the faces beyond which samples lay (low x, y, z, high x, y, z); for each entry of the table a bit that says whether its miss is
// recorded. Misses for which there is no room are recorded in a later frame.
//
// Invariants
// 1. Each missed entry is recorded once in a frame.
// 2. The range of a slot covers all voxels of the brick, and therefore all samples that depend on no other brick. With a texture, the
//    ranges of slots and cells cover all texels on which samples in them depend.

import package::brick_draw::number_texels::{greatest_number, least_sample};
import package::brick_draw::paged::{
  paged,
  paged_entry,
  paged_first,
  paged_index_of,
  paged_is_constant,
  paged_last,
  paged_scale,
  paged_show,
  paged_shown,
  paged_table,
};
import package::brick_draw::paged_feedback::{feedback, paged_miss, paged_use};
import package::brick_draw::paged_beyond::paged_own_place;
import package::brick_draw::paged_samples::{
  paged_begin_brick,
  paged_faces,
  paged_first_center,
  paged_last_center,
  paged_margin,
};
import package::brick_draw::paged_texels::{
  is_filtered,
  paged_begin_texels,
  paged_has_values,
  paged_number_place,
  paged_texel_place,
};
import package::brick_draw::texture_layout::paged_cell_voxels;
import package::draw::rays::no_place;

/// For each slot: the bits of its least and its greatest number; whether some voxels are missing; whether some are not.
@group(0) @binding(8) var<storage, read> ranges: array<vec4u>;
/// For each cell of each slot its least and its greatest texel: as floats for types of 32 or 64 bits, otherwise in the low and the high half.
@group(0) @binding(12) var<storage, read> paged_cells: array<u32>;

/// The level at which the choice begins: the one that was chosen last.
var<private> paged_near_level: i32;

/// The brick that a ray enters.
struct PagedCell {
  /// Whether a brick can be drawn.
  is_there: bool,
  /// In the cube: the bounds of the wanted brick, or of the one requested in its place, and of the part of the drawn brick whose samples depend on no other brick.
  low: vec3f,
  high: vec3f,
  inner_low: vec3f,
  inner_high: vec3f,
  /// Places of the brick's least and greatest number, and whether there are missing voxels and numbers.
  ends: vec2f,
  has_missing: bool,
  has_numbers: bool,
  /// Whether all its voxels are the same.
  is_constant: bool,
  /// The edges of its voxels, in the cube.
  voxel: vec3f,
}

/// Called before the first brick of a ray. @param margin of gradients: see `paged_margin`
fn paged_begin(margin: f32) {
  paged_margin = margin;
  paged_shown = paged.level_count;
  paged_near_level = i32(paged.level_count) - 1;
  paged_begin_texels();
}

/// The brick of a level at a position in the cube, as its numbers along x, y, z.
fn paged_place_at(level: i32, position: vec3f) -> vec3u {
  return min(vec3u(max(position * paged.levels[level].bricks_across.xyz, vec3f(0.0))), paged.levels[level].counts.xyz - 1u);
}

/// The bounds, in the cube, of the brick of a level at a position.
fn paged_bounds(level: i32, position: vec3f) -> mat2x3f {
  let size = paged.levels[level].brick_edges.xyz;
  let low = vec3f(paged_place_at(level, position)) * size;
  return mat2x3f(low, min(low + size, vec3f(1.0)));
}

/// Whether a brick of a level is fine enough.
fn paged_is_fine(level: i32, bounds: mat2x3f, eye: vec4f, edges: vec3f) -> bool {
  let away = length((clamp(eye.xyz, bounds[0], bounds[1]) - eye.xyz) * edges);
  return paged.levels[level].edge <= paged.detail * select(1.0, away, eye.w > 0.5);
}

/// Chooses the brick to draw at a position in the cube.
/// @param eye in the cube; w: 0 if it is infinitely far away
fn paged_enter(position: vec3f, eye: vec4f, edges: vec3f) -> PagedCell {
  paged_leave();
  // Finds the coarsest level that is fine enough, or else the finest level. If a level is fine enough, so are all finer ones, because
  // their bricks lie inside the coarser brick and are no nearer. The search may therefore begin at any level.
  var level = paged_near_level;
  var bounds = paged_bounds(level, position);
  if (paged_is_fine(level, bounds, eye, edges)) {
    for (; level + 1 < i32(paged.level_count); level++) {
      let coarser = paged_bounds(level + 1, position);
      if (!paged_is_fine(level + 1, coarser, eye, edges)) {
        break;
      }
      bounds = coarser;
    }
  } else {
    for (; level > 0; ) {
      level--;
      bounds = paged_bounds(level, position);
      if (paged_is_fine(level, bounds, eye, edges)) {
        break;
      }
    }
  }
  paged_near_level = level;
  let wanted = u32(level);
  var cell: PagedCell;
  cell.low = bounds[0];
  cell.high = bounds[1];
  var shown = wanted;
  var shown_entry = 0u;
  for (; shown < paged.level_count; shown++) {
    shown_entry = paged_table[paged_index_of(shown, paged_place_at(i32(shown), position))];
    if (shown_entry != 0u) {
      break;
    }
  }
  if (shown != wanted) {
    let asked = select(max(wanted, shown - min(shown, 2u)), paged.level_count - 1u, shown == paged.level_count);
    paged_miss(paged_index_of(asked, paged_place_at(i32(asked), position)));
    if (shown < paged.level_count) {
      // The brick that is requested lies within the drawn one. Finer bricks in it, which rays would enter one by one, could only be drawn if
      // they had been kept longer than this one.
      bounds = paged_bounds(i32(asked), position);
      cell.low = bounds[0];
      cell.high = bounds[1];
    }
  }
  if (shown == paged.level_count) {
    cell.is_there = false;
    return cell;
  }
  cell.is_there = true;
  paged_show(shown, paged_place_at(i32(shown), position), shown_entry);
  let last = vec3i(paged.levels[shown].dims) - 1;
  cell.voxel = paged.levels[shown].factors / paged.dims;
  paged_begin_brick();
  // Samples at the faces of the volume depend on no neighbour.
  cell.inner_low = select(paged_first_center * cell.voxel, vec3f(-1.0), paged_first == vec3i(0));
  cell.inner_high = select(paged_last_center * cell.voxel, vec3f(2.0), paged_last == last);
  cell.is_constant = paged_is_constant(shown_entry);
  if (cell.is_constant) {
    cell.has_missing = paged_own_place <= -no_place;
    cell.has_numbers = !cell.has_missing;
    cell.ends = vec2f(paged_own_place);
    return cell;
  }
  let slot = shown_entry - 1u;
  if (is_filtered) {
    cell.inner_low = vec3f(-1.0);
    cell.inner_high = vec3f(2.0);
  }
  paged_use(slot);
  let range = ranges[slot];
  let ends = vec2f(paged_number_place(range.x), paged_number_place(range.y));
  cell.ends = vec2f(min(ends.x, ends.y), max(ends.x, ends.y));
  cell.has_missing = range.z != 0u;
  cell.has_numbers = range.w != 0u;
  return cell;
}

/// Called before a ray leaves the shown brick: records beyond which of its faces samples lay.
fn paged_leave() {
  if (paged_shown >= paged.level_count || paged_is_constant(paged_entry)) {
    return;
  }
  let word = paged.used_start + paged_entry - 1u;
  if ((atomicLoad(&feedback[word]) & paged_faces) != paged_faces) {
    atomicOr(&feedback[word], paged_faces);
  }
}

/// A cell of the shown brick.
struct PagedPart {
  /// The bounds in the cube.
  low: vec3f,
  high: vec3f,
  /// Places of the cell's least and greatest number, and whether there are missing voxels and numbers.
  ends: vec2f,
  has_missing: bool,
  has_numbers: bool,
}

/// Whether the shown brick has cells.
fn paged_has_parts() -> bool {
  return is_filtered && !paged_is_constant(paged_entry);
}

/// The cell of the shown brick at a position in the cube.
fn paged_part(position: vec3f) -> PagedPart {
  let voxel = clamp(vec3i(floor(position * paged_scale)), paged_first, paged_last);
  let cell = vec3u(voxel - paged_first) / paged_cell_voxels;
  let counts = (paged.levels[0].brick.xyz + paged_cell_voxels - 1u) / paged_cell_voxels;
  let index = (((paged_entry - 1u) * counts.z + cell.z) * counts.y + cell.y) * counts.x + cell.x;
  var texels: vec2f;
  if (paged_has_values()) {
    texels = bitcast<vec2f>(vec2u(paged_cells[2u * index], paged_cells[2u * index + 1u]));
  } else {
    texels = vec2f(vec2u(paged_cells[index] & 0xffffu, paged_cells[index] >> 16u));
  }
  let has_missing = paged_has_values() && texels.x < least_sample;
  let has_numbers = !paged_has_values() || texels.y >= least_sample;
  // The least number of a cell with missing voxels is not known.
  let least = select(texels.x, -greatest_number, has_missing);
  let ends = vec2f(paged_texel_place(least), paged_texel_place(texels.y));
  let first = vec3f(paged_first + vec3i(cell * paged_cell_voxels));
  return PagedPart(
    first / paged_scale,
    (first + f32(paged_cell_voxels)) / paged_scale,
    vec2f(min(ends.x, ends.y), max(ends.x, ends.y)),
    has_missing,
    has_numbers,
  );
}
