// How chunks are cut into bricks, and where their bits lie. src/core/codecs/labels/SPEC.md, 'Bricks' and 'Payload'. Twin:
// src/core/codecs/labels/layout.ts.

override element_bytes: u32 = 1u;

override lanes: u32 = 4u / element_bytes;
override element_bits: u32 = 8u * element_bytes;

const brick_edge = 16u;

const kind_as_before = 0u;
const kind_one_label = 1u;
const kind_coded = 2u;
const kind_raw = 3u;

struct Box { row_words: u32, slice_words: u32, brick_count: u32, chunk_count: u32 }

struct Chunk {
  shape: vec3u,      // in elements
  first_word: u32,   // word of the chunk's origin in the box
  byte_offset: u32,  // where the payload starts
  byte_length: u32,  // 0 in an encoder: the chunk is not written
  first_brick: u32,
  first_slot: u32,   // word where the chunk's slots start
}

struct Place {
  first_word: u32, // word of the brick's origin in the box
  extent: vec3u,
  slot: u32,       // word where an encoder's slot starts; a slot is as long as the brick in the box
}

fn place_of(chunk: Chunk, box: Box, brick: u32) -> Place {
  let bricks = (chunk.shape + brick_edge - 1u) / brick_edge;
  let origin = brick_edge * vec3u(brick % bricks.x, (brick / bricks.x) % bricks.y, brick / (bricks.x * bricks.y));
  var place: Place;
  place.first_word =
    chunk.first_word + origin.z * box.slice_words + origin.y * box.row_words + origin.x * element_bytes / 4u;
  place.extent = min(vec3u(brick_edge), chunk.shape - origin);
  // Slots are in the order of bricks: after the layers below, the rows of bricks before, and the bricks to the left.
  let row_words = (chunk.shape.x * element_bytes + 3u) / 4u;
  let rows_before = origin.z * chunk.shape.y + place.extent.z * origin.y;
  place.slot = chunk.first_slot + rows_before * row_words +
    place.extent.z * place.extent.y * (origin.x * element_bytes / 4u);
  return place;
}

// The lowest `width` bits; at most 32.
fn low_bits(width: u32) -> u32 { return select(0u, 0xffffffffu >> (32u - width), width > 0u); }

// Where the sections of the directory start, in bits from the payload's start: one byte for the width of lengths; two bits per
// brick for its kind; the length of each coded brick.
fn kind_bit(brick: u32) -> u32 { return 8u + 2u * brick; }
fn first_length_bit(bricks: u32) -> u32 { return 8u + 8u * ((bricks + 3u) / 4u); }
fn directory_bytes(bricks: u32, coded_bricks: u32, length_bits: u32) -> u32 {
  return first_length_bit(bricks) / 8u + (coded_bricks * length_bits + 7u) / 8u;
}
