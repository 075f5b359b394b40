// Encodes each brick into its slot. src/core/codecs/labels/SPEC.md, 'A coded brick' and 'The range coder'.
// Algorithm: row by row. The encoder knows all elements, so the invocations find the labels, guesses and questions of a row's
// elements in parallel, and running sums place the questions in the row's list. Only the range coder is sequential: the first of
// a brick's invocations codes the list while the others work on the next row. A brick that does not become shorter is stored raw.
// Bricks with one label, mostly more than half of them, are found first and skip the rows.
// Sixteen invocations own one brick, its slot and its record, one column each. Dispatch: one workgroup for each `walkers` bricks,
// spread over x and y.
// Invariants:
// 1. A slot has room for the brick's elements, and nothing longer is ever written to it.
// 2. Each brick's record is written.
// 3. When several invocations OR bits into a word, the bits are disjoint, so their order does not matter.
// Twin: `encodeBrick` in src/core/codecs/labels/brick.ts.

import constants::walkers;
import package::labels::brick::{
  Box, Chunk, Place, brick_edge, element_bits, element_bytes, kind_coded, kind_one_label, kind_raw, lanes, low_bits, place_of,
};
import package::labels::guesses::{
  common_label, even_chance, inside_quad, is_byte_done, low, max_labels, narrow, none, none_word, range, row_at, row_chances,
  row_words_kept, shift_interval, start_interval, tables, walker, wg_rows, windows_of, words_around,
};
import package::labels::questions::{Questions, answer_bit, question, questions_of, questions_per_row};

// 1 in each lane of a word.
override lane_ones: u32 = 0xffffffffu / (0xffffffffu >> (32u - element_bits));
const threads = brick_edge * walkers;

@group(0) @binding(0) var<uniform> box: Box;
@group(0) @binding(1) var<storage, read> chunks: array<Chunk>;
// The number of each brick's chunk: `brick_count` words.
@group(0) @binding(2) var<storage, read> chunk_of_brick: array<u32>;
@group(0) @binding(3) var<storage, read> voxels: array<u32>;
// Each brick's bytes in the payload, from its slot's first byte on.
@group(0) @binding(5) var<storage, read_write> slots: array<u32>;
// For each brick: its kind (never 'as before'), the bytes in its slot, and its first element.
@group(0) @binding(6) var<storage, read_write> records: array<vec4u>;

var<workgroup> wg_labels: array<u32, max_labels * walkers>;
// Of the current row: its elements; a bit for each element that is the first with a new label; the labels' indices, a byte each;
// the number of questions of each element, four bits each; and the questions. 5 KiB with everything else.
var<workgroup> wg_elements: array<u32, threads>;
var<workgroup> wg_new: array<atomic<u32>, walkers>;
var<workgroup> wg_indices: array<atomic<u32>, 4u * walkers>;
var<workgroup> wg_counts: array<atomic<u32>, 2u * walkers>;
var<workgroup> wg_questions: array<u32, questions_per_row * walkers>;
// Whether the range coder gave up on the brick.
var<workgroup> wg_has_failed: array<u32, walkers>;
var<workgroup> wg_rows_of_brick: array<u32, walkers>;
// Whether a brick has more than one label.
var<workgroup> wg_differs: array<atomic<u32>, walkers>;
var<workgroup> wg_row_count: u32;

var<private> place: Place;
// The invocation's column.
var<private> column: u32;
// Labels met before the current row.
var<private> label_count: u32;
var<private> raw_bytes: u32;
var<private> byte_count: u32;
var<private> pending: u32;
// The brick is better stored raw.
var<private> has_failed: bool;

fn element_at(x: u32, y: u32, z: u32) -> u32 {
  let word = voxels[place.first_word + z * box.slice_words + y * box.row_words + x / lanes];
  return extractBits(word, element_bits * (x % lanes), element_bits);
}

// The index of a label that was met before this row; otherwise `none`.
fn index_of(element: u32) -> u32 {
  for (var i = 0u; i < label_count; i++) {
    if (wg_labels[max_labels * walker + i] == element) { return i; }
  }
  return none;
}

// The first column of the row with the same element.
fn first_column(element: u32) -> u32 {
  for (var x = 0u; x < column; x++) {
    if (wg_elements[brick_edge * walker + x] == element) { return x; }
  }
  return column;
}

// The number of the row's questions before those of a column.
fn questions_before(to_column: u32) -> u32 {
  let counts = vec2u(atomicLoad(&wg_counts[2u * walker]), atomicLoad(&wg_counts[2u * walker + 1u]));
  let nibbles = vec2u(min(to_column, 8u), max(to_column, 8u) - 8u);
  let before = counts & vec2u(low_bits(4u * nibbles.x), low_bits(4u * nibbles.y));
  let pairs = (before & vec2u(0x0f0f0f0fu)) + ((before >> vec2u(4u)) & vec2u(0x0f0f0f0fu));
  // The highest byte of the product is the sum of all four bytes.
  return dot((pairs * vec2u(0x01010101u)) >> vec2u(24u), vec2u(1u));
}

