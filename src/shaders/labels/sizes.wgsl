// Adds up the size of each chunk's payload from its bricks' scanned sizes. The CPU reads it and places the payloads.
// src/core/codecs/labels/SPEC.md, 'Payload'.
// One invocation owns one chunk. Dispatch: one workgroup for each 64 chunks, spread over x and y.
// Invariants:
// 1. `offsets` and `coded` are exclusive scans over what kinds.wgsl wrote plus one word, so each ends with its total.
// Twin: `joined` in src/core/codecs/labels/reference.ts.

import package::labels::brick::{Box, Chunk, directory_bytes};

@group(0) @binding(0) var<uniform> box: Box;
@group(0) @binding(1) var<storage, read> chunks: array<Chunk>;
@group(0) @binding(2) var<storage, read> offsets: array<u32>;
@group(0) @binding(3) var<storage, read> coded: array<u32>;
@group(0) @binding(4) var<storage, read> longest: array<u32>;
// The bytes of each chunk's payload, including the directory.
@group(0) @binding(5) var<storage, read_write> lengths: array<u32>;

@compute @workgroup_size(64)
fn main(
  @builtin(local_invocation_index) local: u32,
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
) {
  let number = (workgroup.x + workgroup.y * workgroups.x) * 64u + local;
  if (number >= box.chunk_count) { return; }
  let first = chunks[number].first_brick;
  var end = box.brick_count;
  if (number + 1u < box.chunk_count) { end = chunks[number + 1u].first_brick; }
  let length_bits = 32u - countLeadingZeros(longest[number]);
  lengths[number] = directory_bytes(end - first, coded[end] - coded[first], length_bits) + offsets[end] - offsets[first];
}
