// How chunks are cut into bricks, and how a brick lies in workgroup memory. src/core/codecs/predict/SPEC.md, 'Planes; bricks,
// blocks and groups'. Twin: src/core/codecs/predict/layout.ts.
//
// Each plane of a brick is a unit that is coded by itself. A workgroup does its brick's units one after the other.

import package::bricks::packed::{Box, bits, element_bytes, element_mask, lanes, picture, plane_bytes, planes};

// Together with `picture`, the chunk's parameters: 1 is 'picture', 16 'medians'. A kernel skips chunks of other modes.
override medians: u32 = 0u;

override brick_x: u32 = 16u + 48u * picture;
override brick_y: u32 = 16u + 48u * picture;
override brick_z: u32 = 16u - 15u * picture;
override block_x: u32 = 16u + 16u * picture;
override block_y: u32 = 16u + 16u * picture;
override blocks_x: u32 = 1u + picture;
override blocks: u32 = blocks_x * blocks_x;
override group_x: u32 = 4u + 4u * picture;
override group_y: u32 = 4u + 4u * picture;
override group_z: u32 = 4u - 3u * picture;
override groups_x: u32 = brick_x / group_x;
override groups_y: u32 = brick_y / group_y;

// One invocation per group of a brick.
const threads = 64u;
// The predictor number that marks a flat brick.
const flat_mark = 15u;
const sum_predictors = 8u;
// No sum is a half sum.
const soft_predictor = sum_predictors;
const median_predictor = sum_predictors;
// The highest class: 8 if w is 8, 12 if w is 16.
override class_count: u32 = 4u + 4u * plane_bytes;
// Sections whose units differ in length: classes, tails, and the heads of each class.
override section_count: u32 = 2u + class_count;

// Padding between rows and between slices keeps lines along y and z out of the same memory bank.
override row_words: u32 = brick_x / lanes;
override row_pitch: u32 = row_words + 1u;
override slice_pitch: u32 = brick_y * row_pitch + 20u * plane_bytes - 16u;
// 5.4 KiB in volumes of 1-byte elements, 10.5 KiB in wider ones.
override memory_words: u32 = brick_z * slice_pitch;

struct Chunk {
  shape: vec3u,      // in elements
  first_word: u32,   // word of the chunk's origin in the box
  payload_word: u32, // word where the payload starts
  payload_words: u32,
  first_brick: u32,
  mode: u32,         // its parameters
}

// What an invocation knows about its brick and its group. Positions are in elements from the brick's origin.
struct Place {
  first_word: u32,  // word of the brick's origin in the box
  extent: vec3u,    // of the brick
  is_whole: bool,   // nothing clips the brick
  groups: vec3u,    // groups inside the chunk, along each axis
  group: vec3u,     // origin of the group
  size: vec3u,      // of the group; 0 if it lies outside the chunk
  count: u32,       // elements in the group
  group_index: u32, // number of the group among the groups inside the chunk
  block: vec2u,     // the group's block
  blocks: vec2u,    // blocks of this brick inside the chunk, along x and y
  first_block: vec3u,  // position of the brick's first block among the chunk's blocks
  chunk_blocks: vec2u, // the chunk's blocks along x and y
}

fn bricks_of(chunk: Chunk) -> vec3u { return (chunk.shape + brick_shape() - 1u) / brick_shape(); }
fn brick_shape() -> vec3u { return vec3u(brick_x, brick_y, brick_z); }
fn group_shape() -> vec3u { return vec3u(group_x, group_y, group_z); }

fn origin_of(chunk: Chunk, brick: u32) -> vec3u {
  let bricks = bricks_of(chunk);
  return brick_shape() * vec3u(brick % bricks.x, (brick / bricks.x) % bricks.y, brick / (bricks.x * bricks.y));
}

fn place_of(chunk: Chunk, box: Box, brick: u32, thread: u32) -> Place {
  let origin = origin_of(chunk, brick);
  var place: Place;
  place.first_word =
    chunk.first_word + origin.z * box.slice_words + origin.y * box.row_words + origin.x * element_bytes / 4u;
  place.extent = min(brick_shape(), chunk.shape - origin);
  place.is_whole = all(place.extent == brick_shape());
  place.groups = (place.extent + group_shape() - 1u) / group_shape();
  let number = group_number(thread);
  place.group = number * group_shape();
  place.size = size_of(place.extent, place.group);
  place.count = place.size.x * place.size.y * place.size.z;
  place.group_index = number.x + place.groups.x * (number.y + place.groups.y * number.z);
  let block_shape = vec2u(block_x, block_y);
  place.block = place.group.xy / block_shape;
  place.blocks = (place.extent.xy + block_shape - 1u) / block_shape;
  place.first_block = origin / vec3u(block_shape, brick_z);
  place.chunk_blocks = (chunk.shape.xy + block_shape - 1u) / block_shape;
  return place;
}

// A group's position among an unclipped brick's groups, from its number.
fn group_number(number: u32) -> vec3u {
  return vec3u(number % groups_x, (number / groups_x) % groups_y, number / (groups_x * groups_y));
}

// The size of the group that starts at `group`: 0 past the brick's end.
fn size_of(extent: vec3u, group: vec3u) -> vec3u {
  if (any(group >= extent)) { return vec3u(0u); }
  return min(group_shape(), extent - group);
}

// The index of a block's predictor and base in the chunk's sections.
fn block_place(place: Place, block: vec2u, plane: u32) -> u32 {
  let at = place.first_block + vec3u(block, 0u);
  return (at.x + place.chunk_blocks.x * (at.y + place.chunk_blocks.y * at.z)) * planes + plane;
}

