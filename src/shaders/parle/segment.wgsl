// How a segment's elements lie in the words of a box, and sums over a segment's 64 words of bits. src/core/codecs/parle/SPEC.md,
// 'Scan order' and 'Segments'. Twins: src/core/codec/scan-order.ts, src/core/codecs/parle/layout.ts.
//
// Columns along y or z: word `w` of row `b` holds `per_word` neighbouring columns, and elements of a column are `step` words
// apart. Along x, scan order is memory order, which is that of columns of length 1.

override element_bytes: u32 = 1u;
override per_word: u32 = 4u / element_bytes;
override element_bits: u32 = 8u * element_bytes;
override element_mask: u32 = 0xffffffffu >> (32u - 8u * element_bytes);

// Invocations in a workgroup: 128 in encoders, in decoders set by core/gpu/tuning.ts.
override threads: u32 = 128u;
// The most segments that an encoder's workgroup does.
const most_segments = 8u;
const segment_elements = 2048u;
// Words of a whole segment's bitmap, one bit per run start.
const bit_words = 64u;
// For each invocation, its words if the words hold only the segment's elements.
override words_each: u32 = segment_elements / (4u / element_bytes) / threads;

// `per_workgroup`: the segments that a workgroup does one after the other. Clearing workgroup memory takes as long as a segment,
// so it is shared by several.
struct Batch { segment_count: u32, chunk_count: u32, per_workgroup: u32 }

struct Chunk {
  shape: vec3u,
  first_word: u32,     // word of the chunk's origin in the box
  row_words: u32,      // words in a row of the chunk
  size_x: u32,         // elements in a row of the chunk
  count: u32,          // elements in the chunk
  length: u32,         // elements in a column
  step: u32,           // words from one element of a column to the next
  rows: u32,           // row b starts (b % rows) × low + (b / rows) × high words after first_word
  low: u32,
  high: u32,
  first_segment: u32,  // number of the chunk's first segment in the batch
  skipped: u32,        // the payload's segments before that one, if only part of a chunk is decoded; otherwise 0
  segments: u32,       // segments of the payload
  payload: u32,        // in words: where the payload starts, and its length. A length of 0 means that it is not written
  payload_words: u32,
  values: u32,         // encoder: the bytes where the values and the marks start
  marks: u32,
  // 1: the chunk is contiguous in scan order and starts at a multiple of four words, so no division is needed to find a word.
  flat: u32,
}

// Most divisions here are by 1, or divide the smaller by the larger. The compiler does not know that.
fn quotient(a: u32, b: u32) -> u32 {
  if (b == 1u) { return a; }
  if (a < b) { return 0u; }
  return a / b;
}

// The word where the columns of row `b` start.
fn row_start(chunk: Chunk, b: u32) -> u32 {
  let slice = quotient(b, chunk.rows);
  return chunk.first_word + (b - slice * chunk.rows) * chunk.low + slice * chunk.high;
}

// How a workgroup visits all elements of its segment: `column_words` words that hold columns, and `steps` elements of each column
// from `first_step` on, wrapping around at the column's end. It also meets elements of other segments, which must be skipped.
struct Walk {
  first_element: u32,
  count: u32,
  first_column_word: u32,
  column_words: u32,
  first_step: u32,
  steps: u32,
  // The words hold only the segment's elements, all 2048 of them: threads × words_each words.
  whole: bool,
  // In addition the chunk is flat, so the words are contiguous.
  flat: bool,
  first_word: u32,
}

fn column_word(chunk: Chunk, column: u32) -> u32 {
  let row = quotient(column, chunk.size_x);
  return row * chunk.row_words + (column - row * chunk.size_x) / per_word;
}

fn walk_of(chunk: Chunk, segment: u32) -> Walk {
  var walk: Walk;
  walk.first_element = segment * segment_elements;
  walk.count = min(segment_elements, chunk.count - walk.first_element);
  walk.flat = chunk.flat == 1u && walk.count == segment_elements;
  if (walk.flat) {
    walk.whole = true;
    walk.first_word = chunk.first_word + walk.first_element / per_word;
    return walk;
  }
  let first_column = quotient(walk.first_element, chunk.length);
  let last_column = quotient(walk.first_element + walk.count - 1u, chunk.length);
  walk.first_column_word = column_word(chunk, first_column);
  walk.column_words = column_word(chunk, last_column) - walk.first_column_word + 1u;
  walk.first_step = walk.first_element - first_column * chunk.length;
  walk.steps = min(chunk.length, walk.count);
  walk.whole = walk.count == segment_elements && chunk.size_x % per_word == 0u && walk.first_step == 0u &&
    walk.column_words * walk.steps * per_word == segment_elements;
  return walk;
}

// One word of a walk.
struct Visit {
  word: u32,   // in the box
  first: u32,  // number of its first element in the segment; the others follow at distances of `chunk.length`. It may wrap around
  count: u32,  // elements of the chunk in it
}

// Word `item` of a walk's column_words × steps words. Neighbouring items are neighbouring words.
fn visit_of(chunk: Chunk, walk: Walk, item: u32) -> Visit {
  let turn = quotient(item, walk.column_words);
  let number = walk.first_column_word + item - turn * walk.column_words;
  var step = walk.first_step + turn;
  if (step >= chunk.length) { step -= chunk.length; }
  let row = quotient(number, chunk.row_words);
  let word = number - row * chunk.row_words;
  return Visit(
    row_start(chunk, row) + word + step * chunk.step,
    (row * chunk.size_x + word * per_word) * chunk.length + step - walk.first_element,
    min(per_word, chunk.size_x - word * per_word),
  );
}

var<workgroup> wg_terms: array<u32, bit_words>;
var<workgroup> wg_groups: array<u32, 8>;

// One past the last run start in a word of bits, relative to the segment. `first`: the element of the word's first bit. 0 if no
// run starts there.
fn end_of_starts(bits: u32, first: u32) -> u32 { return select(first + 32u - countLeadingZeros(bits), 0u, bits == 0u); }

// The escapes before the gap of a word's first start: SPEC.md, 'Marks'. Gaps within a word have no escapes. `end_before`: one
// past the start before the word.
fn escapes_of(bits: u32, first: u32, end_before: u32) -> u32 {
  if (bits == 0u) { return 0u; }
  return (first + countTrailingZeros(bits) - end_before) / 255u;
}

// Exclusive sum over the first 64 invocations, in two levels of 8, so with two barriers. All invocations must call it; the first
// 64 give a term and get a sum.
fn exclusive_sum(thread: u32, term: u32) -> u32 {
  workgroupBarrier(); // everyone has read the previous call's sums
  if (thread < bit_words) { wg_terms[thread] = term; }
  workgroupBarrier(); // the terms are stored
  if (thread < 8u) {
    var group = 0u;
    for (var i = 0u; i < 8u; i++) { group += wg_terms[8u * thread + i]; }
    wg_groups[thread] = group;
  }
  workgroupBarrier(); // the groups are stored
  var sum = 0u;
  if (thread < bit_words) {
    for (var i = 0u; i < thread / 8u; i++) { sum += wg_groups[i]; }
    for (var i = thread & ~7u; i < thread; i++) { sum += wg_terms[i]; }
  }
  return sum;
}