fn code(asked: u32) {
  narrow((range >> 12u) * extractBits(asked, 0u, answer_bit), (asked >> answer_bit) == 1u);
  while (is_byte_done()) {
    put_byte(low >> 24u);
    shift_interval();
  }
}

fn put_byte(byte: u32) {
  if (byte_count >= raw_bytes) {
    has_failed = true;
    return;
  }
  pending |= (byte & 0xffu) << (8u * (byte_count % 4u));
  byte_count++;
  if (byte_count % 4u == 0u) { flush(byte_count / 4u - 1u); }
}

fn flush(word: u32) {
  slots[place.slot + word] = pending;
  pending = 0u;
}

// 'the fewest bytes, 1 to 4, such that all 32-bit numbers that begin with them (the highest byte first) lie in the interval'
fn close_interval() {
  let last = low + (range - 1u);
  for (var shift = 24u; ; shift -= 8u) {
    let step_mask = low_bits(shift);
    let first = (low + step_mask) & ~step_mask;
    if (first < low || first > last || last - first < step_mask) { continue; }
    for (var at = 24u; at >= shift; at -= 8u) {
      put_byte(first >> at);
      if (at == 0u) { break; }
    }
    return;
  }
}

// Encodes one row of each of the workgroup's bricks. The whole workgroup must call it. `is_there`: whether this brick has such a
// row.
fn encode_row(is_there: bool, y: u32, z: u32) {
  // A brick with too many labels will be raw and takes no further part.
  let is_open = is_there && label_count <= max_labels;
  let is_mine = is_open && column < place.extent.x;
  var element = 0u;
  var index = none;
  if (is_mine) {
    element = element_at(column, y, z);
    index = index_of(element);
  }
  wg_elements[brick_edge * walker + column] = element;
  if (column == 0u) { atomicStore(&wg_new[walker], 0u); }
  if (column < 4u) { atomicStore(&wg_indices[4u * walker + column], 0u); }
  if (column < 2u) { atomicStore(&wg_counts[2u * walker + column], 0u); }
  workgroupBarrier(); // the row's elements are stored
  var first = column;
  if (is_mine && index == none) {
    first = first_column(element);
    if (first == column) { atomicOr(&wg_new[walker], 1u << column); }
  }
  workgroupBarrier(); // the new labels are marked
  let new_labels = atomicLoad(&wg_new[walker]);
  let labels_before = label_count + countOneBits(new_labels & low_bits(column));
  if (is_mine && index == none) {
    index = label_count + countOneBits(new_labels & low_bits(first));
    if (index < max_labels) { wg_labels[max_labels * walker + index] = element; }
  }
  label_count += countOneBits(new_labels);
  let quad = column / 4u;
  atomicOr(&wg_indices[4u * walker + quad], (index & 0xffu) << (8u * (column % 4u)));
  workgroupBarrier(); // the row's indices are stored

  let is_coded = is_open && label_count <= max_labels && wg_has_failed[walker] == 0u;
  let here = words_around(y, quad);
  let indices = atomicLoad(&wg_indices[4u * walker + quad]);
  var around = vec2u(0u);
  var differs = true;
  if (is_coded) {
    around = common_label(y, place.extent);
    if (around.y > 0u) {
      differs = false;
      for (var i = 0u; 4u * i < place.extent.x; i++) {
        let wrong = atomicLoad(&wg_indices[4u * walker + i]) ^ (around.x * 0x01010101u);
        differs = differs || (wrong & inside_quad(i, place.extent)) != 0u;
      }
    }
  }
  var asked = Questions(vec4u(0u), 0u, 0u, 0u);
  if (is_coded && is_mine && differs) {
    var before = vec4u(none_word);
    var left = none;
    if (quad > 0u) { before = words_around(y, quad - 1u); }
    if (column > 0u) {
      left = extractBits(atomicLoad(&wg_indices[4u * walker + (column - 1u) / 4u]), 8u * ((column - 1u) % 4u), 8u);
    }
    asked = questions_of(windows_of(before, here, words_around(y, quad + 1u), column % 4u), left, index, labels_before);
  }
  let count = asked.count + asked.index_bits;
  atomicOr(&wg_counts[2u * walker + column / 8u], count << (4u * (column % 8u)));
  workgroupBarrier(); // the counts are stored, the rows around are read, and the previous row is coded
  if (is_open && column % 4u == 0u) {
    wg_rows[row_at(16u, quad)] = here.z;
    wg_rows[row_at(y, quad)] = indices;
  }
  let row_questions = select(0u, 1u, around.y > 0u);
  let first_question = questions_per_row * walker;
  let end = first_question + row_questions + questions_before(brick_edge);
  var at = first_question + row_questions + questions_before(column);
  if (column == 0u && row_questions == 1u) {
    wg_questions[first_question] = question(tables[row_chances + around.y], differs);
  }
  for (var i = 0u; i < count; i++) {
    if (i < asked.count) {
      wg_questions[at + i] = asked.list[i];
    } else {
      wg_questions[at + i] = question(even_chance, ((asked.index >> (i - asked.count)) & 1u) == 1u);
    }
  }
  workgroupBarrier(); // the questions are stored
  if (column == 0u && is_coded) {
    for (at = first_question; at < end && !has_failed; at++) { code(wg_questions[at]); }
    if (has_failed) { wg_has_failed[walker] = 1u; }
  }
}

