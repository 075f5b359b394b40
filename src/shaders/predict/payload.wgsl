// How places.wgsl finds units in a decoder: from the payloads. records.wgsl is its counterpart for encoders.

import package::bricks::packed::{plane_bytes, planes};
import package::faults::faults::checks;
import package::predict::brick::{
  Chunk, block_x, block_y, blocks, blocks_x, brick_z, first_block_place, fixed_words, flat_mark, median_predictor, origin_of,
};

@group(0) @binding(4) var<storage, read> payloads: array<u32>;

fn predictor_at(chunk: Chunk, place: u32) -> u32 {
  return (payloads[chunk.payload_word + place / 4u] >> (8u * (place % 4u))) & 0xffu;
}

// 'no predictor is above 7, or above 8 where the parameters allow it, except 15 in all blocks of a unit'
fn predictors_fail(chunk: Chunk, brick: u32, plane: u32) -> bool {
  if (!checks) { return false; }
  let chunk_blocks = (chunk.shape.xy + vec2u(block_x, block_y) - 1u) / vec2u(block_x, block_y);
  let first = origin_of(chunk, brick).xy / vec2u(block_x, block_y);
  let first_place = first_block_place(chunk, brick, plane);
  let is_flat = predictor_at(chunk, first_place) == flat_mark;
  // One kernel places chunks of both modes, so the chunk's own mode counts, not `medians`.
  let end = median_predictor + chunk.mode / 16u;
  var fails = false;
  for (var block = 0u; block < blocks; block++) {
    let at = vec2u(block % blocks_x, block / blocks_x);
    if (any(first + at >= chunk_blocks)) { continue; }
    let predictor = predictor_at(chunk, first_place + (at.x + chunk_blocks.x * at.y) * planes);
    fails = fails || (predictor == flat_mark) != is_flat || (!is_flat && predictor >= end);
  }
  return fails;
}

// The payload must be as long as its sections, and the last words of predictors and of bases must be padded with 0. `end`: in
// words.
fn ends_wrong(chunk: Chunk, end: u32) -> bool {
  if (!checks) { return false; }
  if (end != chunk.payload_words) { return true; }
  let block_shape = vec3u(block_x, block_y, brick_z);
  let counts = (chunk.shape + block_shape - 1u) / block_shape;
  let predictors = counts.x * counts.y * counts.z * planes;
  let fixed = fixed_words(chunk);
  return is_filled_wrong(chunk.payload_word, predictors)
    || is_filled_wrong(chunk.payload_word + fixed.x, predictors * plane_bytes);
}

// Whether a bit is set after the last of `bytes` bytes in its word. `word`: where the bytes start.
fn is_filled_wrong(word: u32, bytes: u32) -> bool {
  return bytes % 4u != 0u && payloads[word + bytes / 4u] >> (8u * (bytes % 4u)) != 0u;
}

// `place`: the index of its first block's predictor.
fn is_unit_flat(chunk: Chunk, place: u32, unit: u32) -> bool {
  return predictor_at(chunk, place) == flat_mark;
}

// One word of a unit's classes. `at`: the first word of the unit's classes in the section.
fn class_word(chunk: Chunk, at: u32, unit: u32, word: u32) -> u32 {
  let fixed = fixed_words(chunk);
  return payloads[chunk.payload_word + fixed.x + fixed.y + at + word];
}
