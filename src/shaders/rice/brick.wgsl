// Bricks in workgroup memory: how they are cut, and arithmetic on packed elements. No entry point: kernels.ts puts it in
// front of the others. src/core/codecs/rice/SPEC.md, 'Bricks, blocks and groups'. Twin: src/core/codecs/rice/layout.ts.
//
// A word holds `lanes` elements side by side, the first in its low bits, and all of them are computed with at once. An
// element of 4 bytes is two planes of 2 bytes; each plane is a brick of its own in the payload, and workgroups do one
// after the other.

override element_bytes: u32 = 1u;
// 0: 'volume', 1: 'picture'. A kernel leaves chunks of the other geometry alone.
override picture: u32 = 0u;

override planes: u32 = 1u + element_bytes / 4u;
override plane_bytes: u32 = element_bytes - 2u * (element_bytes / 4u);
override bits: u32 = 8u * plane_bytes;
override lanes: u32 = 4u / plane_bytes;
override element_mask: u32 = 0xffffffffu >> (32u - bits);
// 1 in each lane, and the highest bit of each lane.
override ones: u32 = 0xffffffffu / element_mask;
override tops: u32 = ones << (bits - 1u);

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

// One invocation for each group of a brick.
const threads = 64u;
const predictors = 6u;
// 'A quotient of 15 or more is an escape.'
const escape_quotient = 15u;
// 'The highest code is the raw group: 8 or 15.'
override raw_code: u32 = bits - bits / 16u;

// Rows and slices of a brick stand apart in workgroup memory, so that lines along y and z do not meet in one bank.
override row_words: u32 = brick_x / lanes;
override row_pitch: u32 = row_words + 1u;
override slice_pitch: u32 = brick_y * row_pitch + 20u * plane_bytes - 16u;
// 5.4 KiB for volumes of bytes, 10.5 KiB for wider ones.
var<workgroup> wg_words: array<u32, brick_z * slice_pitch>;

struct Box { row_words: u32, slice_words: u32, brick_count: u32, chunk_count: u32 }

struct Chunk {
  shape: vec3u,      // in elements
  first_word: u32,   // word of the chunk's origin in the box
  byte_offset: u32,  // where the payload starts
  byte_length: u32,
  first_brick: u32,
  picture: u32,
}

// What one invocation knows of its brick and its group. Places are in elements, from the brick's origin on.
struct Place {
  first_word: u32,  // word of the brick's origin in the box
  extent: vec3u,    // of the brick
  group: vec3u,     // origin of the group
  size: vec3u,      // of the group; 0 where the chunk does not reach it
  count: u32,       // elements in the group
  code_index: u32,  // number of the group among those that the chunk reaches
  group_count: u32, // number of those
  blocks: vec2u,    // blocks that the chunk reaches, along x and y
  block: u32,       // number of the group's block among those
  in_block: vec2u,  // x and y of the group's origin, from the block's origin on
}

fn place_of(chunk: Chunk, box: Box, brick: u32, thread: u32) -> Place {
  let shape = vec3u(brick_x, brick_y, brick_z);
  let bricks = (chunk.shape + shape - 1u) / shape;
  let origin = shape * vec3u(brick % bricks.x, (brick / bricks.x) % bricks.y, brick / (bricks.x * bricks.y));
  var place: Place;
  place.first_word =
    chunk.first_word + origin.z * box.slice_words + origin.y * box.row_words + origin.x * element_bytes / 4u;
  place.extent = min(shape, chunk.shape - origin);
  let group_shape = vec3u(group_x, group_y, group_z);
  let groups = (place.extent + group_shape - 1u) / group_shape;
  let number = vec3u(thread % groups_x, (thread / groups_x) % groups_y, thread / (groups_x * groups_y));
  place.group = number * group_shape;
  place.size = vec3u(0u);
  if (all(number < groups)) { place.size = min(group_shape, place.extent - place.group); }
  place.count = place.size.x * place.size.y * place.size.z;
  place.code_index = number.x + groups.x * (number.y + groups.y * number.z);
  place.group_count = groups.x * groups.y * groups.z;
  let block_shape = vec2u(block_x, block_y);
  place.blocks = (place.extent.xy + block_shape - 1u) / block_shape;
  let block = place.group.xy / block_shape;
  place.block = block.x + place.blocks.x * block.y;
  place.in_block = place.group.xy - block * block_shape;
  return place;
}

// The bit where a block's predictor and base stand, from the brick's first on; and, behind the last block, the codes.
fn block_header(block: u32) -> u32 { return 8u + block * (3u + bits); }

// The word of wg_words that holds the element (x, y, z); x is a multiple of `lanes`.
fn word_at(x: u32, y: u32, z: u32) -> u32 { return z * slice_pitch + y * row_pitch + x / lanes; }

// Words from the brick's first to its last one that the chunk reaches, counted without the pitches' gaps.
fn words_to_visit(extent: vec3u) -> u32 { return row_words * ((extent.z - 1u) * brick_y + extent.y); }

// `width` bits from the lowest on; 32 at most.
fn low_bits(width: u32) -> u32 { return select(0u, 0xffffffffu >> (32u - width), width > 0u); }

// The lanes of a word that lie within the first `count` elements from it on.
fn lanes_below(count: u32) -> u32 { return low_bits(bits * min(count, lanes)); }

fn packed_add(a: u32, b: u32) -> u32 { return ((a & ~tops) + (b & ~tops)) ^ ((a ^ b) & tops); }
fn packed_subtract(a: u32, b: u32) -> u32 { return ((a | tops) - (b & ~tops)) ^ ((a ^ ~b) & tops); }

// 'Residuals 0, −1, 1, −2, 2 … are the symbols 0, 1, 2, 3, 4 …', and back.
fn packed_symbols(residuals: u32) -> u32 {
  return ((residuals & ~tops) << 1u) ^ (((residuals & tops) >> (bits - 1u)) * element_mask);
}
fn packed_residuals(symbols: u32) -> u32 { return ((symbols >> 1u) & ~tops) ^ ((symbols & ones) * element_mask); }
