// Loads an encoder's brick from the box into workgroup memory, and computes its residuals. SPEC.md, 'Predictors'. Twin:
// src/core/codecs/predict/predictors.ts.

import package::bricks::memory::wg_words;
import package::bricks::packed::{Box, element_mask, lanes, lanes_below, packed_subtract, packed_symbols, planes};
import package::predict::brick::{
  Chunk, Place, brick_y, median_predictor, medians, packed_medians, row_pitch, row_words, shifted_in, slice_pitch, threads,
  word_at, words_to_visit,
};

@group(0) @binding(0) var<uniform> box: Box;
@group(0) @binding(1) var<storage, read> chunks: array<Chunk>;
// The number of each brick's chunk: `brick_count` words.
@group(0) @binding(2) var<storage, read> chunk_of_brick: array<u32>;
@group(0) @binding(3) var<storage, read> voxels: array<u32>;

// One word of the brick's plane, by its number without padding. Lanes past the chunk's edge are 0.
fn box_word(place: Place, plane: u32, index: u32) -> u32 {
  let x = (index % row_words) * lanes;
  let y = (index / row_words) % brick_y;
  let z = index / (row_words * brick_y);
  if (x >= place.extent.x || y >= place.extent.y || z >= place.extent.z) { return 0u; }
  let at = place.first_word + z * box.slice_words + y * box.row_words;
  if (planes == 1u) { return voxels[at + x / lanes] & lanes_below(place.extent.x - x); }
  var word = (voxels[at + x] >> (16u * plane)) & 0xffffu;
  if (x + 1u < place.extent.x) { word |= (voxels[at + x + 1u] >> (16u * plane)) << 16u; }
  return word;
}

fn keep_word(index: u32, word: u32) {
  wg_words[word_at((index % row_words) * lanes, (index / row_words) % brick_y, index / (row_words * brick_y))] = word;
}

// Fills wg_words with one plane of the brick, with eight loads in flight. A barrier must follow.
fn load_brick(place: Place, plane: u32, thread: u32) {
  for (var index = thread; index < words_to_visit(place.extent); index += 8u * threads) {
    let first = vec4u(
      box_word(place, plane, index),
      box_word(place, plane, index + threads),
      box_word(place, plane, index + 2u * threads),
      box_word(place, plane, index + 3u * threads));
    let second = vec4u(
      box_word(place, plane, index + 4u * threads),
      box_word(place, plane, index + 5u * threads),
      box_word(place, plane, index + 6u * threads),
      box_word(place, plane, index + 7u * threads));
    for (var i = 0u; i < 4u; i++) {
      keep_word(index + i * threads, first[i]);
      keep_word(index + (4u + i) * threads, second[i]);
    }
  }
}

// A word's elements and their neighbours in the same slice. Neighbours outside the block are 0.
struct Corner { own: u32, left: u32, up: u32, up_left: u32 }

// `at`: the word's index in wg_words. `in_block`: its first element's position in its block.
fn corner_at(at: u32, in_block: vec3u) -> Corner {
  let inner = select(vec2u(0u), vec2u(0xffffffffu), in_block.xy > vec2u(0u));
  // Reads outside the block are masked.
  let own = wg_words[at];
  let up = wg_words[at - row_pitch] & inner.y;
  let before = wg_words[at - 1u] & inner.x;
  let up_before = wg_words[at - row_pitch - 1u] & inner.x & inner.y;
  return Corner(own, shifted_in(own, before), up, shifted_in(up, up_before));
}

// The corner in the previous slice.
fn corner_behind(at: u32, in_block: vec3u) -> Corner {
  if (in_block.z == 0u) { return Corner(0u, 0u, 0u, 0u); }
  return corner_at(at - slice_pitch, in_block);
}

// A word's elements, and their differences along x, along y, and along both.
struct Slice { own: u32, x: u32, y: u32, xy: u32 }

fn slice_of(corner: Corner) -> Slice {
  let x = packed_subtract(corner.own, corner.left);
  let y = packed_subtract(corner.own, corner.up);
  return Slice(corner.own, x, y, packed_subtract(x, packed_subtract(corner.up, corner.up_left)));
}

// The residuals by predictor 1: differences to the left; upwards in the block's first column; backwards in its first row and
// column.
fn residuals_by_left(here: Slice, behind: Slice, in_block: vec3u) -> u32 {
  let edge = select(here.y, packed_subtract(here.own, behind.own), in_block.y == 0u);
  return select(here.x, (here.x & ~element_mask) | (edge & element_mask), in_block.x == 0u);
}

// The residuals by a predictor that is a list of sums. `left`: those by predictor 1.
fn residuals_by(predictor: u32, here: Slice, behind: Slice, left: u32, in_block: vec3u) -> u32 {
  let is_top = in_block.y == 0u;
  let is_front = in_block.z == 0u;
  switch (predictor) {
    case 0u: { return here.own; }
    case 1u: { return left; }
    case 2u: { return select(here.y, left, is_top); }
    case 3u: { return select(packed_subtract(here.own, behind.own), left, is_front); }
    case 4u: { return select(here.xy, left, is_top); }
    case 5u: { return packed_subtract(here.xy, behind.xy); }
    case 6u: { return select(packed_subtract(here.x, behind.x), left, is_front); }
    default: {
      let front = select(here.y, left, is_top);
      return select(packed_subtract(here.y, behind.y), front, is_front);
    }
  }
}

fn median_residuals(here: Corner, behind: Corner) -> u32 {
  return packed_subtract(
    here.own,
    packed_medians(here.left, here.up, here.up_left, behind.own, behind.left, behind.up, behind.up_left));
}

// The lanes of a word whose symbols count: those in the chunk, except the block's first element, whose 'residual counts as 0'.
fn counted_lanes(count: u32, in_block: vec3u) -> u32 {
  return lanes_below(count) & select(0xffffffffu, ~element_mask, all(in_block == vec3u(0u)));
}

// The symbols of the elements of word `at`.
fn symbols_of(predictor: u32, at: u32, in_block: vec3u) -> u32 {
  let here = corner_at(at, in_block);
  var residuals = 0u;
  if (medians == 1u && predictor == median_predictor) {
    residuals = median_residuals(here, corner_behind(at, in_block));
  } else {
    let own = slice_of(here);
    // Predictors within a slice need the previous slice only at their edges.
    var before = Slice(0u, 0u, 0u, 0u);
    if (in_block.y == 0u || predictor == 3u || predictor >= 5u) { before = slice_of(corner_behind(at, in_block)); }
    residuals = residuals_by(predictor, own, before, residuals_by_left(own, before, in_block), in_block);
  }
  return packed_symbols(residuals) & counted_lanes(lanes, in_block);
}
