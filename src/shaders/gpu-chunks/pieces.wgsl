// The box and chunks as kernels see them that visit chunks in pieces. Filled by `planPieces` and `chunkTable` in
// core/gpu-chunks/gpu-chunks.ts.

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
  last: u32,            // what the kernel needs to know about a row's last word
  value: u32,           // for fill.wgsl: the element, repeated to fill the word
  spare_0: u32,
  spare_1: u32,
}
