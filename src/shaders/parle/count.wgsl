// Counts each segment's runs and the words of its marks. src/core/codecs/parle/SPEC.md, 'Marks'.
// Algorithm: collects the run starts of several segments as bits in workgroup memory, then counts them.
// One invocation owns every 128th quad, one workgroup `per_workgroup` segments of 2048 elements.
// Dispatch: one workgroup for each `per_workgroup` segments, spread over x and y.
// Invariants:
// 1. One workgroup writes each segment's word of `counts`.
// Twin: `encode` in src/core/codecs/parle/reference.ts.

import package::parle::segment::{Batch, bit_words, most_segments, threads, walk_of};
import package::parle::starts::{load_own, per_quad, quads_each, starts_of};
import package::parle::tally::{chunk_of_segment, chunks, store_counts};

@group(0) @binding(0) var<uniform> batch: Batch;

// One bit per run start, segment after segment.
var<workgroup> wg_bits: array<atomic<u32>, most_segments * bit_words>;

fn put_bits(index: u32, segment: u32, thread: u32) {
  let chunk = chunks[chunk_of_segment[segment]];
  let walk = walk_of(chunk, segment - chunk.first_segment);
  let own = load_own(chunk, walk, thread);
  for (var k = 0u; k < quads_each; k++) {
    let at = (k * threads + thread) * per_quad;
    let bits = starts_of(own, k, walk, thread);
    if (bits != 0u) { atomicOr(&wg_bits[index * bit_words + at / 32u], bits << (at % 32u)); }
  }
}

@compute @workgroup_size(threads)
fn main(
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
) {
  let first = (workgroup.x + workgroup.y * workgroups.x) * batch.per_workgroup;
  let end = min(first + batch.per_workgroup, batch.segment_count);
  for (var segment = first; segment < end; segment++) { put_bits(segment - first, segment, thread); }
  workgroupBarrier(); // the bits are set

  var words: vec4u;
  for (var i = 0u; i < 4u; i++) { words[i] = atomicLoad(&wg_bits[4u * thread + i]); }
  store_counts(words, thread, first, end);
}
