// Statistics of chunks in one pass over their words: how often neighbours along x, y and z differ, and the checksum.
//
// Elements of 1 and 2 bytes are compared a whole word at a time, by counting the non-zero elements in an XOR of two words
// (Hacker's Delight, section 6-1). Checksum: docs/FORMAT.md, section 'Checksum'.
// An invocation owns one column of words, or of four neighbouring words if all rows are whole quads: one position in x and y, and
// `segment` slices along z. A workgroup owns 256 neighbouring columns and adds its sums to the chunk's by atomics. Integer sums
// do not depend on their order.
// Dispatch: chunk_count × pieces_per_chunk workgroups over x and y (core/gpu/commands.ts, spread). A piece is one block of
// columns of one segment, blocks first.
// Invariants:
// 1. Row padding in `voxels` is zero, so it never differs from padding and adds nothing of its own to the checksum.
// 2. `totals` is zero before the dispatch.
// 3. An invocation has at most 63 words, so four elements' counts fit one byte each, and so does their sum.
// 4. A piece outside its chunk reads and adds nothing. (Chunks of one dispatch may differ in shape.)
// Twin: core/chunks/analyze.ts, `analyze`.

import package::gpu_chunks::mix::{mix, of_cross, of_number};
import package::gpu_chunks::pieces::{Box, Chunk};

override workgroup_size: u32 = 256;
/** Slices that one invocation walks along z. */
override segment: u32 = 32;
/** All chunks and all their rows begin at a multiple of four words. */
override by_quads: bool = false;
override column_words: u32 = select(1u, 4u, by_quads);
/** Bits of an element: 8, 16 or 32. */
override bits: u32 = 8;
/** All bits except the highest of each element in a word. */
override low: u32 = 0x7f7f7f7f;
/** The highest bit of each element in a word. */
override high: u32 = 0x80808080;
/** The lowest bit of each element in a word. */
override ones: u32 = 0x01010101;

// A chunk's `last`: a mask of the elements in a row's last word that have a right neighbour.

/** Words of the box, rows padded. */
@group(0) @binding(0) var<storage, read> voxels: array<u32>;
/** One per chunk. */
@group(0) @binding(1) var<storage, read> chunks: array<Chunk>;
/** 8 words per chunk: changes along x, y, z, the checksum's sum and cross, and the first three words of the chunk's first row. */
@group(0) @binding(2) var<storage, read_write> totals: array<atomic<u32>>;
@group(0) @binding(3) var<uniform> box: Box;
/** `voxels`, four words at a time. */
@group(0) @binding(4) var<storage, read> quads: array<vec4u>;

const counters = 5u;
const parts = 16u;

/** For each invocation: changes along x, y and z, and the checksum's sum and cross, one array after the other. */
var<workgroup> wg_terms: array<u32, counters * workgroup_size>;
/** For each of the five: partial sums over the invocations. */
var<workgroup> wg_parts: array<u32, counters * parts>;

/** Counts the elements that are not zero: 1 in each such element, summed over four words. */
fn elements_set(differs: vec4u) -> u32 {
  let found = ((((differs & vec4u(low)) + low) | differs) & vec4u(high)) >> vec4u(bits - 1u);
  return found.x + found.y + found.z + found.w;
}

/** The sum of a word's elements. */
fn sum_of_elements(word: u32) -> u32 { return (word * ones) >> (32u - bits); }

/** The right neighbours of the elements of `word`. If an element fills a word, these are `next`: shifts by 32 are not allowed. */
fn behind_in_row(word: vec4u, next: vec4u) -> vec4u {
  if (bits == 32u) { return next; }
  return (word >> vec4u(bits % 32u)) | (next << vec4u((32u - bits) % 32u));
}

/** The words of a column in one slice from word `at` on. For single words, only the first counts. */
fn load(at: u32) -> vec4u {
  if (by_quads) { return quads[at / 4u]; }
  return vec4u(voxels[at], 0u, 0u, 0u);
}

