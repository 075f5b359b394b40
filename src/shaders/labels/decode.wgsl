// Decodes each brick. src/core/codecs/labels/SPEC.md, 'A coded brick' and 'The range coder'.
// Algorithm: a workgroup together fills its bricks that are not coded. Then each invocation decodes one coded brick, element by
// element in memory order: each answer decides the next question and its chance.
// One invocation owns one brick. Dispatch: one workgroup for each `walkers` bricks, spread over x and y.
// Invariants:
// 1. Bricks begin at whole words of the target, so no word has two writers.
// 2. Nothing outside the brick's elements is written and nothing outside its span is read, even if the payload is damaged.
// Twin: `decodeBrick` in src/core/codecs/labels/brick.ts.

import constants::walkers;
import package::faults::faults::{checks, raise};
import package::labels::brick::{Box, Chunk, Place, element_bits, element_bytes, kind_coded, kind_raw, lanes, low_bits, place_of};
import package::labels::guesses::{
  common_label, even_chance, index_bits, inside_quad, is_byte_done, low, max_labels, miss_chance, narrow, new_chance, next_guess,
  none, none_word, range, row_at, row_chances, row_words_kept, shift_interval, start_interval, tables, walker, wg_rows,
  windows_of, words_around,
};

@group(0) @binding(0) var<uniform> box: Box;
@group(0) @binding(1) var<storage, read> chunks: array<Chunk>;
// The number of each brick's chunk: `brick_count` words.
@group(0) @binding(2) var<storage, read> chunk_of_brick: array<u32>;
@group(0) @binding(3) var<storage, read> payloads: array<u32>;
// From locate.wgsl.
@group(0) @binding(5) var<storage, read> spans: array<vec4u>;
@group(0) @binding(6) var<storage, read_write> voxels: array<u32>;

var<private> place: Place;
var<private> label_count: u32;
// Whether the payload names more labels than allowed.
var<private> has_failed: bool;
// The brick's next byte, and the end of its bytes.
var<private> next: u32;
var<private> end: u32;
// The stream's next four bytes, minus the interval's low end.
var<private> offset: u32;
// For checks: the bytes of the stream that are done, and whether an index named no label.
var<private> done_bytes: u32;
var<private> names_no_label: bool;
// The last label that was looked up.
var<private> seen_index: u32;
var<private> seen_label: u32;

fn byte_at(at: u32) -> u32 { return extractBits(payloads[at / 4u], 8u * (at % 4u), 8u); }

// Zeros follow the stream's end.
fn next_byte() -> u32 {
  if (next >= end) { return 0u; }
  next++;
  return byte_at(next - 1u);
}

// The element whose bytes begin at `at`; 0 if they do not end within the brick or payload.
fn element_from(at: u32, limit: u32) -> u32 {
  if (at + element_bytes > limit) { return 0u; }
  var value = 0u;
  for (var i = 0u; i < element_bytes; i++) { value |= byte_at(at + i) << (8u * i); }
  return value;
}

fn label_of(index: u32) -> u32 {
  if (index != seen_index) {
    seen_index = index;
    let back = (index + 1u) * element_bytes;
    seen_label = element_from(max(end, back) - back, end);
  }
  return seen_label;
}

// Decodes the answer to a question. `chance`: the chance of a yes.
fn decide(chance: u32) -> bool {
  let part = (range >> 12u) * chance;
  let is_event = offset < part;
  if (!is_event) { offset -= part; }
  narrow(part, is_event);
  while (is_byte_done()) {
    shift_interval();
    offset = (offset << 8u) | next_byte();
    done_bytes++;
  }
  return is_event;
}

// 'the fewest bytes, 1 to 4, such that all 32-bit numbers that begin with them (the highest byte first) lie in the interval'
fn closing_bytes() -> u32 {
  for (var count = 1u; count < 4u; count++) {
    let step = 1u << (32u - 8u * count);
    let gap = (0u - low) & (step - 1u);
    if (gap + step <= range) { return count; }
  }
  return 4u;
}

// Whether the stream and the labels do not add up to the brick's length, or an index named no label.
fn walk_fails(span: vec4u) -> bool {
  let bytes = done_bytes + closing_bytes() + label_count * element_bytes;
  return has_failed || names_no_label || bytes != span.y - span.x;
}

fn walk() {
  label_count = 0u;
  has_failed = false;
  for (var i = 0u; i < row_words_kept; i++) { wg_rows[i * walkers + walker] = none_word; }
  for (var z = 0u; z < place.extent.z; z++) {
    for (var y = 0u; y < place.extent.y; y++) {
      if (has_failed) { return; }
      let around = common_label(y, place.extent);
      var label = none;
      if (around.y > 0u && !decide(tables[row_chances + around.y])) { label = around.x; }
      walk_row(y, z, label);
    }
  }
}

