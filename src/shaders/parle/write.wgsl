// Writes each segment's anchors, values and marks into its chunk's payload. src/core/codecs/parle/SPEC.md, 'Payload'.
// Algorithm: finds the segment's run starts again. A value's place is its rank among them. Values are collected in workgroup
// memory, so that neighbouring invocations store neighbouring words.
// One invocation owns every 128th quad. One workgroup does `per_workgroup` segments of 2048 elements, one after the other.
// Dispatch: one workgroup for each `per_workgroup` segments, spread over x and y.
// Invariants:
// 1. `payloads` starts as zeros. A word whose bytes all belong to this segment is stored. A word shared with the values of
//    neighbouring segments is set by OR, so the order does not matter.
// 2. Chunks with payload_words 0 are skipped.
// Twin: `encode` in src/core/codecs/parle/reference.ts.

import package::parle::gaps::{put_gaps, wg_marks};
import package::parle::segment::{
  Batch, Chunk, bit_words, element_bits, end_of_starts, escapes_of, exclusive_sum, per_word, segment_elements, threads, walk_of,
  wg_groups, wg_terms,
};
import package::parle::starts::{element_of, load_own, per_quad, quads_each, slot, starts_of, wg_elements};

@group(0) @binding(0) var<uniform> batch: Batch;
@group(0) @binding(1) var<storage, read> chunks: array<Chunk>;
// The number of each segment's chunk.
@group(0) @binding(2) var<storage, read> chunk_of_segment: array<u32>;
// For each segment: the runs and words of marks of its chunk up to the segment's end.
@group(0) @binding(5) var<storage, read> ends: array<vec2u>;
@group(0) @binding(6) var<storage, read_write> payloads: array<atomic<u32>>;

// One bit per run start.
var<workgroup> wg_bits: array<atomic<u32>, bit_words>;
// For each word of bits: the number of runs that start before it.
var<workgroup> wg_ranks: array<u32, bit_words>;

// Stores the values of the segment's runs from workgroup memory. `base`: the word where the chunk's values start.
fn store_values(thread: u32, base: u32, first_run: u32, end_run: u32) {
  if (per_word == 1u) {
    // Every further 128 values lie 132 slots further.
    let at = slot(thread);
    let to = base + first_run + thread;
    for (var k = 0u; k < segment_elements / threads; k++) {
      if (k * threads >= end_run - first_run) { break; }
      if (k * threads + thread < end_run - first_run) {
        atomicStore(&payloads[to + k * threads], wg_elements[at + k * (threads + threads / 32u)]);
      }
    }
    return;
  }
  for (var w = first_run / per_word + thread; w < (end_run + per_word - 1u) / per_word; w += threads) {
    var value = 0u;
    for (var e = 0u; e < per_word; e++) {
      let run = w * per_word + e;
      if (run >= first_run && run < end_run) { value |= wg_elements[slot(run - first_run)] << (e * element_bits); }
    }
    if (w * per_word >= first_run && (w + 1u) * per_word <= end_run) {
      atomicStore(&payloads[base + w], value);
    } else {
      atomicOr(&payloads[base + w], value);
    }
  }
}

// For the first 64 invocations: one past the last run start before their word of bits, relative to the segment. Two levels of 8,
// as in `exclusive_sum`.
fn end_of_start_before(thread: u32, bits: u32) -> u32 {
  workgroupBarrier(); // everyone has read the previous values
  if (thread < bit_words) { wg_terms[thread] = end_of_starts(bits, 32u * thread); }
  workgroupBarrier(); // the terms are stored
  if (thread < 8u) {
    var group = 0u;
    for (var i = 0u; i < 8u; i++) { group = max(group, wg_terms[8u * thread + i]); }
    wg_groups[thread] = group;
  }
  workgroupBarrier(); // the groups are stored
  var end = 0u;
  if (thread < bit_words) {
    for (var i = 0u; i < thread / 8u; i++) { end = max(end, wg_groups[i]); }
    for (var i = thread & ~7u; i < thread; i++) { end = max(end, wg_terms[i]); }
  }
  return end;
}

fn write_segment(segment: u32, thread: u32) {
  let chunk = chunks[chunk_of_segment[segment]];
  if (chunk.payload_words == 0u) { return; }
  let in_chunk = segment - chunk.first_segment;
  let end = ends[segment];
  var start = vec2u(0u);
  if (in_chunk > 0u) { start = ends[segment - 1u]; }
  if (thread < 2u) { atomicStore(&payloads[chunk.payload + thread * chunk.segments + in_chunk], end[thread]); }
  if (end.x == start.x) { return; }

  let walk = walk_of(chunk, in_chunk);
  let own = load_own(chunk, walk, thread);
  for (var k = 0u; k < quads_each; k++) {
    let at = (k * threads + thread) * per_quad;
    let starts = starts_of(own, k, walk, thread);
    if (starts != 0u) { atomicOr(&wg_bits[at / 32u], starts << (at % 32u)); }
  }
  workgroupBarrier(); // the bits are set
  var bits = 0u;
  if (thread < bit_words) { bits = atomicLoad(&wg_bits[thread]); }
  // One sum of 64 terms costs less than three barriers.
  var rank = 0u;
  if (thread < bit_words) {
    for (var i = 0u; i < bit_words; i++) { rank += select(0u, countOneBits(atomicLoad(&wg_bits[i])), i < thread); }
  }
  if (thread < bit_words) { wg_ranks[thread] = rank; }
  workgroupBarrier(); // the ranks are stored, and everyone has read the elements

  for (var k = 0u; k < quads_each; k++) {
    let first = (k * threads + thread) * per_quad;
    let word = atomicLoad(&wg_bits[first / 32u]);
    var to = wg_ranks[first / 32u] + countOneBits(word & ((1u << (first % 32u)) - 1u));
    let mine = word >> (first % 32u);
    for (var i = 0u; i < per_quad; i++) {
      if (((mine >> i) & 1u) != 0u) {
        wg_elements[slot(to)] = element_of(own.quads[k], i);
        to++;
      }
    }
  }
  workgroupBarrier(); // the values are in order
  // Everyone has read the bits. They become zero for the next segment.
  if (thread < bit_words) { atomicStore(&wg_bits[thread], 0u); }
  store_values(thread, chunk.values / 4u, start.x, end.x);

  let marks = chunk.marks / 4u + start.y;
  let mark_words = end.y - start.y;
  if (mark_words == (walk.count + 31u) / 32u) {
    if (thread < mark_words) { atomicStore(&payloads[marks + thread], bits); }
  } else {
    let end_before = end_of_start_before(thread, bits);
    let escapes = escapes_of(bits, 32u * thread, end_before);
    if (thread < bit_words) { atomicStore(&wg_marks[thread], 0u); }
    let escapes_before = exclusive_sum(thread, escapes);
    workgroupBarrier(); // the marks are zero
    if (thread < bit_words) { put_gaps(bits, 32u * thread, end_before, rank + escapes_before); }
    workgroupBarrier(); // the marks are stored
    if (thread < mark_words) { atomicStore(&payloads[marks + thread], atomicLoad(&wg_marks[thread])); }
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
  for (var segment = first; segment < end; segment++) {
    write_segment(segment, thread);
    workgroupBarrier(); // everyone is done with the segment
  }
}
