// Adds up the segments' counts of each chunk: its anchors, and the size of its payload for the CPU, which places it.
// src/core/codecs/parle/SPEC.md, 'Payload'. segment.wgsl stands in front of this text.
// Algorithm: Hillis-Steele over 256 sums of 8 segments, and again until the chunk's segments are through.
// One invocation owns 8 segments of each round, one workgroup a chunk. Dispatch: one workgroup a chunk, spread over x and y.
// Invariants:
// 1. Each chunk's segments and its size are written by its workgroup alone.
// Twin: `encode` in src/core/codecs/parle/reference.ts.

import package::parle::segment::{Batch, Chunk};

const scan_threads = 256u;
const each = 8u;

@group(0) @binding(0) var<uniform> batch: Batch;
@group(0) @binding(1) var<storage, read> chunks: array<Chunk>;
// For each segment: runs, and from bit 16 on words of marks.
@group(0) @binding(2) var<storage, read> counts: array<u32>;
// For each segment: runs and words of marks of its chunk up to its own end.
@group(0) @binding(3) var<storage, read_write> ends: array<vec2u>;
// For each chunk: all of its runs and words of marks.
@group(0) @binding(4) var<storage, read_write> sizes: array<vec2u>;

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
  // Where few invocations have segments, the sums of the others are never asked for.
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
      workgroupBarrier(); // the sums of the step before are there
      var left = vec2u(0u);
      if (thread >= distance) { left = wg_sums[thread - distance]; }
      workgroupBarrier(); // everyone has read before anyone writes
      wg_sums[thread] += left;
    }
    workgroupBarrier(); // the sums are whole
    var running = before + wg_sums[thread] - sum;
    for (var i = 0u; i < each; i++) {
      running += counted[i];
      if (own + i < end) { ends[own + i] = running; }
    }
    before += wg_sums[last];
    workgroupBarrier(); // everyone has read the sum before the next round writes
  }
  if (thread == 0u) { sizes[number] = before; }
}
