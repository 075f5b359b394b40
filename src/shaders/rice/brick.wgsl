// How chunks are cut into bricks, and how a brick lies in workgroup memory. src/core/codecs/rice/SPEC.md, 'Bricks, blocks and
// groups'.
// Twin: src/core/codecs/rice/layout.ts.
//
// Each plane of a brick is coded by itself, and a workgroup does its brick's planes one after the other. A kernel skips chunks of
// another form.

import constants::parts;
import package::bricks::packed::{Box, bits, element_bytes, lanes, lanes_below, ones, picture, plane_bytes};

// 0: a kernel for bricks that no edge clips, where much is constant. 1: for bricks that the chunk's edges clip.
override clipped: u32 = 1u;

// 1 for elements of 2 bytes, whose bricks hold half as many.
override wide: u32 = plane_bytes - 1u;
override brick_x: u32 = 16u + 48u * picture;
override brick_y: u32 = 16u + 48u * picture - 32u * picture * wide;
override brick_z: u32 = 16u - 15u * picture - 8u * (1u - picture) * wide;
override block_x: u32 = 16u + 16u * picture;
override block_y: u32 = 16u + 16u * picture;
override blocks_x: u32 = brick_x / block_x;
override blocks_y: u32 = brick_y / block_y;
override blocks: u32 = blocks_x * blocks_y;
override group_x: u32 = 4u + 4u * picture;
override group_y: u32 = 4u + 4u * picture - 4u * picture * wide;
override group_z: u32 = 4u - 3u * picture - 2u * (1u - picture) * wide;
override groups_x: u32 = brick_x / group_x;
override groups_y: u32 = brick_y / group_y;

// Each group is the work of `parts` invocations, 1 or 2. A part is an equal share of the group's tiles: 16 / parts words in an
// unclipped group. A tile is 4 rows of one word.
const group_count = 64u;
const threads = group_count * parts;
const part_words = 16u / parts;
const sum_predictors = 8u;
// The last two, soft and soft up, use half sums.
const soft_predictor = 6u;
// 1: the chunk allows eight more predictors that are not sums.
override causal: u32 = 0u;
const causal_predictors = 8u;
override predictor_bits: u32 = 3u + causal;
// A block's candidates: the sums; then level (predictor 0) again, with the mean as its base instead of 0; then the other
// predictors.
const mean_candidate = sum_predictors;
override candidates: u32 = sum_predictors + 1u + causal_predictors * causal;
// 'A quotient of 15 or more is an escape'
const escape_quotient = 15u;
// The highest code is the raw group: 8 or 15.
override raw_code: u32 = bits - bits / 16u;

// Tiles of an unclipped group along x and y.
override tiles_x: u32 = group_x / lanes;
override tiles_y: u32 = group_y / 4u;

override row_words: u32 = brick_x / lanes;
override row_pitch: u32 = row_words;
// Padding between slices keeps the parts of neighbouring groups out of the same memory bank.
override slice_pitch: u32 = brick_y * row_words + 4u;
// 'no plane of a brick has more than 1034 words': 4096 bytes of raw groups, and a header of at most 312 bits.
const most_words = 1034u;
// Holds a brick's code, later its elements.
override memory_words: u32 = max(brick_z * slice_pitch, most_words + 2u);

struct Chunk {
  shape: vec3u,      // in elements
  first_word: u32,   // word of the chunk's origin in the box
  byte_offset: u32,  // where the payload starts
  byte_length: u32,
  first_brick: u32,
  form: u32,         // the parameter byte: 1 for a picture, plus 16 if predictors that are not sums are allowed
}

// A brick's largest size along each axis.
fn brick_shape(chunk: Chunk) -> vec3u {
  return select(vec3u(16u, 16u, 16u - 8u * wide), vec3u(64u, 64u - 32u * wide, 1u), (chunk.form & 1u) == 1u);
}

// The most words that the code of one plane of a brick can take: the raw elements, and a header of at most 312 bits. Twin:
// `roomWords` in src/core/codecs/rice/layout.ts.
fn room_words(chunk: Chunk) -> u32 {
  let extent = min(brick_shape(chunk), chunk.shape);
  return (extent.x * extent.y * extent.z * bits + 312u + 31u) / 32u;
}

// A brick's place in the box: x is the word of its origin; y holds its lengths less 1, 8 bits each, and its chunk's form from bit
// 24 on.
fn cut(chunk: Chunk, box: Box, brick: u32) -> vec2u {
  let shape = brick_shape(chunk);
  let bricks = (chunk.shape + shape - 1u) / shape;
  let origin = shape * vec3u(brick % bricks.x, (brick / bricks.x) % bricks.y, brick / (bricks.x * bricks.y));
  let last = min(shape, chunk.shape - origin) - 1u;
  return vec2u(
    chunk.first_word + origin.z * box.slice_words + origin.y * box.row_words + origin.x * element_bytes / 4u,
    last.x | (last.y << 8u) | (last.z << 16u) | (chunk.form << 24u));
}

// Whether this kernel is compiled for such bricks.
fn is_mine(cut: vec2u) -> bool {
  let is_whole = (cut.y & 0xffffffu) == ((brick_x - 1u) | ((brick_y - 1u) << 8u) | ((brick_z - 1u) << 16u));
  return cut.y >> 24u == picture + 16u * causal && is_whole == (clipped == 0u);
}