// Decodes one row: all elements are `label`, or each is decoded if that is `none`.
fn walk_row(y: u32, z: u32, label: u32) {
  var before = vec4u(none_word);
  var here = vec4u(none_word);
  var after = vec4u(none_word);
  var left = none;
  // One step ahead of the four elements being decoded, which need their right neighbours.
  for (var ahead = 0u; 4u * ahead < place.extent.x + 4u; ahead++) {
    before = here;
    here = after;
    after = words_around(y, ahead);
    if (ahead == 0u) { continue; }
    let quad = ahead - 1u;
    let inside = inside_quad(quad, place.extent);
    var indices = ((label * 0x01010101u) & inside) | ~inside;
    if (label == none) {
      for (var i = 0u; i < min(4u, place.extent.x - 4u * quad); i++) {
        left = decode_element(windows_of(before, here, after, i), left);
        indices = insertBits(indices, left, 8u * i, 8u);
      }
    }
    wg_rows[row_at(16u, quad)] = here.z;
    wg_rows[row_at(y, quad)] = indices;
    emit(y, z, quad, indices);
  }
}

const ask_guess = 0u;
const ask_new = 1u;
const ask_index = 2u;

// Decodes one element's label: the guesses in order, then the rest. All questions go through one call of `decide`, because
// compilers inline a copy at each call.
fn decode_element(windows: vec4u, left: u32) -> u32 {
  var question = ask_guess;
  var guesses = 0u;
  var guess = none;
  var first = none;
  var second = none;
  var index = 0u;
  var bit = 0u;
  loop {
    if (question == ask_guess) {
      guess = next_guess(windows, left, guesses, first, second);
      if (guess == none || guesses == 3u) {
        question = ask_new;
        // 'let m be the number of labels met in this brick so far, less the number of guesses. If m = 0, the label is new.' Only
        // a damaged payload has more guesses than labels.
        if (label_count <= guesses) { break; }
      }
    }
    if (question == ask_index && bit == index_bits(label_count)) {
      names_no_label = names_no_label || index >= label_count;
      return min(index, label_count - 1u);
    }

    var chance = even_chance;
    if (question == ask_guess) {
      chance = miss_chance(windows, left, guess, guesses);
    } else if (question == ask_new) {
      chance = new_chance(label_count - guesses);
    }
    let answer = decide(chance);

    if (question == ask_guess) {
      if (!answer) { return guess; }
      guesses++;
      if (guesses == 1u) { first = guess; } else { second = guess; }
    } else if (question == ask_new) {
      if (answer) { break; }
      question = ask_index;
    } else {
      index |= u32(answer) << bit;
      bit++;
    }
  }
  if (label_count == max_labels) {
    has_failed = true;
    return 0u;
  }
  label_count++;
  return label_count - 1u;
}

fn emit(y: u32, z: u32, quad: u32, indices: u32) {
  var elements = vec4u(0u);
  for (var i = 0u; i < 4u; i++) {
    let index = extractBits(indices, 8u * i, 8u);
    if (index != none) { elements[i] = label_of(index); }
  }
  store(y, z, quad, elements);
}

// Stores four elements of a row, from x = 4 × quad on, except those outside the brick.
fn store(y: u32, z: u32, quad: u32, elements: vec4u) {
  let row = place.first_word + z * box.slice_words + y * box.row_words;
  for (var i = 0u; i < element_bytes; i++) {
    var word = 0u;
    for (var lane = 0u; lane < lanes; lane++) { word |= elements[i * lanes + lane] << (element_bits * lane); }
    let x = 4u * quad + i * lanes;
    if (x >= place.extent.x) { return; }
    let inside = low_bits(element_bits * min(lanes, place.extent.x - x));
    let at = row + x / lanes;
    if (inside != 0xffffffffu) { word = (word & inside) | (voxels[at] & ~inside); }
    voxels[at] = word;
  }
}

// Fills a brick that is not coded: with the label whose bytes begin at span.w, or with its elements from span.x on. Neighbouring
// invocations store neighbouring elements.
fn fill(span: vec4u, limit: u32, local: u32) {
  let label = element_from(span.w, limit);
  let quads = (place.extent.x + 3u) / 4u;
  for (var i = local; i < quads * place.extent.y * place.extent.z; i += walkers) {
    let quad = i % quads;
    let row = i / quads;
    var elements = vec4u(label);
    if (span.z == kind_raw) {
      let first = span.x + (row * place.extent.x + 4u * quad) * element_bytes;
      for (var lane = 0u; lane < min(4u, place.extent.x - 4u * quad); lane++) {
        elements[lane] = element_from(first + lane * element_bytes, span.y);
      }
    }
    store(row % place.extent.y, row / place.extent.y, quad, elements);
  }
}

@compute @workgroup_size(walkers)
fn main(
  @builtin(local_invocation_index) local: u32,
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
) {
  let first = (workgroup.x + workgroup.y * workgroups.x) * walkers;
  for (var brick = first; brick < min(first + walkers, box.brick_count); brick++) {
    let span = spans[brick];
    if (span.z == kind_coded) { continue; }
    let chunk = chunks[chunk_of_brick[brick]];
    place = place_of(chunk, box, brick - chunk.first_brick);
    fill(span, chunk.byte_offset + chunk.byte_length, local);
  }

  let brick = first + local;
  if (brick >= box.brick_count) { return; }
  let span = spans[brick];
  if (span.z != kind_coded) { return; }
  walker = local;
  let chunk_number = chunk_of_brick[brick];
  let chunk = chunks[chunk_number];
  place = place_of(chunk, box, brick - chunk.first_brick);
  next = span.x;
  end = span.y;
  seen_index = none;
  offset = 0u;
  for (var i = 0u; i < 4u; i++) { offset = (offset << 8u) | next_byte(); }
  start_interval();
  walk();
  if (checks) { raise(chunk_number, walk_fails(span)); }
}