@compute @workgroup_size(workgroup_size)
fn main(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) local: u32,
) {
  let number = workgroup.x + workgroup.y * workgroups.x;
  let chunk_index = min(number / box.pieces_per_chunk, box.chunk_count - 1u);
  let piece = number % box.pieces_per_chunk;
  let chunk = chunks[chunk_index];
  let row_columns = chunk.row_words / column_words;
  let column_count = row_columns * chunk.rows;
  let column = (piece % box.column_blocks) * workgroup_size + local;
  let first_slice = (piece / box.column_blocks) * segment;
  let end_slice = min(first_slice + segment, chunk.slices);

  if (number / box.pieces_per_chunk < box.chunk_count && column < column_count && first_slice < end_slice) {
    let row = column / row_columns;
    let in_row = column - row * row_columns;
    let is_last = in_row == row_columns - 1u;
    var x_mask = vec4u(0xffffffffu);
    if (is_last) { x_mask[column_words - 1u] = chunk.last; }
    let to_next = select(column_words, 0u, is_last);
    let to_below = select(0u, box.row_stride, row + 1u < chunk.rows);
    var at = chunk.first_word + first_slice * box.slice_stride + row * box.row_stride + in_row * column_words;
    var numbers = (first_slice * column_count + column) * column_words * of_number +
      vec4u(0u, of_number, 2u * of_number, 3u * of_number);
    var words = load(at);
    // Counts of changes, one per element of a word.
    var changes = vec3u(0u);
    var sum = vec4u(0u);
    var cross = vec4u(0u);
    for (var slice = first_slice; slice < end_slice; slice++) {
      let next = voxels[at + to_next];
      let below = load(at + to_below);
      let behind = load(at + select(0u, box.slice_stride, slice + 1u < chunk.slices));
      let beside = select(vec4u(next, 0u, 0u, 0u), vec4u(words.yzw, next), by_quads);
      let mixed = mix(words ^ numbers);
      changes += vec3u(
        elements_set((words ^ behind_in_row(words, beside)) & x_mask),
        elements_set(words ^ below),
        elements_set(words ^ behind),
      );
      sum += mixed;
      cross += mixed ^ (mixed >> vec4u(15u));
      words = behind;
      at += box.slice_stride;
      numbers += column_count * column_words * of_number;
    }
    wg_terms[local] = sum_of_elements(changes.x);
    wg_terms[workgroup_size + local] = sum_of_elements(changes.y);
    wg_terms[2u * workgroup_size + local] = sum_of_elements(changes.z);
    if (by_quads) {
      wg_terms[3u * workgroup_size + local] = sum.x + sum.y + sum.z + sum.w;
      wg_terms[4u * workgroup_size + local] = (cross.x + cross.y + cross.z + cross.w) * of_cross;
    } else {
      wg_terms[3u * workgroup_size + local] = sum.x;
      wg_terms[4u * workgroup_size + local] = cross.x * of_cross;
    }
  }

  workgroupBarrier(); // the terms are stored
  if (local < counters * parts) {
    let first = local / parts * workgroup_size + local % parts;
    var part = 0u;
    for (var i = 0u; i < workgroup_size; i += parts) { part += wg_terms[first + i]; }
    wg_parts[local] = part;
  }
  workgroupBarrier(); // the partial sums are stored
  if (number / box.pieces_per_chunk >= box.chunk_count) { return; }
  if (local < counters) {
    var total = 0u;
    for (var i = 0u; i < parts; i++) { total += wg_parts[local * parts + i]; }
    atomicAdd(&totals[chunk_index * 8u + local], total);
  } else if (local < 8u && piece == 0u) {
    let word = chunk.first_word + min(local - counters, chunk.row_words - 1u);
    atomicStore(&totals[chunk_index * 8u + local], voxels[word]);
  }
}
