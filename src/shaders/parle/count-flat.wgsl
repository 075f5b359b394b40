// Counts each segment's runs and the words of its marks, and keeps the run starts for write-flat.wgsl. For elements of whole
// words that are contiguous in scan order. src/core/codecs/parle/SPEC.md, 'Marks'.
// Algorithm: 64 invocations share a segment. Each takes every 64th quad of four elements and packs the starts of its eight quads
// into one word, without waiting for others. These words stay in workgroup memory for several segments. Then 16 invocations per
// segment reorder the bits into element order, store them, and count them.
// One workgroup owns `per_workgroup` segments of 2048 elements; half of its invocations share each segment.
// Dispatch: one workgroup for each `per_workgroup` segments, spread over x and y.
// Invariants:
// 1. One workgroup writes each segment's words of `counts` and `kept`.
// Twin: `encode` in src/core/codecs/parle/reference.ts.

import package::parle::segment::{Batch, most_segments, segment_elements, threads};
import package::parle::tally::{chunk_of_segment, chunks, counters, store_counts};

@group(0) @binding(0) var<uniform> batch: Batch;
@group(0) @binding(3) var<storage, read> voxels: array<u32>;
// `voxels`, four words at a time.
@group(0) @binding(4) var<storage, read> quads: array<vec4u>;
// 64 words per segment: one bit per run start.
@group(0) @binding(6) var<storage, read_write> kept: array<vec4u>;

// The invocations that share a segment, eight quads each.
const packers = 64u;
const quads_packed = 8u;
const first_of_chunk = 0x10000u;

// For each segment: the word of its first element, and its number of elements, with `first_of_chunk` if they are the chunk's
// first.
var<workgroup> wg_segments: array<vec2u, most_segments>;
// Packed starts, segment after segment. A gap after each 32 words keeps words that are read together in different banks.
var<workgroup> wg_packed: array<u32, most_segments * (packers + 2u)>;

fn place_of(segment: u32) -> vec2u {
  let chunk = chunks[chunk_of_segment[segment]];
  let first = (segment - chunk.first_segment) * segment_elements;
  let count = min(segment_elements, chunk.count - first);
  return vec2u(chunk.first_word + first, select(count, count | first_of_chunk, first == 0u));
}

// One bit for each of the four elements that differs from the one before.
fn changes_of(quad: vec4u, before: u32) -> u32 {
  let bits = select(vec4u(0u), vec4u(1u, 2u, 4u, 8u), quad != vec4u(before, quad.xyz));
  return bits.x | bits.y | bits.z | bits.w;
}

// The starts of an invocation's quads, four bits each.
fn pack_starts(place: vec2u, packer: u32) -> u32 {
  var packed = 0u;
  if (place.y % first_of_chunk == segment_elements && place.x % 4u == 0u) {
    for (var k = 0u; k < quads_packed; k++) {
      let quad = place.x / 4u + k * packers + packer;
      // The value before the box's first element does not matter: that element starts a run.
      packed |= changes_of(quads[quad], voxels[max(4u * quad, 1u) - 1u]) << (4u * k);
    }
  } else {
    for (var bit = 0u; bit < 32u; bit++) {
      let at = 4u * (bit / 4u * packers + packer) + bit % 4u;
      if (at >= place.y % first_of_chunk) { break; }
      let word = place.x + at;
      packed |= select(0u, 1u << bit, voxels[word] != voxels[max(word, 1u) - 1u]);
    }
  }
  return packed | u32(packer == 0u && place.y >= first_of_chunk);
}

@compute @workgroup_size(threads)
fn main(
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
) {
  let first = (workgroup.x + workgroup.y * workgroups.x) * batch.per_workgroup;
  let end = min(first + batch.per_workgroup, batch.segment_count);
  if (thread < most_segments && first + thread < end) { wg_segments[thread] = place_of(first + thread); }
  workgroupBarrier(); // the places are stored
  let packer = thread % packers;
  for (var index = thread / packers; first + index < end; index += threads / packers) {
    wg_packed[index * (packers + 2u) + packer + packer / 32u] = pack_starts(wg_segments[index], packer);
  }
  workgroupBarrier(); // the packed starts are stored

  // Words 4 × counter to 4 × counter + 3 of a segment are made of four bits from each of 32 packers.
  let index = thread / counters;
  let counter = thread % counters;
  let source = index * (packers + 2u) + counter % 2u * 33u;
  let shift = counter / 2u * 4u;
  var words: vec4u;
  for (var i = 0u; i < 4u; i++) {
    var word = 0u;
    for (var j = 0u; j < 8u; j++) { word |= ((wg_packed[source + 8u * i + j] >> shift) & 15u) << (4u * j); }
    words[i] = word;
  }
  if (first + index < end) { kept[(first + index) * counters + counter] = words; }
  store_counts(words, thread, first, end);
}
