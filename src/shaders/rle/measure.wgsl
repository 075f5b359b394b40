// Finds where runs start, and how many bytes each tile adds to each section of its payload.
// src/core/codecs/rle/SPEC.md, 'Runs' and 'Bitmap tree'. order.wgsl and tree.wgsl stand in front of this text.
// Algorithm: each word is compared with the word of its elements' predecessors; a difference sets bits in workgroup
// memory. Where nothing changes, four 1-byte elements cost one load and one comparison. A tile of whole columns or rows,
// the usual one, goes a shorter way than one that cuts words or columns.
// One invocation owns a share of its tile's words, one workgroup a tile of 4096 elements in scan order of one chunk.
// Dispatch: one workgroup a tile, spread over x and y.
// Invariants:
// 1. Elements outside the chunk never set a bit: columns behind its x extent are left out, and so are other tiles'.
// 2. `bits` is zero before; only words with a run start are written.
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

// Level 0 in the making.
var<workgroup> wg_bits: array<atomic<u32>, 128>;
// 1 once a bit is set.
var<workgroup> wg_any: atomic<u32>;
var<workgroup> wg_has_runs: bool;
// Ones of level 3, 2, 1 and 0.
var<workgroup> wg_counts: array<atomic<u32>, 4>;

// The last element of the column before these columns; anything in front of the chunk's first column.
fn element_before(order: Chunk, columns: Columns, last_step: u32) -> u32 {
  if (columns.word > 0u) { return voxels[columns.start - 1u + last_step] >> (32u - element_bits); }
  if (columns.row == 0u) { return 0u; }
  let word = voxels[row_start(order, columns.row - 1u) + order.row_words - 1u + last_step];
  return (word >> (((order.shape.x - 1u) % per_word) * element_bits)) & element_mask;
}

// The predecessors of the columns' first elements: the last elements of the columns before.
fn word_before_columns(order: Chunk, columns: Columns) -> u32 {
  let last_step = (order.length - 1u) * order.step;
  let before = element_before(order, columns, last_step);
  if (element_bits == 32u) { return before; }
  return (voxels[columns.start + last_step] << (element_bits & 31u)) | before;
}

// All bits of each element but its highest, and the highest ones.
override element_lows: u32 = (element_mask >> 1u) * (0xffffffffu / element_mask);
override element_highs: u32 = ~element_lows;

// The lowest bit of each element of the word that is not 0. (Hacker's Delight, section 6-1)
fn changed_elements(word: u32) -> u32 {
  return ((((word & element_lows) + element_lows) | word) & element_highs) >> (element_bits - 1u);
}

// Bit e: element e of the word is not 0.
fn changes(word: u32) -> u32 {
  var marks = 0u;
  for (var e = 0u; e < per_word; e++) {
    marks |= select(0u, 1u << e, ((word >> (e * element_bits)) & element_mask) != 0u);
  }
  return marks;
}

// Sets the bits of a tile that holds nothing but whole words in memory order (axis x).
fn mark_rows(order: Chunk, walk: Walk, thread: u32) {
  if (thread >= walk.column_words) { return; }
  var cursor = row_cursor(order, walk, thread);
  for (var lane = thread; lane < walk.column_words; lane += threads) {
    let columns = columns_at(order, walk, cursor.row, cursor.word, cursor.start);
    let word = voxels[columns.start];
    let changed = word ^ word_before_columns(order, columns);
    if (changed != 0u) {
      atomicOr(&wg_bits[columns.first_element / 32u], changes(changed) << (columns.first_element % 32u));
      atomicStore(&wg_any, 1u);
    }
    advance(&cursor, order);
  }
}

