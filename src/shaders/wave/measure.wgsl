// Finds the length of each chunk's payload, and where its parts start in it. src/core/codecs/wave/SPEC.md, 'Payload'.
// One invocation owns one chunk. Dispatch: one workgroup for 64 chunks, spread over x and y.

import package::wave::finished::Finished;
import package::wave::placed::{Chunk, directory_bytes};

@group(0) @binding(0) var<storage, read> chunks: array<Chunk>;
@group(0) @binding(1) var<storage, read_write> finished: array<Finished>;
// The lengths of the payloads, in bytes.
@group(0) @binding(2) var<storage, read_write> lengths: array<u32>;

const threads = 64u;

@compute @workgroup_size(threads)
fn main(
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
) {
  let number = threads * (workgroup.x + workgroup.y * workgroups.x) + thread;
  if (number >= arrayLength(&chunks)) { return; }
  let chunk = chunks[number];
  var at = directory_bytes(chunk.parts);
  for (var part = chunk.first_part; part < chunk.first_part + chunk.parts; part++) {
    finished[part].start = at;
    at += finished[part].byte_length;
  }
  lengths[number] = at;
}
