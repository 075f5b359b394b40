// Copies chunks' voxel bytes from a box with padded rows into payloads without padding. src/core/codecs/raw/SPEC.md.
// One invocation owns words of the payload, one workgroup a tile of 1024 neighbouring words of one payload.
// Dispatch: one workgroup per tile, spread over x and y.
// Invariants:
// 1. One invocation writes each word of `payloads`. The bytes past a payload's end in its last word are 0.
// 2. Nothing outside the chunk is read.
// Twin: `encode` in src/core/codecs/raw/reference.ts.

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
// The box: rows of `row_words` words.
@group(0) @binding(3) var<storage, read> voxels: array<u32>;
@group(0) @binding(4) var<storage, read_write> payloads: array<u32>;

fn voxel_byte(chunk: Chunk, row: u32, at: u32) -> u32 {
  let start = chunk.first_word + (row / chunk.rows) * box.slice_words + (row % chunk.rows) * box.row_words;
  return (voxels[start + at / 4u] >> (8u * (at % 4u))) & 0xffu;
}

@compute @workgroup_size(256)
fn main(
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
) {
  let tile = workgroup.x + workgroup.y * workgroups.x;
  if (tile >= box.tile_count) { return; }
  let chunk = chunks[chunk_of_tile[tile]];
  let first = (tile - chunk.first_tile) * tile_words;
  let end = min(first + tile_words, (chunk.payload_bytes + 3u) / 4u);
  for (var word = first + thread; word < end; word += 256u) {
    var row = (4u * word) / chunk.row_bytes;
    var at = (4u * word) % chunk.row_bytes;
    var value = 0u;
    for (var byte = 0u; byte < min(4u, chunk.payload_bytes - 4u * word); byte++) {
      value |= voxel_byte(chunk, row, at) << (8u * byte);
      at++;
      if (at == chunk.row_bytes) { at = 0u; row++; }
    }
    payloads[chunk.payload_word + word] = value;
  }
}
