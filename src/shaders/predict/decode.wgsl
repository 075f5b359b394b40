// Writes each brick's elements into a box. src/core/codecs/predict/SPEC.md, 'Decoding'.
// Algorithm: places.wgsl finds where each part of a unit starts. Sixteen neighbouring invocations read a group's heads, which are
// contiguous. Then the predictors' sums run over packed words.
// One invocation owns a quad of a group, then lines, then words. One workgroup owns a brick, plane by plane.
// Dispatch: one workgroup per brick, spread over x and y.
// Invariants:
// 1. Each word of `voxels` belongs to one brick, because bricks start at whole words, and one invocation writes it. Of an element
//    of 4 bytes it writes first the low half, then the high half.
// 2. Bytes past the chunk's end in a row's last word keep their values.
// 3. The brick's size bounds every loop, so damage only gives wrong voxels.
// Twin: `decodeBrick` in src/core/codecs/predict/brick.ts.

import package::bricks::memory::wg_words;
import package::bricks::packed::{Box, bits, element_mask, lanes, lanes_below, low_bits, ones, packed_residuals, picture, planes};
import package::bricks::sums::{sum_block, sum_of};
import package::faults::faults::{checks, raise};
import package::predict::brick::{
  Chunk, Place, Quad, block_place, block_x, block_y, blocks, blocks_x, brick_y, first_block_place, flat_mark, head_bits,
  median_predictor, medians, origin_of, place_of, quad_of, quads_per_group, row_words, section_count, tail_bits, threads,
  word_at, words_to_visit,
};
import package::predict::groups::{class_words, place_groups, starts, unit_part, wg_class_words, wg_groups};
import package::predict::medians::{median_step, wave_steps};

@group(0) @binding(0) var<uniform> box: Box;
@group(0) @binding(1) var<storage, read> chunks: array<Chunk>;
// The number of each brick's chunk: `brick_count` words.
@group(0) @binding(2) var<storage, read> chunk_of_brick: array<u32>;
@group(0) @binding(3) var<storage, read> payloads: array<u32>;
@group(0) @binding(6) var<storage, read_write> voxels: array<u32>;

// `width` bits, at most 32, starting `bit` bits after the start of word `word`.
fn bits_at(word: u32, bit: u32, width: u32) -> u32 {
  let at = word + bit / 32u;
  let shift = bit % 32u;
  var window = payloads[at] >> shift;
  if (shift + width > 32u) { window |= payloads[at + 1u] << (32u - shift); }
  return window & low_bits(width);
}

// Spreads four nibbles into the low nibbles of four bytes.
fn bytes_of(nibbles: u32) -> u32 {
  let pairs = (nibbles & 0xffu) | ((nibbles & 0xff00u) << 8u);
  return (pairs & 0x000f000fu) | ((pairs & 0x00f000f0u) << 4u);
}

// 'zero bits up to a whole word': whether any bit is set after the first `used` bits of a part that starts at a word.
fn padding_fails(start: u32, used: u32) -> bool {
  return used % 32u != 0u && payloads[start + used / 32u] >> (used % 32u) != 0u;
}

// Whether any bit is set after a group's heads or tails. `count`: the group's elements.
fn group_fails(group: vec3u, count: u32) -> bool {
  if (group.x == 0u) { return false; }
  return padding_fails(group.y, count * head_bits(group.x)) || padding_fails(group.z, count * tail_bits(group.x));
}

// Stores the quad's residuals in wg_words. A block's first element becomes its base. `bases`: the first word of the bases.
fn expand_quad(place: Place, quad: Quad, bases: u32, plane: u32, chunk_number: u32) {
  if (quad.count == 0u) { return; }
  let group = wg_groups[quad.group];
  var heads = 0u;
  var tails = 0u;
  let tail = tail_bits(group.x);
  if (group.x == 1u) {
    heads = bytes_of(bits_at(group.y, 4u * quad.index, 4u * quad.count));
  } else if (group.x > 1u) {
    heads = bits_at(group.y, 8u * quad.index, 8u * quad.count);
    if (tail > 0u) { tails = bits_at(group.z, tail * quad.index, tail * quad.count); }
  }
  let block_shape = vec2u(block_x, block_y);
  let block = quad.at.xy / block_shape;
  let is_first = all(quad.at.xy == block * block_shape) && quad.at.z == 0u;
  let at = word_at(quad.at.x, quad.at.y, quad.at.z);
  var first = heads;
  if (bits == 16u) {
    let mask = low_bits(tail);
    let four_heads = (vec4u(heads) >> vec4u(0u, 8u, 16u, 24u)) & vec4u(0xffu);
    let four_tails = (vec4u(tails) >> (vec4u(0u, 1u, 2u, 3u) * tail)) & vec4u(mask);
    let symbols = (four_heads << vec4u(tail)) | four_tails;
    first = symbols.x | (symbols.y << 16u);
    wg_words[at + 1u] = packed_residuals(symbols.z | (symbols.w << 16u));
  }
  first = packed_residuals(first);
  if (is_first) {
    // 'each block's first symbol is 0'
    raise(chunk_number, (first & element_mask) != 0u);
    first = (first & ~element_mask) | bits_at(bases, bits * block_place(place, block, plane), bits);
  }
  wg_words[at] = first;
}

