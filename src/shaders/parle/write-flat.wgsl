// Writes each segment's anchors, values and marks into its chunk's payload. For elements of whole words that are contiguous in
// scan order. src/core/codecs/parle/SPEC.md, 'Payload'.
// Algorithm: takes the run starts that count-flat.wgsl kept. Computes their ranks and the gaps between them for several segments
// at once. Then each invocation takes every 128th element and stores it at its rank if a run starts there, so that neighbouring
// invocations load and store neighbouring words.
// One invocation owns four words of bits and every 128th element, one workgroup `per_workgroup` segments.
// Dispatch: one workgroup for each `per_workgroup` segments, spread over x and y.
// Invariants:
// 1. One invocation writes each word of `payloads`.
// 2. Chunks with payload_words 0 are skipped.
// Twin: `encode` in src/core/codecs/parle/reference.ts.

import package::parle::gaps::{put_gaps, wg_marks};
import package::parle::segment::{Batch, Chunk, bit_words, end_of_starts, escapes_of, most_segments, segment_elements, threads};

@group(0) @binding(0) var<uniform> batch: Batch;
@group(0) @binding(1) var<storage, read> chunks: array<Chunk>;
// The number of each segment's chunk.
@group(0) @binding(2) var<storage, read> chunk_of_segment: array<u32>;
@group(0) @binding(3) var<storage, read> voxels: array<u32>;
// 64 words per segment: one bit per run start.
@group(0) @binding(4) var<storage, read> starts: array<vec4u>;
// For each segment: the runs and words of marks of its chunk up to the segment's end.
@group(0) @binding(5) var<storage, read> ends: array<vec2u>;
@group(0) @binding(6) var<storage, read_write> payloads: array<u32>;

// Invocations that share a segment's words of bits, four each.
const sharers = 16u;
// Elements that an invocation loads before it stores the first.
const ahead = 16u;

const gaps_flag = 0x10000u;

// For each segment: the words of its first element, first value and marks, and its number of words of marks, with `gaps_flag` if
// they are gaps. A number of 0: the segment is not written.
var<workgroup> wg_segments: array<vec4u, most_segments>;
// Words of bits, and for each the number of the segment's runs that start before it.
var<workgroup> wg_words: array<vec2u, most_segments * bit_words>;
// For each sharer: the runs in its words, and one past the last start, relative to the segment; 0 if no run starts there.
var<workgroup> wg_parts: array<vec2u, threads>;
var<workgroup> wg_escapes: array<u32, threads>;

// The segment's entry of `wg_segments`. Writes its anchors if `writes`.
fn place_of(chunk: Chunk, segment: u32, writes: bool) -> vec4u {
  let in_chunk = segment - chunk.first_segment;
  let end = ends[segment];
  var start = vec2u(0u);
  if (in_chunk > 0u) { start = ends[segment - 1u]; }
  if (writes) {
    payloads[chunk.payload + in_chunk] = end.x;
    payloads[chunk.payload + chunk.segments + in_chunk] = end.y;
  }
  let first = in_chunk * segment_elements;
  let mark_words = end.y - start.y;
  let is_bitmap = mark_words == (min(segment_elements, chunk.count - first) + 31u) / 32u;
  return vec4u(
    chunk.first_word + first,
    chunk.values / 4u + start.x,
    chunk.marks / 4u + start.y,
    mark_words | select(gaps_flag, 0u, is_bitmap || mark_words == 0u),
  );
}

// The escapes of four words' gaps. `end_before`: one past the start before them.
fn escapes_of_four(bits: vec4u, first: u32, end_before: u32) -> u32 {
  var escapes = 0u;
  var next = end_before;
  for (var i = 0u; i < 4u; i++) {
    escapes += escapes_of(bits[i], first + 32u * i, next);
    next = max(next, end_of_starts(bits[i], first + 32u * i));
  }
  return escapes;
}

