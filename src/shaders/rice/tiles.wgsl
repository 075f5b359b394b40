// An encoder's workgroup memory: a brick's elements and its code.
// Elements are stored in tiles of 4 rows of one word each. Each block has its own tiles, plus a column to the left, a row above
// and, in volumes, a slice behind that stay 0: missing neighbours count as 0.

import package::bricks::packed::{lanes, picture};
import package::rice::brick::{block_x, block_y, blocks, blocks_x, brick_z, wide};

override block_columns: u32 = block_x / lanes;
override behind: u32 = 1u - picture;
override tile_row: u32 = block_columns + 1u;
// One more in volumes of 1 byte: it keeps the parts of neighbouring groups out of the same memory bank.
override tile_slice: u32 = tile_row * (block_y / 4u + 1u) + behind * (1u - wide);
override block_tiles: u32 = tile_slice * (brick_z + behind);
override tile_count: u32 = blocks * block_tiles;
// By words, not by vectors: invocations write the rows of a tile, and a write of a vector's component may write the whole vector
// (WGSL says so of references to components), as it does on Metal and Direct3D.
override tile_words: u32 = 4u * tile_count;
var<workgroup> wg_words: array<u32, tile_words>;

// The longest code: 4096 bytes of raw groups, and a header of at most 312 bits.
const code_words = 1036u;
var<workgroup> wg_code: array<atomic<u32>, code_words>;

// The tile that holds an element of the brick.
fn tile_of(element: vec3u) -> u32 {
  var block = 0u;
  var in_block = element.xy;
  if (blocks > 1u) {
    let block_shape = vec2u(block_x, block_y);
    block = element.x / block_x + blocks_x * (element.y / block_y);
    in_block = element.xy % block_shape;
  }
  return block * block_tiles + (element.z + behind) * tile_slice + (in_block.y / 4u + 1u) * tile_row + in_block.x / lanes + 1u;
}

// The four rows of a tile.
fn tile_at(tile: u32) -> vec4u {
  let at = 4u * tile;
  return vec4u(wg_words[at], wg_words[at + 1u], wg_words[at + 2u], wg_words[at + 3u]);
}

fn last_row(tile: u32) -> u32 { return wg_words[4u * tile + 3u]; }

// The place of the word that holds an element of the brick.
fn word_place(element: vec3u) -> u32 { return 4u * tile_of(element) + element.y % 4u; }

fn word_with(element: vec3u) -> u32 { return wg_words[word_place(element)]; }
