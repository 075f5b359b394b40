// Copies payloads' bytes into the rows of a box. src/core/codecs/raw/SPEC.md.
// One invocation owns words of the box's rows, one workgroup a tile of 1024 such words of one chunk.
// Dispatch: one workgroup per tile, spread over x and y.
// Invariants:
// 1. Each word of `voxels` belongs to one chunk, because chunks start at whole words, and one invocation writes it.
// 2. Bytes past the chunk's end in a row's last word keep their values.
// 3. Payload bytes past `payload_bytes` read as 0.
// Twin: `decode` in src/core/codecs/raw/reference.ts.

import package::faults::faults::raise;

override tile_words: u32 = 1024u;

struct Box { row_words: u32, slice_words: u32, tile_count: u32 }

struct Chunk {
  first_word: u32,    // word of the chunk's origin in the box
  row_bytes: u32,     // bytes of voxels in a row of the chunk
  rows: u32,          // rows in a slice of the chunk
  payload_bytes: u32,
  payload_word: u32,  // where the payload starts
  first_tile: u32,
  row_count: u32,     // rows in all slices of the chunk
  unused: u32,
}

@group(0) @binding(0) var<uniform> box: Box;
@group(0) @binding(1) var<storage, read> chunks: array<Chunk>;
// The number of each tile's chunk: `tile_count` words.
@group(0) @binding(2) var<storage, read> chunk_of_tile: array<u32>;
@group(0) @binding(3) var<storage, read> payloads: array<u32>;
// The box: rows of `row_words` words.
@group(0) @binding(4) var<storage, read_write> voxels: array<u32>;

// Word number `word` of a payload; 0 past its end.
fn payload_word(chunk: Chunk, word: u32) -> u32 {
  if (4u * word >= chunk.payload_bytes) { return 0u; }
  return payloads[chunk.payload_word + word];
}

// Four bytes of a payload from byte `at` on.
fn payload_bytes(chunk: Chunk, at: u32) -> u32 {
  let low = payload_word(chunk, at / 4u);
  let shift = 8u * (at % 4u);
  if (shift == 0u) { return low; }
  return (low >> shift) | (payload_word(chunk, at / 4u + 1u) << (32u - shift));
}

@compute @workgroup_size(256)
fn main(
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
) {
  let tile = workgroup.x + workgroup.y * workgroups.x;
  if (tile >= box.tile_count) { return; }
  let chunk_number = chunk_of_tile[tile];
  let chunk = chunks[chunk_number];
  raise(chunk_number, chunk.payload_bytes != chunk.row_bytes * chunk.row_count);
  let row_words = (chunk.row_bytes + 3u) / 4u;
  let first = (tile - chunk.first_tile) * tile_words;
  let end = min(first + tile_words, row_words * chunk.row_count);
  for (var index = first + thread; index < end; index += 256u) {
    let row = index / row_words;
    let word = index % row_words;
    let value = payload_bytes(chunk, row * chunk.row_bytes + 4u * word);
    let target_word =
      chunk.first_word + (row / chunk.rows) * box.slice_words + (row % chunk.rows) * box.row_words + word;
    let valid_bytes = chunk.row_bytes - 4u * word;
    if (valid_bytes >= 4u) {
      voxels[target_word] = value;
    } else {
      let valid = (1u << (8u * valid_bytes)) - 1u;
      voxels[target_word] = (voxels[target_word] & ~valid) | (value & valid);
    }
  }
}
