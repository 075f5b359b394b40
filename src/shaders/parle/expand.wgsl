// Writes each segment's elements into a box. src/core/codecs/parle/SPEC.md, 'Decoding'.
// Algorithm: turns the segment's run starts into a bitmap in workgroup memory. An element's value is that of the run whose number
// is the count of run starts up to the element (its rank in the bitmap). Reads only the segment's own anchors, marks and values.
// One invocation owns every `threads`-th word of its segment in the box, one workgroup a segment of 2048 elements of one chunk.
// Dispatch: one workgroup per segment, spread over x and y.
// Invariants:
// 1. A word whose bytes all belong to this segment is stored. Of any other word (a row's end, or columns of two segments) only
//    the segment's own bytes are cleared and set, atomically. Other bytes and row padding keep their values.
// 2. Words outside the payload read as 0, and the segment's size bounds each loop, so damage only gives wrong voxels.
// Twin: `decodeSegment` in src/core/codecs/parle/reference.ts.

import package::faults::faults::{checks, raise};
import package::parle::check::{Anchors, anchors_fail, bitmap_fails, gaps_fail};
import package::parle::payload::{payload_word, wg_bits};
import package::parle::segment::{
  Batch, Chunk, Visit, Walk, bit_words, element_bits, element_mask, exclusive_sum, per_word, segment_elements, threads, visit_of,
  walk_of, words_each,
};

@group(0) @binding(0) var<uniform> batch: Batch;
@group(0) @binding(1) var<storage, read> chunks: array<Chunk>;
// The number of each segment's chunk.
@group(0) @binding(2) var<storage, read> chunk_of_segment: array<u32>;
@group(0) @binding(4) var<storage, read_write> voxels: array<atomic<u32>>;

// For each word of bits: the number of runs that start before it.
var<workgroup> wg_ranks: array<u32, bit_words>;

// Entry `segment` of anchors A (which = 0) or B (which = 1). The entry before the first is 0.
fn anchor(chunk: Chunk, which: u32, segment: u32) -> u32 {
  if (segment + 1u == 0u) { return 0u; }
  return payload_word(chunk, chunk.payload + which * chunk.segments + segment);
}

fn value_of(chunk: Chunk, run: u32) -> u32 {
  let word = payload_word(chunk, chunk.payload + 2u * chunk.segments + run / per_word);
  return (word >> ((run % per_word) * element_bits)) & element_mask;
}

// Sets the starts in a word of gaps. `rank`: number of its first run. `next`: the element after the previous start.
fn put_starts(gaps: u32, rank: u32, next: u32, runs: u32, count: u32) {
  var run = rank;
  var at = next;
  for (var byte = 0u; byte < 32u; byte += 8u) {
    let gap = (gaps >> byte) & 0xffu;
    at += gap;
    if (gap == 255u) { continue; }
    if (run < runs && at < count) { atomicOr(&wg_bits[at / 32u], 1u << (at % 32u)); }
    run++;
    at++;
  }
}

// The elements that a word of gaps spans and, from bit 16 on, its starts: at most 1020 and 4, so the sums of 64 words do not
// overflow.
fn sum_of_gaps(gaps: u32) -> u32 {
  var sum = 0u;
  for (var byte = 0u; byte < 32u; byte += 8u) {
    let gap = (gaps >> byte) & 0xffu;
    sum += select(gap + 0x10001u, 255u, gap == 255u);
  }
  return sum;
}

// The value in each element of a visited word. `last_run`: the run before the segment's first start.
fn word_of(chunk: Chunk, walk: Walk, visit: Visit, last_run: u32) -> u32 {
  var word = 0u;
  for (var e = 0u; e < per_word; e++) {
    let i = visit.first + e * chunk.length;
    if (i < walk.count) {
      let bits = atomicLoad(&wg_bits[i / 32u]) & (0xffffffffu >> (31u - i % 32u));
      word |= value_of(chunk, last_run + wg_ranks[i / 32u] + countOneBits(bits)) << (e * element_bits);
    }
  }
  return word;
}