// The same for the first block of a brick, by the brick's number in its chunk.
fn first_block_place(chunk: Chunk, brick: u32, plane: u32) -> u32 {
  let block_shape = vec3u(block_x, block_y, brick_z);
  let counts = (chunk.shape + block_shape - 1u) / block_shape;
  let at = origin_of(chunk, brick) / block_shape;
  return (at.x + counts.x * (at.y + counts.y * at.z)) * planes + plane;
}

// Words of the predictors' section and of the bases' section.
fn fixed_words(chunk: Chunk) -> vec2u {
  let shape = vec3u(block_x, block_y, brick_z);
  let counts = (chunk.shape + shape - 1u) / shape;
  let count = counts.x * counts.y * counts.z * planes;
  return vec2u((count + 3u) / 4u, (count * plane_bytes + 3u) / 4u);
}

// A row of up to four elements of a group. An unclipped group has sixteen.
struct Quad {
  group: u32,   // number of its group in an unclipped brick
  at: vec3u,    // its first element, relative to the brick's origin
  index: u32,   // number of that element in its group
  count: u32,   // of elements; 0 outside the chunk
}

const quads_per_group = 16u;

fn quad_of(extent: vec3u, number: u32) -> Quad {
  let group = number / quads_per_group;
  let origin = group_number(group) * group_shape();
  let size = size_of(extent, origin);
  let row = number % quads_per_group;
  var within = vec3u(0u, row % 4u, row / 4u);
  if (picture == 1u) { within = vec3u(4u * (row % 2u), row / 2u, 0u); }
  var count = 0u;
  if (all(within < size)) { count = min(4u, size.x - within.x); }
  return Quad(group, origin + within, within.x + size.x * (within.y + size.y * within.z), count);
}

// The word of wg_words that holds element (x, y, z). x must be a multiple of `lanes`.
fn word_at(x: u32, y: u32, z: u32) -> u32 { return z * slice_pitch + y * row_pitch + x / lanes; }

// The number of words to visit to reach all of the brick's elements inside the chunk, not counting padding.
fn words_to_visit(extent: vec3u) -> u32 { return row_words * ((extent.z - 1u) * brick_y + extent.y); }

// The left neighbours of a word's elements, given the word before.
fn shifted_in(word: u32, before: u32) -> u32 { return (word << bits) | (before >> (32u - bits)); }

// For each lane, the median of a, b, c, the three planes and the space. Outside the block all of them are 0.
fn packed_medians(left: u32, up: u32, up_left: u32, behind: u32, behind_left: u32, behind_up: u32, behind_up_left: u32) -> u32 {
  var medians_there = 0u;
  for (var lane = 0u; lane < lanes; lane++) {
    let shift = lane * bits;
    let a = i32((left >> shift) & element_mask);
    let b = i32((up >> shift) & element_mask);
    let c = i32((behind >> shift) & element_mask);
    let ab = i32((up_left >> shift) & element_mask);
    let ac = i32((behind_left >> shift) & element_mask);
    let bc = i32((behind_up >> shift) & element_mask);
    let abc = i32((behind_up_left >> shift) & element_mask);
    let median = middle_of_seven(a, b, c, a + b - ab, a + c - ac, b + c - bc, a + b + c - ab - ac - bc + abc);
    medians_there |= (u32(median) & element_mask) << shift;
  }
  return medians_there;
}

// The fourth of seven numbers in order. Discards the least and the greatest of six, then of five, four and three.
fn middle_of_seven(v0: i32, v1: i32, v2: i32, v3: i32, v4: i32, v5: i32, v6: i32) -> i32 {
  let low = min(vec3i(v0, v1, v2), vec3i(v3, v4, v5));
  let high = max(vec3i(v0, v1, v2), vec3i(v3, v4, v5));
  // Drops the least of the lower three and the greatest of the upper three. Four of the six and the seventh number are left.
  let p = middle_and_greatest(low);
  let q = middle_and_least(high);
  // The third of five numbers.
  let r = vec2i(min(p.x, q.x), max(p.x, q.x));
  let s = vec2i(min(p.y, q.y), max(p.y, q.y));
  let inner = vec2i(max(r.x, s.x), min(r.y, s.y));
  return max(min(inner.x, inner.y), min(max(inner.x, inner.y), v6));
}

// The greater two of three, and the lesser two.
fn middle_and_greatest(v: vec3i) -> vec2i {
  let high = max(v.x, v.y);
  return vec2i(max(min(v.x, v.y), min(high, v.z)), max(high, v.z));
}
fn middle_and_least(v: vec3i) -> vec2i {
  let low = min(v.x, v.y);
  return vec2i(min(max(v.x, v.y), max(low, v.z)), min(low, v.z));
}

// Tails: the t low bits of the symbols in classes above 4, where w is 16.
fn tail_bits(group_class: u32) -> u32 {
  if (bits == 8u) { return 0u; }
  return max(group_class, 4u) - 4u;
}

fn head_bits(group_class: u32) -> u32 { return select(8u, 4u, group_class == 1u); }

// Words of a group's heads, and of its tails.
fn head_words(group_class: u32, count: u32) -> u32 {
  return select((count * head_bits(group_class) + 31u) / 32u, 0u, group_class == 0u);
}
fn tail_words(group_class: u32, count: u32) -> u32 { return (count * tail_bits(group_class) + 31u) / 32u; }