fn extent_of(cut: vec2u) -> vec3u { return ((vec3u(cut.y) >> vec3u(0u, 8u, 16u)) & vec3u(255u)) + 1u; }

// Blocks in a brick of this extent, along x and y.
fn blocks_in(extent: vec3u) -> vec2u { return (extent.xy + vec2u(block_x, block_y) - 1u) / vec2u(block_x, block_y); }

// What an invocation knows about its brick, group and part. Positions are in elements from the brick's origin.
struct Place {
  first_word: u32,  // word of the brick's origin in the box
  extent: vec3u,    // of the brick
  group: vec3u,     // origin of the group
  size: vec3u,      // of the group; 0 if it lies outside the chunk
  part: u32,        // number of the part within its group
  count: u32,       // elements in the part
  code_index: u32,  // number of the group among the groups inside the chunk
  group_count: u32, // how many groups lie inside the chunk
  blocks: vec2u,    // blocks inside the chunk, along x and y
  block: u32,       // number of the group's block among those
  in_block: vec2u,  // x and y of the group's origin, relative to the block's origin
}

fn place_of(cut: vec2u, thread: u32) -> Place {
  var place: Place;
  place.first_word = cut.x;
  let group_shape = vec3u(group_x, group_y, group_z);
  let group = thread / parts;
  let number = vec3u(group % groups_x, (group / groups_x) % groups_y, group / (groups_x * groups_y));
  place.group = number * group_shape;
  place.part = thread % parts;
  place.extent = vec3u(brick_x, brick_y, brick_z);
  place.size = group_shape;
  place.count = part_words * lanes;
  if (clipped == 1u) {
    place.extent = extent_of(cut);
    place.size = select(vec3u(0u), min(group_shape, place.extent - place.group), all(place.group < place.extent));
    place.count = 0u;
    for (var i = 0u; i < part_words; i++) { place.count += word_of(place, i).count; }
  }
  let groups = (place.extent + group_shape - 1u) / group_shape;
  place.code_index = number.x + groups.x * (number.y + groups.y * number.z);
  place.group_count = groups.x * groups.y * groups.z;
  place.blocks = blocks_in(place.extent);
  let block_shape = vec2u(block_x, block_y);
  let block = place.group.xy / block_shape;
  place.block = block.x + place.blocks.x * block.y;
  place.in_block = place.group.xy - block * block_shape;
  return place;
}

// One word of a part: the position of its first element in the brick, and its number of elements. Words go tile by tile.
struct Word { first: vec3u, count: u32 }

fn word_of(place: Place, index: u32) -> Word {
  let tile = (place.part * part_words + index) / 4u;
  let offset = vec3u((tile % tiles_x) * lanes, ((tile / tiles_x) % tiles_y) * 4u + index % 4u, tile / (tiles_x * tiles_y));
  var count = lanes;
  if (clipped == 1u) { count = select(min(lanes, place.size.x - offset.x), 0u, any(offset >= place.size)); }
  return Word(place.group + offset, count);
}

// Shares a brick's words evenly among the invocations. Word `i` of an invocation is whole slices after its first word, in a
// picture whole rows.
override step_z: u32 = threads / (row_words * brick_y);
override step_y: u32 = (threads / row_words) * (1u - min(step_z, 1u));

fn shared_word(thread: u32, i: u32) -> vec3u {
  var number = thread;
  if (step_z == 0u && brick_z > 1u) { number += i * threads; }
  let first = vec3u((number % row_words) * lanes, (number / row_words) % brick_y, number / (row_words * brick_y));
  if (step_z == 0u && brick_z > 1u) { return first; }
  return first + i * vec3u(0u, step_y, step_z);
}

// The position in its block of an element of the group. Blocks are as deep as bricks.
fn place_in_block(place: Place, element: vec3u) -> vec3u { return vec3u(place.in_block + element.xy - place.group.xy, element.z); }

// Whether this invocation's part holds its block's first element.
fn starts_block(place: Place) -> bool {
  return place.count > 0u && place.part == 0u && all(place.in_block == vec2u(0u)) && place.group.z == 0u;
}

// 'then zeros up to a whole word'
fn directory_words(entries: u32) -> u32 { return (entries + 1u) / 2u; }

// The first bit of a block's predictor and base. For the block after the last one: the first bit of the codes.
fn block_header(block: u32) -> u32 { return 8u + block * (predictor_bits + bits); }

// The word of workgroup memory that holds an element. x must be a multiple of `lanes`.
fn word_at(element: vec3u) -> u32 { return element.z * slice_pitch + element.y * row_words + element.x / lanes; }

// Whether an element lies in the brick.
fn is_inside(place: Place, element: vec3u) -> bool { return clipped == 0u || all(element < place.extent); }

// The lanes of the word at element x of a row that lie in the brick.
fn lanes_inside(place: Place, x: u32) -> u32 {
  if (clipped == 0u) { return 0xffffffffu; }
  return lanes_below(place.extent.x - x);
}

fn sum_of_lanes(word: u32) -> u32 {
  if (lanes == 4u) { return dot4U8Packed(word, ones); }
  return (word & 0xffffu) + (word >> 16u);
}
