// Loads an encoder's brick from the box into workgroup memory.

import package::bricks::packed::{Box, bits, element_bytes, element_mask, ones, packed_subtract, planes, tops};
import package::rice::brick::{
  Place, block_x, block_y, blocks, blocks_x, is_inside, lanes_inside, part_words, shared_word, step_y, step_z, sum_of_lanes,
};
import package::rice::tiles::{wg_words, word_place, word_with};

@group(0) @binding(0) var<uniform> box: Box;
// From cut.wgsl, one per brick.
@group(0) @binding(1) var<storage, read> places: array<vec4u>;
@group(0) @binding(2) var<storage, read> voxels: array<u32>;

// For each block of an unclipped brick: the sum of its elements' signed differences to the brick's first one, with 2^(w−1) added
// to each.
var<workgroup> wg_means: array<atomic<u32>, blocks>;

// The rounded mean of this invocation's block, from signed differences to the brick's first element. Twin: `meanOf` in
// src/core/codecs/rice/predictors.ts.
fn mean_of(place: Place) -> u32 {
  let number = place.group.xy / vec2u(block_x, block_y);
  let extent = min(vec2u(block_x, block_y), place.extent.xy - number * vec2u(block_x, block_y));
  let count = extent.x * extent.y * place.extent.z;
  let sum = atomicLoad(&wg_means[number.x + blocks_x * number.y]);
  return (word_with(vec3u(0u)) + (2u * sum + count) / (2u * count) - (1u << (bits - 1u))) & element_mask;
}

// Fills workgroup memory with one plane of the brick. Lanes past the chunk's edge become 0. A barrier must follow. Returns the
// bits in which this invocation's elements differ from the brick's first element.
fn load_brick(place: Place, plane: u32, thread: u32) -> u32 {
  let first_element = ((voxels[place.first_word] >> (16u * plane)) & element_mask) * ones;
  var differing = 0u;
  var sum = 0u;
  // The step from one word to the next is constant.
  let first_at = shared_word(thread, 0u);
  let first = place.first_word + first_at.z * box.slice_words + first_at.y * box.row_words + first_at.x * element_bytes / 4u;
  let step = step_z * box.slice_words + step_y * box.row_words;
  for (var i = 0u; i < part_words; i++) {
    let at = shared_word(thread, i);
    var word = 0u;
    if (is_inside(place, at)) {
      let there = lanes_inside(place, at.x);
      let source = first + i * step;
      if (planes == 2u) {
        word = (voxels[source] >> (16u * plane)) & 0xffffu;
        if (at.x + 1u < place.extent.x) { word |= (voxels[source + 1u] >> (16u * plane)) << 16u; }
      } else {
        word = voxels[source] & there;
      }
      let own_sum = sum_of_lanes((packed_subtract(word, first_element) ^ tops) & there);
      if (blocks == 1u) { sum += own_sum; } else { atomicAdd(&wg_means[at.x / block_x + blocks_x * (at.y / block_y)], own_sum); }
    }
    differing |= word ^ first_element;
    wg_words[word_place(at)] = word;
  }
  if (blocks == 1u) { atomicAdd(&wg_means[0], sum); }
  return differing;
}
