// Writes each tile's bytes into its chunk's payload. src/core/codecs/rle/SPEC.md, 'Payload'.
// order.wgsl and tree.wgsl stand in front of this text.
// Algorithm: every byte of a section has a rank; the byte's place in its level, or the element that starts the run, is
// the bit of that rank in the level above (select in a bitmap with ranks).
// One invocation owns words of the payload, one workgroup the bytes of one tile.
// Dispatch: one workgroup a tile, spread over x and y.
// Invariants:
// 1. `payloads` is zero before. Tiles' bytes are disjoint, so a word that two tiles share is the same whoever comes first.
// 2. A tile without a run start has only zero bytes: nothing is written.
// 3. Chunks with byte_length 0 are left out.
// Twin: `encode` in src/core/codecs/rle/reference.ts.

@group(0) @binding(0) var<uniform> box: Box;
@group(0) @binding(1) var<storage, read> chunks: array<Chunk>;
// The number of each tile's chunk: `tile_count` words.
@group(0) @binding(2) var<storage, read> chunk_of_tile: array<u32>;
@group(0) @binding(3) var<storage, read> voxels: array<u32>;
// Level 0 of each tile, as measure.wgsl left it: 128 words a tile.
@group(0) @binding(4) var<storage, read> bits: array<u32>;
// Exclusive scan of measure.wgsl's counts: 4 × tile_count + 1 words.
@group(0) @binding(5) var<storage, read> offsets: array<u32>;
@group(0) @binding(6) var<storage, read_write> payloads: array<atomic<u32>>;

// `whole`: all four bytes of the word are this tile's.
fn put_word(word: u32, value: u32, whole: bool) {
  if (whole) { atomicStore(&payloads[word], value); } else { atomicOr(&payloads[word], value); }
}

// The nonzero bytes of the level at `level`, by the bits of its parent, from byte `start` of `payloads` on.
fn write_level(thread: u32, start: u32, count: u32, level: u32, parent: u32, parent_words: u32) {
  for (var word = start / 4u + thread; 4u * word < start + count; word += threads) {
    var value = 0u;
    var covered = 0u;
    for (var byte = 0u; byte < 4u; byte++) {
      let rank = 4u * word + byte - start; // wraps round to something large in front of `start`
      if (rank < count) {
        value |= tree_byte(level, select_bit(parent, parent_words, rank)) << (8u * byte);
        covered++;
      }
    }
    put_word(word, value, covered == 4u);
  }
}

// Element i in scan order.
fn element(order: Order, i: u32) -> u32 {
  let column = i / order.length;
  let step = i % order.length;
  let x = column % order.size_x;
  let word = voxels[row_start(order, column / order.size_x) + x / per_word + step * order.step];
  return (word >> ((x % per_word) * element_bits)) & element_mask;
}

fn write_values(thread: u32, start: u32, runs: u32, order: Order, first_element: u32) {
  let count = runs * element_bytes;
  for (var word = start / 4u + thread; 4u * word < start + count; word += threads) {
    var value = 0u;
    var covered = 0u;
    var last_run = 0xffffffffu;
    var run_value = 0u;
    for (var byte = 0u; byte < 4u; byte++) {
      let at = 4u * word + byte - start; // wraps round to something large in front of `start`
      if (at < count) {
        let run = at / element_bytes;
        if (run != last_run) {
          run_value = element(order, first_element + select_bit(level_0, 128u, run));
          last_run = run;
        }
        value |= ((run_value >> (8u * (at % element_bytes))) & 0xffu) << (8u * byte);
        covered++;
      }
    }
    put_word(word, value, covered == 4u);
  }
}

@compute @workgroup_size(threads)
fn main(
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
) {
  let tile = workgroup.x + workgroup.y * workgroups.x;
  if (tile >= box.tile_count) { return; }
  let chunk = chunks[chunk_of_tile[tile]];
  var starts: vec4u;
  var counts: vec4u;
  for (var section = 0u; section < 4u; section++) {
    let at = section * box.tile_count;
    starts[section] = offsets[at + tile] - offsets[at + chunk.first_tile];
    counts[section] = offsets[at + tile + 1u] - offsets[at + tile];
  }
  starts = chunk.sections + starts * vec4u(1u, 1u, 1u, element_bytes);
  if (chunk.byte_length == 0u || counts.w == 0u) { return; }

  for (var word = thread; word < 128u; word += threads) { wg_tree[level_0 + word] = bits[tile * 128u + word]; }
  build_parents(thread);
  rank_tree(thread);

  let tile_in_chunk = tile - chunk.first_tile;
  if (thread == 0u) {
    let at = chunk.byte_offset + tile_in_chunk;
    put_word(at / 4u, wg_tree[level_3] << (8u * (at % 4u)), false);
  }
  write_level(thread, starts.x, counts.x, level_2, level_3, 1u);
  write_level(thread, starts.y, counts.y, level_1, level_2, 2u);
  write_level(thread, starts.z, counts.z, level_0, level_1, 16u);
  write_values(thread, starts.w, counts.w, order_of(chunk, box), tile_in_chunk * tile_elements);
}