// Copies one plane of the brick into the box.
fn store_brick(place: Place, plane: u32, thread: u32) {
  let extent = place.extent;
  for (var index = thread; index < words_to_visit(extent); index += threads) {
    let x = (index % row_words) * lanes;
    let y = (index / row_words) % brick_y;
    let z = index / (row_words * brick_y);
    if (x >= extent.x || y >= extent.y || z >= extent.z) { continue; }
    let word = wg_words[word_at(x, y, z)];
    let row = place.first_word + z * box.slice_words + y * box.row_words;
    if (planes == 2u) {
      for (var lane = 0u; lane < min(2u, extent.x - x); lane++) {
        let half = (word >> (16u * lane)) & 0xffffu;
        let at = row + x + lane;
        if (plane == 0u) { voxels[at] = half; } else { voxels[at] |= half << 16u; }
      }
    } else {
      let at = row + x / lanes;
      let valid = lanes_below(extent.x - x);
      if (valid == 0xffffffffu) { voxels[at] = word; } else { voxels[at] = (voxels[at] & ~valid) | (word & valid); }
    }
  }
}

// Fills a flat brick with its blocks' bases.
fn fill_brick(place: Place, bases: u32, plane: u32, thread: u32) {
  let extent = place.extent;
  for (var index = thread; index < words_to_visit(extent); index += threads) {
    let x = (index % row_words) * lanes;
    let y = (index / row_words) % brick_y;
    if (x < extent.x && y < extent.y) {
      let at = block_place(place, vec2u(x, y) / vec2u(block_x, block_y), plane);
      wg_words[word_at(x, y, index / (row_words * brick_y))] = bits_at(bases, bits * at, bits) * ones;
    }
  }
}

// Whether any block of the brick uses medians. Uniform across the workgroup.
fn has_medians(chunk: Chunk, brick: u32, plane: u32) -> bool {
  if (medians == 0u) { return false; }
  let chunk_blocks = (chunk.shape.xy + vec2u(block_x, block_y) - 1u) / vec2u(block_x, block_y);
  let first = origin_of(chunk, brick).xy / vec2u(block_x, block_y);
  let first_place = first_block_place(chunk, brick, plane);
  var has = false;
  for (var block = 0u; block < blocks; block++) {
    let at = vec2u(block % blocks_x, block / blocks_x);
    if (all(first + at < chunk_blocks)) {
      let place = first_place + (at.x + chunk_blocks.x * at.y) * planes;
      has = has || bits_at(chunk.payload_word, 8u * place, 8u) == median_predictor;
    }
  }
  return has;
}

@compute @workgroup_size(threads)
fn main(
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
) {
  let brick = workgroup.x + workgroup.y * workgroups.x;
  if (brick >= box.brick_count) { return; }
  let chunk_number = chunk_of_brick[brick];
  let chunk = chunks[chunk_number];
  if (chunk.mode != picture + 16u * medians) { return; }
  let place = place_of(chunk, box, brick - chunk.first_brick, thread);
  let first_start = (section_count + 3u) * chunk_number;
  let bases = chunk.payload_word + starts[first_start + 1u];

  for (var plane = 0u; plane < planes; plane++) {
    let unit = brick * planes + plane;
    let first_block = first_block_place(chunk, brick - chunk.first_brick, plane);
    if (bits_at(chunk.payload_word, 8u * first_block, 8u) == flat_mark) {
      fill_brick(place, bases, plane, thread);
    } else {
      let first_class = unit_part(chunk, chunk_number, unit, 0u);
      if (thread < class_words(place)) { wg_class_words[thread] = payloads[first_class + thread]; }
      workgroupBarrier(); // the classes are stored
      place_groups(place, chunk, chunk_number, unit, thread);
      if (checks) { raise(chunk_number, group_fails(wg_groups[thread], place.count)); }
      workgroupBarrier(); // the groups' places are stored
      for (var index = thread; index < threads * quads_per_group; index += threads) {
        expand_quad(place, quad_of(place.extent, index), bases, plane, chunk_number);
      }
      workgroupBarrier(); // all residuals are stored

      // The invocations are divided evenly among the blocks of an unclipped brick.
      let width = threads / blocks;
      let block = vec2u((thread / width) % blocks_x, thread / width / blocks_x);
      let is_there = all(block < place.blocks);
      let first = block * vec2u(block_x, block_y);
      let extent = vec3u(min(vec2u(block_x, block_y), place.extent.xy - first), place.extent.z);
      var predictor = 0u;
      if (is_there) { predictor = bits_at(chunk.payload_word, 8u * block_place(place, block, plane), 8u); }
      let origin = word_at(first.x, first.y, 0u);
      for (var step = 0u; step < 3u; step++) {
        if (is_there) { sum_block(sum_of(predictor, step), origin, extent, thread % width, width); }
        workgroupBarrier(); // this sum is complete
      }
      if (has_medians(chunk, brick - chunk.first_brick, plane)) {
        for (var step = 0u; step < wave_steps; step++) {
          if (is_there && predictor == median_predictor) { median_step(step, origin, extent, thread % width, width); }
          workgroupBarrier(); // this step's elements are stored
        }
      }
    }
    workgroupBarrier(); // all elements are stored
    store_brick(place, plane, thread);
    workgroupBarrier(); // the brick is stored before the next plane overwrites it
  }
}