// Sets the bits of a tile that holds nothing but whole columns. Sixteen loads are under way at a time; each column gathers
// its bits in a register. (Columns and batches begin at multiples of their length, so bits never cross a word.)
fn mark_columns(order: Chunk, walk: Walk, share: Share) {
  if (share.first >= share.end) { return; }
  for (var lane = share.lane; lane < walk.column_words; lane += share.width) {
    let columns = columns_of(order, walk, lane);
    var before: u32;
    if (share.first == 0u) {
      before = word_before_columns(order, columns);
    } else {
      before = voxels[columns.start + (share.first - 1u) * order.step];
    }
    for (var first = share.first; first < share.end; first += 16u) {
      var words: array<u32, 16>;
      // Behind the share's end the last word comes again: no change.
      for (var i = 0u; i < 16u; i++) { words[i] = voxels[columns.start + min(first + i, share.end - 1u) * order.step]; }
      // Of each element 8 steps' bits, side by side; the lanes of wider elements hold 16.
      var low = 0u;
      var high = 0u;
      for (var i = 0u; i < 16u; i++) {
        let changed = changed_elements(words[i] ^ before);
        before = words[i];
        if (i < 8u || element_bits > 8u) { low |= changed << i; } else { high |= changed << (i - 8u); }
      }
      if ((low | high) == 0u) { continue; }
      atomicStore(&wg_any, 1u);
      for (var e = 0u; e < per_word; e++) {
        let shift = e * element_bits;
        var marks = (low >> shift) & 0xffffu;
        if (element_bits == 8u) { marks = (marks & 0xffu) | (((high >> shift) & 0xffu) << 8u); }
        let at = columns.first_element + e * order.length + first;
        if (marks != 0u) { atomicOr(&wg_bits[at / 32u], marks << (at % 32u)); }
      }
    }
  }
}

// Sets the bits of any tile, element by element.
fn mark_any(order: Chunk, walk: Walk, share: Share) {
  if (share.first >= share.end) { return; }
  for (var lane = share.lane; lane < walk.column_words; lane += share.width) {
    let columns = columns_of(order, walk, lane);
    var step = walk.first_step + share.first;
    if (step >= order.length) { step -= order.length; }
    var before = 0u;
    if (step > 0u) { before = voxels[columns.start + (step - 1u) * order.step]; }
    for (var turn = share.first; turn < share.end; turn++) {
      if (step == 0u) { before = word_before_columns(order, columns); }
      let word = voxels[columns.start + step * order.step];
      let marks = changes(word ^ before);
      for (var e = 0u; e < columns.count; e++) {
        let local = columns.first_element + e * order.length + step;
        if (((marks >> e) & 1u) != 0u && local < walk.count) {
          atomicOr(&wg_bits[local / 32u], 1u << (local % 32u));
          atomicStore(&wg_any, 1u);
        }
      }
      before = word;
      step++;
      if (step == order.length) { step = 0u; }
    }
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
  let walk = walk_of(chunk, tile);
  if (walk.whole && chunk.length == 1u) {
    mark_rows(chunk, walk, thread);
  } else if (walk.whole) {
    mark_columns(chunk, walk, share_of(chunk, walk, thread));
  } else {
    mark_any(chunk, walk, share_of(chunk, walk, thread));
  }
  // SPEC.md: 'Element i starts a run if i = 0 …'
  if (thread == 0u && walk.first_element == 0u) {
    atomicOr(&wg_bits[0], 1u);
    atomicStore(&wg_any, 1u);
  }
  workgroupBarrier(); // all bits are set
  if (thread == 0u) { wg_has_runs = atomicLoad(&wg_any) != 0u; }
  if (!workgroupUniformLoad(&wg_has_runs)) {
    if (thread < 4u) { counts[thread * box.tile_count + tile] = 0u; }
    return;
  }

  for (var word = thread; word < 128u; word += threads) {
    let level_0_bits = atomicLoad(&wg_bits[word]);
    wg_tree[level_0 + word] = level_0_bits;
    if (level_0_bits != 0u) { bits[tile * 128u + word] = level_0_bits; }
  }
  build_parents(thread);
  // Each level's ones are counted by few invocations: 16 words and more in one would hold up the workgroup.
  if (thread < 16u) {
    atomicAdd(&wg_counts[3], wg_sums[thread]);
    atomicAdd(&wg_counts[2], countOneBits(wg_tree[level_1 + thread]));
  }
  if (thread < 2u) { atomicAdd(&wg_counts[1], countOneBits(wg_tree[level_2 + thread])); }
  if (thread == 0u) { atomicStore(&wg_counts[0], countOneBits(wg_tree[level_3])); }
  workgroupBarrier(); // the counts are whole
  if (thread < 4u) { counts[thread * box.tile_count + tile] = atomicLoad(&wg_counts[thread]); }
}
