// Sums up each chunk's bricks from their scanned sizes, for the CPU, which places the payloads.
// src/core/codecs/rice/SPEC.md, 'Payload'. brick.wgsl stands in front of this text.
// One invocation owns one chunk. Dispatch: one workgroup for 64 chunks, spread over x and y.
// Invariants:
// 1. `offsets` is the exclusive scan of encode.wgsl's sizes and one more word, so it ends with their total.
// Twin: `encode` in src/core/codecs/rice/reference.ts.

@group(0) @binding(0) var<uniform> box: Box;
@group(0) @binding(1) var<storage, read> chunks: array<Chunk>;
// planes × brick_count + 1 words.
@group(0) @binding(2) var<storage, read> offsets: array<u32>;
// For each chunk: bytes of its payload, the directory with them.
@group(0) @binding(3) var<storage, read_write> lengths: array<u32>;

@compute @workgroup_size(threads)
fn main(
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
) {
  let number = (workgroup.x + workgroup.y * workgroups.x) * threads + thread;
  if (number >= box.chunk_count) { return; }
  let first = chunks[number].first_brick;
  var end = box.brick_count;
  if (number + 1u < box.chunk_count) { end = chunks[number + 1u].first_brick; }
  lengths[number] = 4u * (directory_words(planes * (end - first)) + offsets[planes * end] - offsets[planes * first]);
}
