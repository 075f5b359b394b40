// Writes each brick's parts into its chunk's payload. src/core/codecs/predict/SPEC.md, 'Payload'.
// Algorithm: measure.wgsl has chosen, and places.wgsl has found where each part of a unit starts. Sixteen neighbouring
// invocations write a group's words, which are contiguous.
// One invocation owns a quad of a group at a time, one workgroup a brick, plane by plane. Dispatch: one workgroup per brick,
// spread over x and y.
// Invariants:
// 1. `payloads` starts as zeros and no bit is written twice, so words that several invocations share do not depend on their
//    order.
// 2. Chunks without payload words are skipped.
// Twin: `encode` in src/core/codecs/predict/reference.ts.

import package::bricks::memory::wg_words;
import package::bricks::packed::{bits, element_mask, lanes_below, low_bits, picture, planes};
import package::predict::brick::{
  Quad, block_place, block_x, block_y, blocks_x, brick_z, flat_mark, medians, place_of, quad_of, quads_per_group, section_count,
  tail_bits, threads, word_at,
};
import package::predict::groups::{class_words, place_groups, starts, unit_part, wg_class_words, wg_groups};
import package::predict::load::{box, chunk_of_brick, chunks, load_brick, symbols_of};

// From measure.wgsl.
@group(0) @binding(6) var<storage, read> headers: array<u32>;
@group(0) @binding(7) var<storage, read> classes: array<u32>;
@group(0) @binding(8) var<storage, read_write> payloads: array<atomic<u32>>;

// Writes `width` bits, at most 32, starting `bit` bits after the start of word `word`. `value` must have no bits above them.
fn put(word: u32, bit: u32, value: u32, width: u32) {
  let at = word + bit / 32u;
  let shift = bit % 32u;
  atomicOr(&payloads[at], value << shift);
  if (shift + width > 32u) { atomicOr(&payloads[at + 1u], value >> (32u - shift)); }
}

// The low nibbles of four bytes, packed.
fn nibbles_of(bytes: u32) -> u32 {
  let pairs = (bytes & 0x000f000fu) | ((bytes & 0x0f000f00u) >> 4u);
  return (pairs & 0xffu) | (pairs >> 8u);
}

// A quad's heads as bytes, and its tails packed.
struct Split { heads: u32, tails: u32 }

fn split_quad(quad: Quad, predictor: u32, tail: u32) -> Split {
  let block_origin = (quad.at / vec3u(block_x, block_y, brick_z)) * vec3u(block_x, block_y, brick_z);
  let at = word_at(quad.at.x, quad.at.y, quad.at.z);
  let first = symbols_of(predictor, at, quad.at - block_origin) & lanes_below(quad.count);
  if (bits == 8u) { return Split(first, 0u); }
  var second = 0u;
  if (quad.count > 2u) {
    second = symbols_of(predictor, at + 1u, quad.at - block_origin + vec3u(2u, 0u, 0u)) & lanes_below(quad.count - 2u);
  }
  let symbols = vec4u(first & 0xffffu, first >> 16u, second & 0xffffu, second >> 16u);
  let heads = symbols >> vec4u(tail);
  let tails = symbols & vec4u(low_bits(tail));
  return Split(
    heads.x | (heads.y << 8u) | (heads.z << 16u) | (heads.w << 24u),
    tails.x | (tails.y << tail) | (tails.z << (2u * tail)) | (tails.w << (3u * tail)));
}

fn write_quad(quad: Quad, header: u32) {
  let group = wg_groups[quad.group];
  if (quad.count == 0u || group.x == 0u) { return; }
  let tail = tail_bits(group.x);
  let block = quad.at.xy / vec2u(block_x, block_y);
  let split = split_quad(quad, (header >> (4u * (block.x + blocks_x * block.y))) & 15u, tail);
  if (group.x == 1u) {
    put(group.y, 4u * quad.index, nibbles_of(split.heads), 4u * quad.count);
  } else if (quad.index % 4u == 0u && quad.count == 4u) {
    atomicStore(&payloads[group.y + quad.index / 4u], split.heads);
  } else {
    put(group.y, 8u * quad.index, split.heads, 8u * quad.count);
  }
  if (tail > 0u) { put(group.z, tail * quad.index, split.tails, tail * quad.count); }
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
  if (chunk.mode != picture + 16u * medians || chunk.payload_words == 0u) { return; }
  let place = place_of(chunk, box, brick - chunk.first_brick, thread);
  let first_start = (section_count + 3u) * chunk_number;

  for (var plane = 0u; plane < planes; plane++) {
    let unit = brick * planes + plane;
    let header = headers[unit];
    load_brick(place, plane, thread);
    if (thread < 8u) { wg_class_words[thread] = classes[8u * unit + thread]; }
    workgroupBarrier(); // the brick and its classes are in workgroup memory

    if (place.count > 0u && all(place.group.xy == place.block * vec2u(block_x, block_y)) && place.group.z == 0u) {
      let at = block_place(place, place.block, plane);
      let predictor = (header >> (4u * (place.block.x + blocks_x * place.block.y))) & 15u;
      let base = wg_words[word_at(place.group.x, place.group.y, place.group.z)] & element_mask;
      put(chunk.payload_word, 8u * at, predictor, 8u);
      put(chunk.payload_word + starts[first_start + 1u], bits * at, base, bits);
    }
    if ((header & 15u) != flat_mark) {
      let first_class = unit_part(chunk, chunk_number, unit, 0u);
      if (thread < class_words(place)) { atomicStore(&payloads[first_class + thread], wg_class_words[thread]); }
      place_groups(place, chunk, chunk_number, unit, thread);
      workgroupBarrier(); // the groups' places are stored
      for (var index = thread; index < threads * quads_per_group; index += threads) {
        write_quad(quad_of(place.extent, index), header);
      }
    }
    workgroupBarrier(); // the brick is read before the next plane overwrites it
  }
}
