// Writes constant chunks: every element of a chunk becomes the same value.
//
// docs/FORMAT.md, section 'Constant chunks'. An invocation owns one column of words: one place in x and y, and `segment`
// slices along z. A workgroup owns 256 neighbouring columns.
// Dispatch: chunk_count × pieces_per_chunk workgroups over x and y (core/gpu/commands.ts, spread); a piece is one block
// of columns of one segment, blocks first.
// Invariants:
//   1. A row's last word keeps zeros where no element of the chunk lies: that is row padding.
//   2. Chunks start and, but for those at the box's end, stop at whole words, so no word has two writers.
// Twin: core/engine/analyze.ts, `fillElement`.

override workgroup_size: u32 = 256;
/** Slices that one invocation walks along z. */
override segment: u32 = 32;

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
  last_mask: u32,       // elements of a row's last word that lie in the chunk
  value: u32,           // the element, as often as a word has elements
  spare_0: u32,
  spare_1: u32,
}

/** Words of the box, rows padded. */
@group(0) @binding(0) var<storage, read_write> voxels: array<u32>;
/** One for each chunk. */
@group(0) @binding(1) var<storage, read> chunks: array<Chunk>;
@group(0) @binding(2) var<uniform> box: Box;

@compute @workgroup_size(workgroup_size)
fn main(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) local: u32,
) {
  let number = workgroup.x + workgroup.y * workgroups.x;
  if (number / box.pieces_per_chunk >= box.chunk_count) {
    return;
  }
  let chunk = chunks[number / box.pieces_per_chunk];
  let piece = number % box.pieces_per_chunk;
  let column = (piece % box.column_blocks) * workgroup_size + local;
  if (column >= chunk.row_words * chunk.rows) {
    return;
  }
  let column_x = column % chunk.row_words;
  let first_slice = (piece / box.column_blocks) * segment;
  let end_slice = min(first_slice + segment, chunk.slices);
  let value = chunk.value & select(0xffffffffu, chunk.last_mask, column_x == chunk.row_words - 1u);
  let first = chunk.first_word + (column / chunk.row_words) * box.row_stride + column_x;
  for (var slice = first_slice; slice < end_slice; slice++) {
    voxels[first + slice * box.slice_stride] = value;
  }
}
