// What kernels share that go through the chunks of a box by pieces. No entry point: gpu-chunks.ts and gpu-ramps.ts put it in front of
// analyze.wgsl, fill.wgsl and ramp.wgsl. Made by `planPieces` and `chunkTable` in core/gpu-chunks/gpu-chunks.ts.

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
  last: u32,            // what the kernel has to know of a row's last word
  value: u32,           // for fill.wgsl: the element, as often as a word has elements
  spare_0: u32,
  spare_1: u32,
}
