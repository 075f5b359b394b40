// Statistics of chunks in one pass over their words: how often neighbours along x, y and z differ, and the checksum.
//
// Elements of 1 and 2 bytes are compared a whole word at a time (elements that are not zero in an XOR of two words, by
// Hacker's Delight, section 6-1). Checksum: docs/FORMAT.md, section 'Checksum'.
// An invocation owns one column of words: one place in x and y, and `segment` slices along z. A workgroup owns 256
// neighbouring columns, and adds its sums to the chunk's by atomics: integer sums do not depend on their order.
// Dispatch: chunk_count × pieces_per_chunk workgroups over x and y (core/gpu/commands.ts, spread); a piece is one block
// of columns of one segment, blocks first.
// Invariants:
//   1. Row padding in `voxels` is zero, so padding never differs from padding and adds nothing of its own to the checksum.
//   2. `totals` is zero before the dispatch.
//   3. A piece outside its chunk (chunks of one dispatch may differ in shape) reads and adds nothing.
// Twin: core/engine/analyze.ts, `analyze`.

override workgroup_size: u32 = 256;
/** Slices that one invocation walks along z. */
override segment: u32 = 32;
/** Bits of an element: 8, 16 or 32. */
override bits: u32 = 8;
/** All bits of each element in a word but the highest. */
override low: u32 = 0x7f7f7f7f;
/** The highest bit of each element in a word. */
override high: u32 = 0x80808080;
/** The lowest bit of each element in a word. */
override ones: u32 = 0x01010101;

struct Box {
  row_stride: u32,      // words from row to row of the box
  slice_stride: u32,    // words from slice to slice of the box
  chunk_count: u32,
  pieces_per_chunk: u32,
  column_blocks: u32,   // blocks of workgroup_size columns in the widest chunk
}

struct Chunk {
  first_word: u32,      // of the chunk, in `voxels`
  row_words: u32,
  rows: u32,
  slices: u32,
  last_mask: u32,       // elements of a row's last word that have a neighbour behind them in x
  value: u32,           // not used here
  spare_0: u32,
  spare_1: u32,
}

/** Words of the box, rows padded. */
@group(0) @binding(0) var<storage, read> voxels: array<u32>;
/** One for each chunk. */
@group(0) @binding(1) var<storage, read> chunks: array<Chunk>;
/** 8 words a chunk: changes along x, y, z, checksum's sum and cross, the chunk's first word, and 2 spare. */
@group(0) @binding(2) var<storage, read_write> totals: array<atomic<u32>>;
@group(0) @binding(3) var<uniform> box: Box;

/** Of each invocation: changes along x, y, z, and the checksum's sum. */
var<workgroup> wg_sums: array<vec4u, workgroup_size>;
var<workgroup> wg_cross: array<u32, workgroup_size>;

fn count_elements(differs: u32) -> u32 {
  return ((((((differs & low) + low) | differs) & high) >> (bits - 1u)) * ones) >> (32u - bits);
}

fn mix(word: u32) -> u32 {
  var mixed = word ^ (word >> 16u);
  mixed *= 0x85ebca6bu;
  mixed ^= mixed >> 13u;
  mixed *= 0xc2b2ae35u;
  return mixed ^ (mixed >> 16u);
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
  let column_count = chunk.row_words * chunk.rows;
  let column = (piece % box.column_blocks) * workgroup_size + local;
  let first_slice = (piece / box.column_blocks) * segment;
  let end_slice = min(first_slice + segment, chunk.slices);

  var sums = vec4u(0);
  var cross = 0u;
  if (number / box.pieces_per_chunk < box.chunk_count && column < column_count && first_slice < end_slice) {
    let row = column / chunk.row_words;
    let is_last = column % chunk.row_words == chunk.row_words - 1u;
    let x_mask = select(0xffffffffu, chunk.last_mask, is_last);
    let to_next = select(1u, 0u, is_last);
    let to_below = select(0u, box.row_stride, row + 1u < chunk.rows);
    var at = chunk.first_word + first_slice * box.slice_stride + row * box.row_stride + column % chunk.row_words;
    var word_index = first_slice * column_count + column;
    var word = voxels[at];
    for (var slice = first_slice; slice < end_slice; slice++) {
      let next = voxels[at + to_next];
      // Shifts go by halves, since a shift by 32 is none.
      let shifted = ((word >> (bits / 2u)) >> (bits / 2u)) | ((next << (16u - bits / 2u)) << (16u - bits / 2u));
      let below = voxels[at + to_below];
      let behind = voxels[at + select(0u, box.slice_stride, slice + 1u < chunk.slices)];
      let mixed = mix(word ^ (word_index * 0x9e3779b1u));
      sums += vec4u(
        count_elements((word ^ shifted) & x_mask),
        count_elements(word ^ below),
        count_elements(word ^ behind),
        mixed,
      );
      cross += (mixed ^ (mixed >> 15u)) * 0x27d4eb2fu;
      word = behind;
      at += box.slice_stride;
      word_index += column_count;
    }
  }

  wg_sums[local] = sums;
  wg_cross[local] = cross;
  for (var stride = workgroup_size / 2u; stride > 0u; stride /= 2u) {
    workgroupBarrier(); // both halves' sums are there before one is added to the other
    if (local < stride) {
      wg_sums[local] += wg_sums[local + stride];
      wg_cross[local] += wg_cross[local + stride];
    }
  }
  if (local == 0u && number / box.pieces_per_chunk < box.chunk_count) {
    let total = chunk_index * 8u;
    atomicAdd(&totals[total], wg_sums[0].x);
    atomicAdd(&totals[total + 1u], wg_sums[0].y);
    atomicAdd(&totals[total + 2u], wg_sums[0].z);
    atomicAdd(&totals[total + 3u], wg_sums[0].w);
    atomicAdd(&totals[total + 4u], wg_cross[0]);
    if (piece == 0u) {
      atomicStore(&totals[total + 5u], voxels[chunk.first_word]);
    }
  }
}
