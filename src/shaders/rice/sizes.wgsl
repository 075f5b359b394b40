// Finds where each brick's code goes in its chunk's payload, and how long the payload becomes.
// src/core/codecs/rice/SPEC.md, 'Payload'.
// Algorithm: each invocation adds up its share of a chunk's sizes. The sums are scanned. Then it goes through its share again, as
// in locate.wgsl.
// One workgroup owns a chunk. Dispatch: one workgroup per chunk, spread over x and y.
// Twin: `encode` in src/core/codecs/rice/reference.ts.

import package::bricks::packed::{Box, planes};
import package::rice::brick::{Chunk, directory_words, threads};
import package::rice::scan::scan;

@group(0) @binding(0) var<uniform> box: Box;
@group(0) @binding(1) var<storage, read> chunks: array<Chunk>;
// Words of each plane of each brick, from encode.wgsl.
@group(0) @binding(2) var<storage, read> sizes: array<u32>;
// For each plane of each brick: the words before it in its chunk's payload.
@group(0) @binding(3) var<storage, read_write> offsets: array<u32>;
// The bytes of each chunk's payload, including the directory.
@group(0) @binding(4) var<storage, read_write> lengths: array<u32>;

@compute @workgroup_size(threads)
fn main(
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
) {
  let number = workgroup.x + workgroup.y * workgroups.x;
  if (number >= box.chunk_count) { return; }
  let first_unit = planes * chunks[number].first_brick;
  var end_unit = planes * box.brick_count;
  if (number + 1u < box.chunk_count) { end_unit = planes * chunks[number + 1u].first_brick; }
  let units = end_unit - first_unit;
  let share = (units + threads - 1u) / threads;
  let first = first_unit + min(thread * share, units);
  let end = min(first + share, end_unit);
  var sum = 0u;
  for (var unit = first; unit < end; unit++) { sum += sizes[unit]; }
  let scanned = scan(thread, sum);
  let directory = directory_words(units);
  var offset = directory + scanned.before;
  for (var unit = first; unit < end; unit++) {
    offsets[unit] = offset;
    offset += sizes[unit];
  }
  if (thread == 0u) { lengths[number] = 4u * (directory + scanned.total); }
}
