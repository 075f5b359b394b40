// Finds each brick's place in the box and the room for its code, once for all kernels of an encoder.
// src/core/codecs/rice/SPEC.md, 'Bricks, blocks and groups'.
// One invocation owns one brick. Dispatch: one workgroup for each 128 bricks, spread over x and y.
// Twin: `cut` in src/core/codecs/rice/layout.ts.

import package::bricks::packed::{Box, planes};
import package::rice::brick::{Chunk, cut, room_words, threads};

@group(0) @binding(0) var<uniform> box: Box;
@group(0) @binding(1) var<storage, read> chunks: array<Chunk>;
// The number of each brick's chunk: `brick_count` words.
@group(0) @binding(2) var<storage, read> chunk_of_brick: array<u32>;
// For each brick: its place in the box, as `cut` in brick.wgsl returns it; the first word of its room; and the words in its room
// for each plane. A chunk's rooms start at `byte_offset`.
@group(0) @binding(3) var<storage, read_write> places: array<vec4u>;

@compute @workgroup_size(threads)
fn main(
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
) {
  let brick = (workgroup.x + workgroup.y * workgroups.x) * threads + thread;
  if (brick >= box.brick_count) { return; }
  let chunk = chunks[chunk_of_brick[brick]];
  let number = brick - chunk.first_brick;
  let words = room_words(chunk);
  places[brick] = vec4u(cut(chunk, box, number), chunk.byte_offset / 4u + number * planes * words, words);
}
