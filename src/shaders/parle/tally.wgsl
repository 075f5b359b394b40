// Counts the runs of segments and the words of their marks, from bits that mark run starts. src/core/codecs/parle/SPEC.md,
// 'Marks'.
// Algorithm: 16 invocations per segment count the bits of four words each, and the escapes of the gaps between them.
// Twin: `encode` in src/core/codecs/parle/reference.ts.

import package::parle::segment::{Chunk, end_of_starts, escapes_of, most_segments, segment_elements, threads};

@group(0) @binding(1) var<storage, read> chunks: array<Chunk>;
// The number of each segment's chunk.
@group(0) @binding(2) var<storage, read> chunk_of_segment: array<u32>;
// For each segment: the runs that start in it and, from bit 16 on, the words of its marks.
@group(0) @binding(5) var<storage, read_write> counts: array<u32>;

// Invocations that count a segment's bits, four words each.
const counters = 16u;

// For each counter: one past the last start in its words, relative to the segment; 0 if no run starts there.
var<workgroup> wg_last: array<u32, threads>;
// For each segment: its runs and, from bit 16 on, its escapes.
var<workgroup> wg_sums: array<atomic<u32>, most_segments>;

// All invocations must call it. `words`: four words of bits of segment `first + thread / counters`, namely words 0 to 3 if
// `thread % counters` is 0, and so on. Segments from `end` on are ignored.
fn store_counts(words: vec4u, thread: u32, first: u32, end: u32) {
  let index = thread / counters;
  let counter = thread % counters;
  var last = 0u;
  for (var i = 0u; i < 4u; i++) {
    last = max(last, end_of_starts(words[i], 32u * (4u * counter + i)));
  }
  wg_last[thread] = last;
  workgroupBarrier(); // the last starts are stored
  var next = 0u;
  for (var i = thread - counter; i < thread; i++) { next = max(next, wg_last[i]); }
  var sum = 0u;
  for (var i = 0u; i < 4u; i++) {
    let first_bit = 32u * (4u * counter + i);
    sum += countOneBits(words[i]) + (escapes_of(words[i], first_bit, next) << 16u);
    next = max(next, end_of_starts(words[i], first_bit));
  }
  if (sum != 0u) { atomicAdd(&wg_sums[index], sum); }
  workgroupBarrier(); // the sums are stored
  if (counter == 0u && first + index < end) {
    let segment = first + index;
    let chunk = chunks[chunk_of_segment[segment]];
    let count = min(segment_elements, chunk.count - (segment - chunk.first_segment) * segment_elements);
    let sums = atomicLoad(&wg_sums[index]);
    let runs = sums & 0xffffu;
    counts[segment] = runs | (min((runs + (sums >> 16u) + 3u) / 4u, (count + 31u) / 32u) << 16u);
  }
}
