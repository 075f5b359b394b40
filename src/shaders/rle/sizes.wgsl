// Sums up each chunk's sections from the scanned counts of its tiles, for the CPU, which places the payloads.
// src/core/codecs/rle/SPEC.md, 'Payload'. order.wgsl stands in front of this text.
// One invocation owns one chunk. Dispatch: one workgroup for 64 chunks, spread over x and y.
// Invariants:
// 1. `offsets` is the exclusive scan of measure.wgsl's counts and one more word, so it ends with their total.
// Twin: `encode` in src/core/codecs/rle/reference.ts.

@group(0) @binding(0) var<uniform> box: Box;
@group(0) @binding(1) var<storage, read> chunks: array<Chunk>;
// 4 × tile_count + 1 words.
@group(0) @binding(2) var<storage, read> offsets: array<u32>;
// For each chunk: bytes of level 2, 1, 0, and runs.
@group(0) @binding(3) var<storage, read_write> sizes: array<vec4u>;

@compute @workgroup_size(64)
fn main(
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
) {
  let number = (workgroup.x + workgroup.y * workgroups.x) * 64u + thread;
  if (number >= box.chunk_count) { return; }
  let chunk = chunks[number];
  let count = chunk.shape.x * chunk.shape.y * chunk.shape.z;
  let tiles = (count + tile_elements - 1u) / tile_elements;
  var size: vec4u;
  for (var section = 0u; section < 4u; section++) {
    let first = section * box.tile_count + chunk.first_tile;
    size[section] = offsets[first + tiles] - offsets[first];
  }
  sizes[number] = size;
}
