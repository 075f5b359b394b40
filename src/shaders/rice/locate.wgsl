// Finds each brick's place in the box and its code in the chunk's payload. src/core/codecs/rice/SPEC.md, 'Payload'.
// Algorithm: each invocation adds up the lengths in its share of the directory. The sums are scanned. Then it goes through its
// share again.
// One workgroup owns a chunk, each invocation an equal share of its directory. Dispatch: one workgroup per chunk, spread over x
// and y.
// Invariants:
// 1. Spans end no later than their payload, whatever a damaged directory says.
// Twin: `decode` in src/core/codecs/rice/reference.ts.

import package::bricks::packed::{Box, planes};
import package::faults::faults::raise;
import package::rice::brick::{Chunk, cut, directory_words, most_words, threads};
import package::rice::scan::scan;

@group(0) @binding(0) var<uniform> box: Box;
@group(0) @binding(1) var<storage, read> chunks: array<Chunk>;
@group(0) @binding(2) var<storage, read> payloads: array<u32>;
// For each plane of each brick: its place in the box, as `cut` in brick.wgsl returns it; its first word in `payloads`; and its
// number of words.
@group(0) @binding(3) var<storage, read_write> spans: array<vec4u>;

// Entries have 2 bytes and directories start at whole words, so no entry spans two words.
fn length_at(directory: u32, entry: u32) -> u32 { return (payloads[directory + entry / 2u] >> (16u * (entry % 2u))) & 0xffffu; }

@compute @workgroup_size(threads)
fn main(
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
) {
  let number = workgroup.x + workgroup.y * workgroups.x;
  if (number >= box.chunk_count) { return; }
  let chunk = chunks[number];
  var end_brick = box.brick_count;
  if (number + 1u < box.chunk_count) { end_brick = chunks[number + 1u].first_brick; }
  let entries = planes * (end_brick - chunk.first_brick);
  let directory = chunk.byte_offset / 4u;
  let end = directory + chunk.byte_length / 4u;
  let share = (entries + threads - 1u) / threads;
  let first = min(thread * share, entries);
  let last = min(first + share, entries);
  var sum = 0u;
  for (var entry = first; entry < last; entry++) { sum += length_at(directory, entry); }
  let scanned = scan(thread, sum);
  if (thread == 0u) {
    // 'its directory is whole and ends in zeros, and the bricks' lengths add up to the rest.'
    let bricks_end = directory + directory_words(entries) + scanned.total;
    raise(number, bricks_end != end || chunk.byte_length % 4u != 0u);
    raise(number, entries % 2u == 1u && length_at(directory, entries) != 0u);
  }
  var start = directory + directory_words(entries) + scanned.before;
  for (var entry = first; entry < last; entry++) {
    let brick = entry / planes;
    let length = length_at(directory, entry);
    let word = min(start, end);
    let words = min(length, end - word);
    spans[planes * chunk.first_brick + entry] = vec4u(cut(chunk, box, brick), word, words);
    raise(number, length > most_words);
    start += length;
  }
}