// Writes four words' gaps as bytes, from byte `first_byte` of `wg_marks` on.
fn put_gaps_of_four(bits: vec4u, first: u32, end_before: u32, first_byte: u32) {
  var at = first_byte;
  var next = end_before;
  for (var i = 0u; i < 4u; i++) {
    at = put_gaps(bits[i], first + 32u * i, next, at);
    next = max(next, end_of_starts(bits[i], first + 32u * i));
  }
}

fn store_values(index: u32, place: vec4u, thread: u32) {
  let lane = thread % 32u;
  let below = (1u << lane) - 1u;
  let first = index * bit_words + thread / 32u;
  for (var round = 0u; round < segment_elements / threads; round += ahead) {
    var values: array<u32, ahead>;
    for (var k = 0u; k < ahead; k++) {
      let at = (round + k) * threads;
      // Does not load elements that start no run.
      let starts_run = ((wg_words[first + at / 32u].x >> lane) & 1u) != 0u;
      values[k] = voxels[place.x + select(0u, at + thread, starts_run)];
    }
    for (var k = 0u; k < ahead; k++) {
      let word = wg_words[first + (round + k) * threads / 32u];
      if (((word.x >> lane) & 1u) != 0u) { payloads[place.y + word.y + countOneBits(word.x & below)] = values[k]; }
    }
  }
}

@compute @workgroup_size(threads)
fn main(
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
) {
  let first = (workgroup.x + workgroup.y * workgroups.x) * batch.per_workgroup;
  let end = min(first + batch.per_workgroup, batch.segment_count);
  let index = thread / sharers;
  let sharer = thread % sharers;
  var own = vec4u(0u);
  var bits = vec4u(0u);
  if (first + index < end) {
    let segment = first + index;
    let chunk = chunks[chunk_of_segment[segment]];
    if (chunk.payload_words != 0u) {
      own = place_of(chunk, segment, sharer == 0u);
      bits = starts[segment * sharers + sharer];
    }
  }
  if (sharer == 0u) { wg_segments[index] = own; }
  let ones = countOneBits(bits);
  var last = 0u;
  for (var i = 0u; i < 4u; i++) {
    last = max(last, end_of_starts(bits[i], 32u * (4u * sharer + i)));
  }
  wg_parts[thread] = vec2u(ones.x + ones.y + ones.z + ones.w, last);
  workgroupBarrier(); // the parts are stored
  var rank = 0u;
  var end_before = 0u;
  for (var i = thread - sharer; i < thread; i++) {
    let part = wg_parts[i];
    rank += part.x;
    end_before = max(end_before, part.y);
  }
  wg_words[4u * thread] = vec2u(bits.x, rank);
  wg_words[4u * thread + 1u] = vec2u(bits.y, rank + ones.x);
  wg_words[4u * thread + 2u] = vec2u(bits.z, rank + ones.x + ones.y);
  wg_words[4u * thread + 3u] = vec2u(bits.w, rank + ones.x + ones.y + ones.z);
  let has_gaps = own.w >= gaps_flag;
  let first_element = 128u * sharer;
  if (has_gaps) { wg_escapes[thread] = escapes_of_four(bits, first_element, end_before); }
  workgroupBarrier(); // the words and the escapes are stored
  if (has_gaps) {
    var at = 4u * index * bit_words + rank;
    for (var i = thread - sharer; i < thread; i++) { at += wg_escapes[i]; }
    put_gaps_of_four(bits, first_element, end_before, at);
  }
  workgroupBarrier(); // the gaps are stored

  for (var i = 0u; i < end - first; i++) {
    let place = wg_segments[i];
    if (place.w == 0u) { continue; }
    store_values(i, place, thread);
    if (thread >= place.w % gaps_flag) { continue; }
    let at = i * bit_words + thread;
    payloads[place.z + thread] = select(wg_words[at].x, atomicLoad(&wg_marks[at]), place.w >= gaps_flag);
  }
}
