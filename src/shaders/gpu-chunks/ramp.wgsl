// Measures how far the differences between consecutive elements are from the steps of a ramp, for chunks that may be ramps. An
// element's predecessor is the one in the previous slice; in the first slice the one in the row above; in the first row the one
// to the left.
//
// Elements of 1 and 2 bytes are compared as numbers, elements of 4 bytes modulo 2^32 (core/chunks/ramp.ts, `ruleOf`, says why
// that is enough). An invocation owns one column of words: one position in x and y, and `segment` slices along z. A workgroup
// owns 256 neighbouring columns and adds its results to the chunk's by atomic maxima, which do not depend on their order.
// Dispatch: chunk_count × pieces_per_chunk workgroups over x and y (core/gpu/commands.ts, spread). A piece is one block of
// columns of one segment, blocks first.
// Invariants:
// 1. `found` is zero before the dispatch.
// 2. A piece outside its chunk reads and adds nothing. (Chunks of one dispatch may differ in shape.)
// Twin: core/chunks/ramp.ts, `findSteps`.

import package::gpu_chunks::pieces::{Box, Chunk};

override workgroup_size: u32 = 256;
/** Slices that one invocation walks along z. */
override segment: u32 = 32;
/** Bits of an element: 8, 16 or 32. */
override bits: u32 = 8;
override word_elements: u32 = 32u / bits;
/** All bits of an element. */
override element_mask: u32 = 0xffffffffu >> (32u - bits);

// A chunk's `last`: how many elements of a row's last word lie in the chunk.

/** Words of the box, rows padded. */
@group(0) @binding(0) var<storage, read> voxels: array<u32>;
/** One per chunk. */
@group(0) @binding(1) var<storage, read> chunks: array<Chunk>;
/**
 * 8 words per chunk: the largest complement of a distance that is not 0 (0 if there is none; it gives the least such distance),
 * the largest distance, the largest element, the steps from the first element along x, y and z (0 if it has no neighbour), and 2
 * spare words.
 */
@group(0) @binding(2) var<storage, read_write> found: array<atomic<u32>>;
@group(0) @binding(3) var<uniform> box: Box;

/** The workgroup's first three words of `found`. */
var<workgroup> wg_found: array<atomic<u32>, 3>;

/** Element `i` of a word. */
fn element(word: u32, i: u32) -> u32 { return (word >> (i * bits)) & element_mask; }

/** The left neighbours of a word's elements. `left`: the word to the left. */
fn one_on(word: u32, left: u32) -> u32 {
  if (bits == 32u) { return left; }
  return (word << (bits % 32u)) | (left >> ((32u - bits) % 32u));
}

/** The steps from a chunk's first element to its neighbours along x, y, z. */
fn first_steps(chunk: Chunk) -> vec3u {
  let word = voxels[chunk.first_word];
  let first = element(word, 0u);
  var steps = vec3u(0u);
  if (chunk.row_words > 1u || chunk.last > 1u) {
    steps.x = select(element(word, 1u % word_elements), voxels[chunk.first_word + min(1u, chunk.row_words - 1u)], bits == 32u) - first;
  }
  if (chunk.rows > 1u) { steps.y = element(voxels[chunk.first_word + box.row_stride], 0u) - first; }
  if (chunk.slices > 1u) { steps.z = element(voxels[chunk.first_word + box.slice_stride], 0u) - first; }
  return steps;
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
  let column = (piece % box.column_blocks) * workgroup_size + local;
  let first_slice = (piece / box.column_blocks) * segment;
  let end_slice = min(first_slice + segment, chunk.slices);
  let steps = first_steps(chunk);

  if (number / box.pieces_per_chunk < box.chunk_count && column < chunk.row_words * chunk.rows && first_slice < end_slice) {
    let row = column / chunk.row_words;
    let in_row = column - row * chunk.row_words;
    let elements = select(word_elements, chunk.last, in_row == chunk.row_words - 1u);
    var at = chunk.first_word + first_slice * box.slice_stride + row * box.row_stride + in_row;
    var least_complement = 0u;
    var most = 0u;
    var largest = 0u;
    for (var slice = first_slice; slice < end_slice; slice++) {
      let word = voxels[at];
      var before = 0u;
      var step = 0u;
      var first = 0u; // the first of the word's elements that has a predecessor
      if (slice > 0u) {
        before = voxels[at - box.slice_stride];
        step = steps.z;
      } else if (row > 0u) {
        before = voxels[at - box.row_stride];
        step = steps.y;
      } else {
        before = one_on(word, voxels[at - min(1u, in_row)]);
        step = steps.x;
        first = select(0u, 1u, in_row == 0u);
      }
      for (var i = 0u; i < elements; i++) {
        let value = element(word, i);
        largest = max(largest, value);
        let away = u32(abs(bitcast<i32>(value - element(before, i) - step)));
        if (i >= first && away != 0u) {
          most = max(most, away);
          least_complement = max(least_complement, ~away);
        }
      }
      at += box.slice_stride;
    }
    atomicMax(&wg_found[0], least_complement);
    atomicMax(&wg_found[1], most);
    atomicMax(&wg_found[2], largest);
  }

  workgroupBarrier(); // the workgroup's maxima are stored
  if (number / box.pieces_per_chunk >= box.chunk_count) { return; }
  if (local < 3u) {
    atomicMax(&found[chunk_index * 8u + local], atomicLoad(&wg_found[local]));
  } else if (local < 6u && piece == 0u) {
    atomicStore(&found[chunk_index * 8u + local], steps[local - 3u]);
  }
}
