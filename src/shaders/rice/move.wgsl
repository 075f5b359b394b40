// Moves each brick's code from its room into its chunk's payload, and stores its length in the directory.
// src/core/codecs/rice/SPEC.md, 'Payload'.
// `movers` neighbouring invocations own a brick. Dispatch: one workgroup for each `threads / movers` bricks, spread over x and y.
// Invariants:
// 1. Each word of the payloads is written by exactly one invocation. A word of the directory is written for the first of its two
//    planes.
// 2. Chunks with byte_length 0 are skipped.
// Twin: `encode` in src/core/codecs/rice/reference.ts.

import package::bricks::packed::{Box, planes};
import package::rice::brick::{Chunk, threads};

@group(0) @binding(0) var<uniform> box: Box;
// From cut.wgsl; the rooms hold what encode.wgsl wrote.
@group(0) @binding(1) var<storage, read> places: array<vec4u>;
@group(0) @binding(2) var<storage, read> rooms: array<u32>;
@group(0) @binding(3) var<storage, read> sizes: array<u32>;
// From sizes.wgsl.
@group(0) @binding(4) var<storage, read> offsets: array<u32>;
@group(0) @binding(5) var<storage, read> chunks: array<Chunk>;
// The number of each brick's chunk: `brick_count` words.
@group(0) @binding(6) var<storage, read> chunk_of_brick: array<u32>;
@group(0) @binding(7) var<storage, read_write> payloads: array<u32>;

const movers = 32u;

@compute @workgroup_size(threads)
fn main(
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
) {
  let brick = (workgroup.x + workgroup.y * workgroups.x) * (threads / movers) + thread / movers;
  let mover = thread % movers;
  if (brick >= box.brick_count) { return; }
  let chunk_number = chunk_of_brick[brick];
  let chunk = chunks[chunk_number];
  if (chunk.byte_length == 0u) { return; }
  var end_brick = box.brick_count;
  if (chunk_number + 1u < box.chunk_count) { end_brick = chunks[chunk_number + 1u].first_brick; }
  let first_unit = chunk.first_brick * planes;
  let units = (end_brick - chunk.first_brick) * planes;
  let payload = chunk.byte_offset / 4u;

  for (var plane = 0u; plane < planes; plane++) {
    let unit = brick * planes + plane;
    let entry = unit - first_unit;
    if (mover == 0u && entry % 2u == 0u) {
      var lengths = sizes[unit];
      if (entry + 1u < units) { lengths |= sizes[unit + 1u] << 16u; }
      payloads[payload + entry / 2u] = lengths;
    }
    let room = places[brick].z + plane * places[brick].w;
    let start = payload + offsets[unit];
    let size = sizes[unit];
    // Keeps four loads in flight.
    var word = mover;
    for (; word + 3u * movers < size; word += 4u * movers) {
      let from_room = room + word;
      let words = vec4u(rooms[from_room], rooms[from_room + movers], rooms[from_room + 2u * movers], rooms[from_room + 3u * movers]);
      payloads[start + word] = words.x;
      payloads[start + word + movers] = words.y;
      payloads[start + word + 2u * movers] = words.z;
      payloads[start + word + 3u * movers] = words.w;
    }
    for (; word < size; word += movers) { payloads[start + word] = rooms[room + word]; }
  }
}