@compute @workgroup_size(threads)
fn main(
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
) {
  let number = workgroup.x + workgroup.y * workgroups.x;
  if (number >= batch.segment_count) { return; }
  let chunk_number = chunk_of_segment[number];
  let chunk = chunks[chunk_number];
  let walk = walk_of(chunk, number - chunk.first_segment);
  let segment = number - chunk.first_segment + chunk.skipped;

  let first_run = anchor(chunk, 0u, segment - 1u);
  let runs = anchor(chunk, 0u, segment) - first_run;
  let first_mark = anchor(chunk, 1u, segment - 1u);
  let mark_words = anchor(chunk, 1u, segment) - first_mark;
  let all_runs = anchor(chunk, 0u, chunk.segments - 1u);
  let marks = chunk.payload + 2u * chunk.segments + (all_runs + per_word - 1u) / per_word + first_mark;
  let is_bitmap = mark_words == (walk.count + 31u) / 32u;

  var own = 0u;
  if (thread < min(mark_words, bit_words)) { own = payload_word(chunk, marks + thread); }
  let gaps_before = exclusive_sum(thread, select(sum_of_gaps(own), 0u, is_bitmap));
  if (thread < min(mark_words, bit_words)) {
    if (is_bitmap) {
      atomicStore(&wg_bits[thread], own);
    } else {
      put_starts(own, gaps_before >> 16u, gaps_before & 0xffffu, runs, walk.count);
    }
  }
  if (checks && !is_bitmap && thread < min(mark_words, bit_words)) {
    let is_last = thread + 1u == mark_words;
    raise(chunk_number, gaps_fail(own, gaps_before >> 16u, gaps_before & 0xffffu, runs, walk.count, is_last));
  }
  workgroupBarrier(); // the bits are set
  var bits = 0u;
  if (thread < bit_words) { bits = atomicLoad(&wg_bits[thread]); }
  let rank = exclusive_sum(thread, countOneBits(bits));
  if (thread < bit_words) { wg_ranks[thread] = rank; }
  workgroupBarrier(); // the ranks are stored
  if (checks) {
    if (thread == 0u) {
      let all_marks = anchor(chunk, 1u, chunk.segments - 1u);
      let anchors = Anchors(first_run, first_run + runs, all_runs, first_mark, first_mark + mark_words, all_marks);
      raise(chunk_number, anchors_fail(chunk, anchors, walk.count, segment));
      raise(chunk_number, segment == 0u && (bits & 1u) == 0u);
      raise(chunk_number, is_bitmap && bitmap_fails(runs, walk.count));
    }
    // There must be as many runs as the anchors say, all within the segment.
    if (thread + 1u == bit_words) { raise(chunk_number, rank + countOneBits(bits) != runs); }
    let behind = max(walk.count, 32u * thread) - 32u * thread;
    if (thread < bit_words && behind < 32u) { raise(chunk_number, bits >> behind != 0u); }
    for (var run = max(first_run, 1u) + thread; run < first_run + min(runs, segment_elements); run += threads) {
      raise(chunk_number, value_of(chunk, run) == value_of(chunk, run - 1u));
    }
  }

  let last_run = first_run - 1u;
  if (walk.flat) {
    for (var k = 0u; k < words_each; k++) {
      let word = k * threads + thread;
      let visit = Visit(walk.first_word + word, word * per_word, per_word);
      atomicStore(&voxels[visit.word], word_of(chunk, walk, visit, last_run));
    }
    return;
  }
  if (walk.whole) {
    for (var k = 0u; k < words_each; k++) {
      let visit = visit_of(chunk, walk, k * threads + thread);
      atomicStore(&voxels[visit.word], word_of(chunk, walk, visit, last_run));
    }
    return;
  }
  for (var item = thread; item < walk.column_words * walk.steps; item += threads) {
    let visit = visit_of(chunk, walk, item);
    var mask = 0u;
    for (var e = 0u; e < visit.count; e++) {
      if (visit.first + e * chunk.length < walk.count) { mask |= element_mask << (e * element_bits); }
    }
    if (mask == 0u) { continue; }
    let word = word_of(chunk, walk, visit, last_run);
    if (mask == 0xffffffffu) {
      atomicStore(&voxels[visit.word], word);
    } else {
      atomicAnd(&voxels[visit.word], ~mask);
      atomicOr(&voxels[visit.word], word & mask);
    }
  }
}
