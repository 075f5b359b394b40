// A decoder's medians, which turn residuals in workgroup memory into elements. SPEC.md, 'Predictors'. Twin: `reconstruct` in
// src/core/codecs/predict/predictors.ts.
// Algorithm: a wavefront. A word needs only the words before it along x, y and z. So each step does all words whose coordinates
// add up to the step's number, one lane after the other.

import package::bricks::memory::wg_words;
import package::bricks::packed::{bits, element_mask, lanes, picture};
import package::predict::brick::{block_x, block_y, brick_z, middle_of_seven, row_pitch, shifted_in, slice_pitch};

// The number of steps over an unclipped block.
override wave_steps: u32 = block_x / lanes + block_y + brick_z - 2u;

// Turns the residuals of the word at `at` into elements. `at_edge`: whether it has no neighbour before it along each axis.
fn undo_medians(at: u32, at_edge: vec3<bool>) {
  var before = vec4u(0u);
  var up = 0u;
  var behind = 0u;
  var behind_up = 0u;
  if (!at_edge.y) { up = wg_words[at - row_pitch]; }
  if (!at_edge.z) { behind = wg_words[at - slice_pitch]; }
  if (!at_edge.y && !at_edge.z) { behind_up = wg_words[at - slice_pitch - row_pitch]; }
  if (!at_edge.x) {
    before.x = wg_words[at - 1u];
    if (!at_edge.y) { before.y = wg_words[at - row_pitch - 1u]; }
    if (!at_edge.z) { before.z = wg_words[at - slice_pitch - 1u]; }
    if (!at_edge.y && !at_edge.z) { before.w = wg_words[at - slice_pitch - row_pitch - 1u]; }
  }
  let residuals = wg_words[at];
  let up_left = shifted_in(up, before.y);
  let behind_left = shifted_in(behind, before.z);
  let behind_up_left = shifted_in(behind_up, before.w);
  var elements = 0u;
  var a = i32(before.x >> (32u - bits));
  for (var lane = 0u; lane < lanes; lane++) {
    let shift = lane * bits;
    let b = i32((up >> shift) & element_mask);
    let c = i32((behind >> shift) & element_mask);
    let ab = i32((up_left >> shift) & element_mask);
    let ac = i32((behind_left >> shift) & element_mask);
    let bc = i32((behind_up >> shift) & element_mask);
    let abc = i32((behind_up_left >> shift) & element_mask);
    let median = middle_of_seven(a, b, c, a + b - ab, a + c - ac, b + c - bc, a + b + c - ab - ac - bc + abc);
    let element = (u32(median) + (residuals >> shift)) & element_mask;
    elements |= element << shift;
    a = i32(element);
  }
  wg_words[at] = elements;
}

// One step over a block, shared by `width` invocations, of which this is number `lane`. `origin`: the block's first word.
// `extent`: the block's size in elements.
fn median_step(step: u32, origin: u32, extent: vec3u, lane: u32, width: u32) {
  let words = block_x / lanes;
  for (var line = lane; line < words * select(block_y, 1u, picture == 1u); line += width) {
    // A line is a word's column: along z in volumes, along y in pictures.
    let x = line % words;
    let y = select(line / words, step - x, picture == 1u);
    let z = step - x - y;
    if (x * lanes < extent.x && x + y <= step && y < extent.y && z < extent.z) {
      undo_medians(origin + z * slice_pitch + y * row_pitch + x, vec3u(x, y, z) == vec3u(0u));
    }
  }
}
