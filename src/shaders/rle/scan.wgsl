// Finds where each tile's bytes go in its chunk's payload, and the lengths of the payload's sections.
// src/core/codecs/rle/SPEC.md, 'Payload'.
// Algorithm: scans the counts of the chunk's tiles (Hillis-Steele, 64 tiles at a time).
// One invocation owns every 64th tile, one workgroup a chunk. Dispatch: one workgroup per chunk, spread over x and y.
// Invariants:
// 1. An invocation reads only those `counts` that it replaces itself.
// Twin: `encode` in src/core/codecs/rle/reference.ts.

import package::rle::order::{Box, Chunk, element_bytes, no_runs, threads, tile_elements};

@group(0) @binding(0) var<uniform> box: Box;
@group(0) @binding(1) var<storage, read> chunks: array<Chunk>;
// For each tile: first measure.wgsl's counts; then the sums over the chunk's earlier tiles, or `no_runs` if no run starts in the
// tile.
@group(0) @binding(2) var<storage, read_write> counts: array<vec4u>;
// For each chunk: the bytes of its levels 3, 2, 1 and 0, and of its values.
@group(0) @binding(3) var<storage, read_write> lengths: array<u32>;

var<workgroup> wg_sums: array<vec4u, threads>;

@compute @workgroup_size(threads)
fn main(
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
) {
  let number = workgroup.x + workgroup.y * workgroups.x;
  if (number >= box.chunk_count) { return; }
  let first_tile = chunks[number].first_tile;
  let tiles = (chunks[number].count + tile_elements - 1u) / tile_elements;
  let last = min(threads, tiles) - 1u;
  var before = vec4u(0u);
  for (var first = 0u; first < tiles; first += threads) {
    let tile = first + thread;
    var count = vec4u(0u);
    if (tile < tiles) { count = counts[first_tile + tile]; }
    wg_sums[thread] = count;
    for (var distance = 1u; distance <= last; distance *= 2u) {
      workgroupBarrier(); // the previous step's sums are stored
      var sum = vec4u(0u);
      if (thread >= distance) { sum = wg_sums[thread - distance]; }
      workgroupBarrier(); // everyone has read before anyone writes
      wg_sums[thread] += sum;
    }
    workgroupBarrier(); // the sums are complete
    if (tile < tiles) {
      counts[first_tile + tile] = select(before + wg_sums[thread] - count, vec4u(no_runs), count.w == 0u);
    }
    before += wg_sums[last]; // invocations without a tile count 0
    workgroupBarrier(); // everyone has read the sum before the next round writes
  }
  if (thread == 0u) {
    let first = 5u * number;
    lengths[first] = tiles;
    lengths[first + 1u] = before.x;
    lengths[first + 2u] = before.y;
    lengths[first + 3u] = before.z;
    lengths[first + 4u] = before.w * element_bytes;
  }
}
