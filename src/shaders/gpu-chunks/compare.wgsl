// Counts the words in which the chunks of two boxes differ: the bit-exact check, on the GPU.
//
// An invocation owns one column of words: one position in x and y, and `segment` slices along z. A workgroup owns 256
// neighbouring columns and adds its count to the total by an atomic. An integer sum does not depend on its order.
// Dispatch: chunk_count × pieces_per_chunk workgroups over x and y (core/gpu/commands.ts, spread). A piece is one block of
// columns of one segment, blocks first.
// Invariants:
// 1. Row padding is zero in both boxes, so it never differs.
// 2. `differing` is zero before the first dispatch.
// Twin: none is needed. core/gpu-chunks/gpu-backend.gpu.test.ts plants differences for it to find.

override workgroup_size: u32 = 256;
/** Slices that one invocation walks along z. */
override segment: u32 = 32;

struct Box {
  row_stride: u32,      // words from row to row of the first box
  slice_stride: u32,    // words from slice to slice of the first box
  chunk_count: u32,
  pieces_per_chunk: u32,
  column_blocks: u32,   // blocks of workgroup_size columns in the widest chunk
  other_row_stride: u32,
  other_slice_stride: u32,
}

struct Chunk {
  first_word: u32,      // of the chunk, in `voxels`
  row_words: u32,
  rows: u32,
  slices: u32,
  last_mask: u32,       // not used here
  other_first_word: u32,// of the chunk, in `other`
  spare_0: u32,
  spare_1: u32,
}

/** Words of the first box, rows padded. */
@group(0) @binding(0) var<storage, read> voxels: array<u32>;
/** Words of the second box, rows padded. */
@group(0) @binding(1) var<storage, read> other: array<u32>;
/** One per chunk. */
@group(0) @binding(2) var<storage, read> chunks: array<Chunk>;
/** One word: how many words differ. */
@group(0) @binding(3) var<storage, read_write> differing: atomic<u32>;
@group(0) @binding(4) var<uniform> box: Box;

var<workgroup> wg_counts: array<u32, workgroup_size>;

@compute @workgroup_size(workgroup_size)
fn main(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) local: u32,
) {
  let number = workgroup.x + workgroup.y * workgroups.x;
  let chunk = chunks[min(number / box.pieces_per_chunk, box.chunk_count - 1u)];
  let piece = number % box.pieces_per_chunk;
  let column = (piece % box.column_blocks) * workgroup_size + local;
  let first_slice = (piece / box.column_blocks) * segment;
  let end_slice = min(first_slice + segment, chunk.slices);

  var count = 0u;
  if (number / box.pieces_per_chunk < box.chunk_count && column < chunk.row_words * chunk.rows) {
    let row = column / chunk.row_words;
    let column_x = column % chunk.row_words;
    let first = chunk.first_word + row * box.row_stride + column_x;
    let other_first = chunk.other_first_word + row * box.other_row_stride + column_x;
    for (var slice = first_slice; slice < end_slice; slice++) {
      if (voxels[first + slice * box.slice_stride] != other[other_first + slice * box.other_slice_stride]) {
        count++;
      }
    }
  }

  wg_counts[local] = count;
  for (var stride = workgroup_size / 2u; stride > 0u; stride /= 2u) {
    workgroupBarrier(); // both halves' counts are stored
    if (local < stride) {
      wg_counts[local] += wg_counts[local + stride];
    }
  }
  if (local == 0u && wg_counts[0] > 0u) {
    atomicAdd(&differing, wg_counts[0]);
  }
}