// Whether any element differs from `first` in this invocation's share of the brick's rows.
fn differs_from(first: u32) -> bool {
  for (var row = column; row < place.extent.y * place.extent.z; row += brick_edge) {
    for (var x = 0u; x < place.extent.x; x += lanes) {
      let line = place.first_word + (row / place.extent.y) * box.slice_words + (row % place.extent.y) * box.row_words;
      let wrong = voxels[line + x / lanes] ^ (first * lane_ones);
      if ((wrong & low_bits(element_bits * min(lanes, place.extent.x - x))) != 0u) { return true; }
    }
  }
  return false;
}

// Word `number` of a raw brick.
fn raw_word(number: u32) -> u32 {
  var word = 0u;
  for (var lane = 0u; lane < lanes; lane++) {
    let i = number * lanes + lane;
    if (i * element_bytes >= raw_bytes) { break; }
    let row = i / place.extent.x;
    let element = element_at(i % place.extent.x, row % place.extent.y, row / place.extent.y);
    word |= element << (element_bits * lane);
  }
  return word;
}

@compute @workgroup_size(threads)
fn main(
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
) {
  walker = thread / brick_edge;
  column = thread % brick_edge;
  let brick = (workgroup.x + workgroup.y * workgroups.x) * walkers + walker;
  let has_brick = brick < box.brick_count;
  var row_count = 0u;
  if (has_brick) {
    let chunk = chunks[chunk_of_brick[brick]];
    place = place_of(chunk, box, brick - chunk.first_brick);
    row_count = place.extent.y * place.extent.z;
  }
  raw_bytes = place.extent.x * row_count * element_bytes;
  for (var i = column; i < row_words_kept; i += brick_edge) { wg_rows[i * walkers + walker] = none_word; }
  var first = 0u;
  if (has_brick) {
    first = element_at(0u, 0u, 0u);
    if (differs_from(first)) { atomicStore(&wg_differs[walker], 1u); }
  }
  workgroupBarrier(); // it is known which bricks have one label
  if (atomicLoad(&wg_differs[walker]) == 0u) {
    row_count = 0u;
    label_count = 1u;
    if (column == 0u) { wg_labels[max_labels * walker] = first; }
  }
  wg_rows_of_brick[walker] = row_count;
  workgroupBarrier(); // the lengths are stored
  if (thread == 0u) {
    for (var i = 0u; i < walkers; i++) { wg_row_count = max(wg_row_count, wg_rows_of_brick[i]); }
  }
  let most_rows = workgroupUniformLoad(&wg_row_count);
  start_interval();
  for (var row = 0u; row < most_rows; row++) {
    let is_there = row < row_count;
    encode_row(is_there, row % max(place.extent.y, 1u), row / max(place.extent.y, 1u));
  }

  // 'The stream of the range coder, then the brick's labels, E bytes each, the last one first.' Or the single label, or the
  // elements if they are not longer.
  if (column == 0u && has_brick) {
    has_failed = has_failed || label_count > max_labels;
    var kind = kind_coded;
    if (!has_failed && label_count == 1u) {
      kind = kind_one_label;
      byte_count = 0u;
      pending = 0u;
    } else if (!has_failed) {
      close_interval();
    }
    // A brick of one element has one label, which is as long.
    if (has_failed || (kind == kind_coded && byte_count + label_count * element_bytes >= raw_bytes)) {
      kind = kind_raw;
      byte_count = raw_bytes;
      wg_has_failed[walker] = 1u;
    } else {
      for (var i = label_count; i > 0u; i--) {
        for (var bit = 0u; bit < element_bits; bit += 8u) { put_byte(wg_labels[max_labels * walker + i - 1u] >> bit); }
      }
      if (byte_count % 4u != 0u) { flush(byte_count / 4u); }
    }
    records[brick] = vec4u(kind, byte_count, first, 0u);
  }
  workgroupBarrier(); // it is known which bricks are raw
  storageBarrier(); // the range coder's bytes are stored before the elements overwrite them
  if (has_brick && wg_has_failed[walker] != 0u) {
    for (var word = column; 4u * word < raw_bytes; word += brick_edge) { slots[place.slot + word] = raw_word(word); }
  }
}
