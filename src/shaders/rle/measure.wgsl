// Finds where runs start, and how many bytes each tile adds to each section of its payload.
// src/core/codecs/rle/SPEC.md, 'Runs' and 'Bitmap tree'. order.wgsl and tree.wgsl stand in front of this text.
// Algorithm: each word is compared with the word of its elements' predecessors; a difference sets bits in workgroup
// memory. Where nothing changes, four 1-byte elements cost one load and one comparison.
// One invocation owns a share of its tile's words, one workgroup a tile of 4096 elements in scan order of one chunk.
// Dispatch: one workgroup a tile, spread over x and y.
// Invariants:
// 1. Elements outside the chunk never set a bit: columns behind its x extent are left out, and so are other tiles'.
// 2. The bits of a tile without a run start are not written, and never read.
// 3. `counts` holds four arrays of `tile_count` words: bytes of level 2, of level 1, of level 0, and runs.
// Twin: `runStarts` and `parentLevel` in src/core/codecs/rle/reference.ts.

@group(0) @binding(0) var<uniform> box: Box;
@group(0) @binding(1) var<storage, read> chunks: array<Chunk>;
// The number of each tile's chunk: `tile_count` words.
@group(0) @binding(2) var<storage, read> chunk_of_tile: array<u32>;
@group(0) @binding(3) var<storage, read> voxels: array<u32>;
// Level 0 of each tile: 128 words a tile.
@group(0) @binding(4) var<storage, read_write> bits: array<u32>;
@group(0) @binding(5) var<storage, read_write> counts: array<u32>;

var<workgroup> wg_runs: atomic<u32>;

// The last element of the column before column word `w` of row `b`; anything in front of the chunk's first column.
fn element_before(order: Order, b: u32, w: u32) -> u32 {
  let last_step = (order.length - 1u) * order.step;
  if (w > 0u) { return voxels[row_start(order, b) + w - 1u + last_step] >> (32u - element_bits); }
  if (b == 0u) { return 0u; }
  let word = voxels[row_start(order, b - 1u) + order.row_words - 1u + last_step];
  return (word >> (((order.size_x - 1u) % per_word) * element_bits)) & element_mask;
}

// The predecessors of the first elements of the columns in word `w` of row `b`: the last elements of the columns before.
fn word_before_column(order: Order, b: u32, w: u32) -> u32 {
  let before = element_before(order, b, w);
  if (element_bits == 32u) { return before; }
  return (voxels[row_start(order, b) + w + (order.length - 1u) * order.step] << (element_bits & 31u)) | before;
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
  let order = order_of(chunk, box);
  let walk = walk_of(order, tile - chunk.first_tile);
  let share = share_of(walk, thread);

  if (share.first < share.end) {
    for (var lane = share.lane; lane < walk.column_words; lane += share.width) {
      let b = (walk.first_column_word + lane) / order.row_words;
      let w = (walk.first_column_word + lane) % order.row_words;
      let column_start = row_start(order, b) + w;
      let first_column = b * order.size_x + w * per_word;
      let columns = min(per_word, order.size_x - w * per_word);
      var step = walk.first_step + share.first;
      if (step >= order.length) { step -= order.length; }
      var before = 0u;
      if (step > 0u) { before = voxels[column_start + (step - 1u) * order.step]; }
      for (var turn = share.first; turn < share.end; turn++) {
        if (step == 0u) { before = word_before_column(order, b, w); }
        let word = voxels[column_start + step * order.step];
        let changed = word ^ before;
        if (changed != 0u) {
          for (var e = 0u; e < columns; e++) {
            let local = (first_column + e) * order.length + step - walk.first_element;
            if (((changed >> (e * element_bits)) & element_mask) != 0u && local < walk.count) {
              atomicOr(&wg_tree[local / 32u], 1u << (local % 32u));
            }
          }
        }
        before = word;
        step++;
        if (step == order.length) { step = 0u; }
      }
    }
  }
  // SPEC.md: 'Element i starts a run if i = 0 …'
  if (thread == 0u && walk.first_element == 0u) { atomicOr(&wg_tree[0], 1u); }

  build_parents(thread);
  if (thread < 128u && tree_word(level_3) != 0u) {
    let word = tree_word(level_0 + thread);
    bits[tile * 128u + thread] = word;
    atomicAdd(&wg_runs, countOneBits(word));
  }
  workgroupBarrier(); // all runs are counted
  if (thread == 0u) {
    var level_0_bytes = 0u;
    for (var word = level_1; word < level_2; word++) { level_0_bytes += countOneBits(tree_word(word)); }
    counts[tile] = countOneBits(tree_word(level_3));
    counts[box.tile_count + tile] = countOneBits(tree_word(level_2)) + countOneBits(tree_word(level_2 + 1u));
    counts[2u * box.tile_count + tile] = level_0_bytes;
    counts[3u * box.tile_count + tile] = atomicLoad(&wg_runs);
  }
}
