// Adds up the segments' counts of each chunk: its anchors, and the lengths of its payload's parts.
// src/core/codecs/parle/SPEC.md, 'Payload'.
// Algorithm: Hillis-Steele over 256 sums of 8 segments, repeated until all segments of the chunk are done.
// One invocation owns 8 segments of each round, one workgroup a chunk. Dispatch: one workgroup per chunk, spread over x and y.
// Invariants:
// 1. One workgroup writes a chunk's segments and its lengths.
// Twin: `encode` in src/core/codecs/parle/reference.ts.

import package::parle::segment::{Batch, Chunk, element_bytes};

const scan_threads = 256u;
const each = 8u;

@group(0) @binding(0) var<uniform> batch: Batch;
@group(0) @binding(1) var<storage, read> chunks: array<Chunk>;
// For each segment: its runs and, from bit 16 on, its words of marks.
@group(0) @binding(2) var<storage, read> counts: array<u32>;
// For each segment: the runs and words of marks of its chunk up to the segment's end.
@group(0) @binding(3) var<storage, read_write> ends: array<vec2u>;
// For each chunk, the bytes of its anchors, values and marks.
@group(0) @binding(4) var<storage, read_write> lengths: array<u32>;

var<workgroup> wg_sums: array<vec2u, scan_threads>;

fn count_of(segment: u32, end: u32) -> vec2u {
  if (segment >= end) { return vec2u(0u); }
  return vec2u(counts[segment] & 0xffffu, counts[segment] >> 16u);
}

@compute @workgroup_size(scan_threads)
fn main(
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
) {
  let number = workgroup.x + workgroup.y * workgroups.x;
  if (number >= batch.chunk_count) { return; }
  let chunk = chunks[number];
  let end = chunk.first_segment + chunk.segments;
  var before = vec2u(0u);
  // If few invocations have segments, the sums of the others are never read.
  let last = min(scan_threads, (chunk.segments + each - 1u) / each) - 1u;
  for (var first = chunk.first_segment; first < end; first += scan_threads * each) {
    let own = first + thread * each;
    var counted: array<vec2u, each>;
    var sum = vec2u(0u);
    for (var i = 0u; i < each; i++) {
      counted[i] = count_of(own + i, end);
      sum += counted[i];
    }
    wg_sums[thread] = sum;
    for (var distance = 1u; distance <= last; distance *= 2u) {
      workgroupBarrier(); // the previous step's sums are stored
      var left = vec2u(0u);
      if (thread >= distance) { left = wg_sums[thread - distance]; }
      workgroupBarrier(); // everyone has read before anyone writes
      wg_sums[thread] += left;
    }
    workgroupBarrier(); // the sums are complete
    var running = before + wg_sums[thread] - sum;
    for (var i = 0u; i < each; i++) {
      running += counted[i];
      if (own + i < end) { ends[own + i] = running; }
    }
    before += wg_sums[last];
    workgroupBarrier(); // everyone has read the sum before the next round writes
  }
  if (thread > 0u) { return; }
  lengths[3u * number] = 8u * chunk.segments;
  lengths[3u * number + 1u] = (before.x * element_bytes + 3u) & ~3u;
  lengths[3u * number + 2u] = 4u * before.y;
}
