// Checks that find payloads which SPEC.md, 'Decoding', refuses, though they might decode to the right elements. Twin:
// `PayloadReader` in src/core/codecs/parle/reference.ts.

import package::parle::payload::{payload_word, wg_bits};
import package::parle::segment::{Chunk, element_bits, end_of_starts, escapes_of, per_word};

// A segment's anchors: the chunk's runs and words of marks up to the segment's start, up to its end, and in all.
struct Anchors { first_run: u32, end_run: u32, all_runs: u32, first_mark: u32, end_mark: u32, all_marks: u32 }

// Anchors must not fall and must fit the segment. For the first segment, also checks the payload's length and the padding of the
// values' last word.
fn anchors_fail(chunk: Chunk, anchors: Anchors, count: u32, segment: u32) -> bool {
  let runs = anchors.end_run - anchors.first_run;
  let marks = anchors.end_mark - anchors.first_mark;
  if (anchors.first_run > anchors.end_run || anchors.end_run > anchors.all_runs || runs > count) { return true; }
  if (anchors.first_mark > anchors.end_mark || anchors.end_mark > anchors.all_marks) { return true; }
  if (marks > bitmap_words(count)) { return true; }
  if (segment > 0u) { return false; }
  let words = chunk.payload_words;
  if (anchors.all_runs > chunk.count || anchors.all_marks > words) { return true; }
  if (2u * chunk.segments + (anchors.all_runs + per_word - 1u) / per_word + anchors.all_marks != words) { return true; }
  let filled = anchors.all_runs % per_word;
  if (filled == 0u) { return false; }
  return payload_word(chunk, chunk.payload + 2u * chunk.segments + anchors.all_runs / per_word) >> (filled * element_bits) != 0u;
}

fn bitmap_words(count: u32) -> u32 { return (count + 31u) / 32u; }

// A word of gaps may only hold starts within the segment. Zeros may follow the last start, in the last word only.
fn gaps_fail(gaps: u32, rank: u32, next: u32, runs: u32, count: u32, is_last: bool) -> bool {
  var run = rank;
  var at = next;
  var fails = rank >= runs;
  for (var byte = 0u; byte < 32u; byte += 8u) {
    let gap = (gaps >> byte) & 0xffu;
    if (run >= runs) {
      fails = fails || gap != 0u;
      continue;
    }
    at += gap;
    if (gap == 255u) { continue; }
    fails = fails || at >= count;
    run++;
    at++;
  }
  return fails || (is_last && run < runs);
}

// 'Gaps are used if they take fewer words than the bitmap'. One invocation adds up the gaps, unless the runs alone are too many.
fn bitmap_fails(runs: u32, count: u32) -> bool {
  let words = bitmap_words(count);
  var bytes = runs;
  if ((bytes + 3u) / 4u >= words) { return false; }
  var end_before = 0u;
  for (var word = 0u; word < words; word++) {
    let bits = atomicLoad(&wg_bits[word]);
    bytes += escapes_of(bits, 32u * word, end_before);
    if (bits != 0u) { end_before = end_of_starts(bits, 32u * word); }
  }
  return (bytes + 3u) / 4u < words;
}
