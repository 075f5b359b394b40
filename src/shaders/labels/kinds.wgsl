// Finds bricks that equal the one before, and the number of bytes that each brick takes in its payload.
// src/core/codecs/labels/SPEC.md, 'Payload'.
// One invocation owns one brick. Dispatch: one workgroup for each 64 bricks, spread over x and y.
// Invariants:
// 1. Of another brick's record only the first element is read, which no invocation writes.
// 2. Atomics only compute maxima of lengths, so their order does not matter.
// Twin: `encode` in src/core/codecs/labels/reference.ts.

import package::labels::brick::{Box, Chunk, kind_as_before, kind_coded, kind_one_label};

@group(0) @binding(0) var<uniform> box: Box;
@group(0) @binding(1) var<storage, read> chunks: array<Chunk>;
// The number of each brick's chunk: `brick_count` words.
@group(0) @binding(2) var<storage, read> chunk_of_brick: array<u32>;
// From encode.wgsl. This kernel adds the kind 'as before'.
@group(0) @binding(3) var<storage, read_write> records: array<vec4u>;
// For each brick its bytes in the payload, for a scan: brick_count + 1 words.
@group(0) @binding(4) var<storage, read_write> sizes: array<u32>;
// For each brick 1 if it is coded, for a scan: brick_count + 1 words.
@group(0) @binding(5) var<storage, read_write> coded: array<u32>;
// The length of each chunk's longest coded brick.
@group(0) @binding(6) var<storage, read_write> longest: array<atomic<u32>>;

@compute @workgroup_size(64)
fn main(
  @builtin(local_invocation_index) local: u32,
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
) {
  let brick = (workgroup.x + workgroup.y * workgroups.x) * 64u + local;
  if (brick >= box.brick_count) { return; }
  let number = chunk_of_brick[brick];
  var kind = records[brick].x;
  var size = records[brick].y;
  if (kind == kind_one_label && brick > chunks[number].first_brick && records[brick - 1u].z == records[brick].z) {
    kind = kind_as_before;
    size = 0u;
    records[brick].x = kind;
    records[brick].y = size;
  }
  sizes[brick] = size;
  coded[brick] = u32(kind == kind_coded);
  if (kind == kind_coded) { atomicMax(&longest[number], size); }
}
