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

// The last element of the column before these columns; anything in front of the chunk's first column.
fn element_before(order: Order, columns: Columns, last_step: u32) -> u32 {
  if (columns.word > 0u) { return voxels[columns.start - 1u + last_step] >> (32u - element_bits); }
  if (columns.row == 0u) { return 0u; }
  let word = voxels[row_start(order, columns.row - 1u) + order.row_words - 1u + last_step];
  return (word >> (((order.size_x - 1u) % per_word) * element_bits)) & element_mask;
}

// The predecessors of the columns' first elements: the last elements of the columns before.
fn word_before_columns(order: Order, columns: Columns) -> u32 {
  let last_step = (order.length - 1u) * order.step;
  let before = element_before(order, columns, last_step);
  if (element_bits == 32u) { return before; }
  return (voxels[columns.start + last_step] << (element_bits & 31u)) | before;
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
fn mark_rows(order: Order, walk: Walk, thread: u32) {
  for (var lane = thread; lane < walk.column_words; lane += threads) {
    let columns = columns_of(order, walk, lane);
    let word = voxels[columns.start];
    let marks = changes(word ^ word_before_columns(order, columns));
    if (marks != 0u) { atomicOr(&wg_bits[columns.first_element / 32u], marks << (columns.first_element % 32u)); }
  }
}

// Sets the bits of a tile that holds nothing but whole columns. Eight loads are under way at a time; each column gathers
// its bits in a register.
fn mark_columns(order: Order, walk: Walk, share: Share) {
  if (share.first >= share.end) { return; }
  for (var lane = share.lane; lane < walk.column_words; lane += share.width) {
    let columns = columns_of(order, walk, lane);
    var before: u32;
    if (share.first == 0u) {
      before = word_before_columns(order, columns);
    } else {
      before = voxels[columns.start + (share.first - 1u) * order.step];
    }
    for (var first = share.first; first < share.end; first += 8u) {
      var words: array<u32, 8>;
      // Behind the share's end the last word comes again: no change.
      for (var i = 0u; i < 8u; i++) { words[i] = voxels[columns.start + min(first + i, share.end - 1u) * order.step]; }
      var marks = vec4u();
      for (var i = 0u; i < 8u; i++) {
        let changed = words[i] ^ before;
        before = words[i];
        if (changed != 0u) { marks |= ((vec4u(changes(changed)) >> vec4u(0u, 1u, 2u, 3u)) & vec4u(1u)) << vec4u(i); }
      }
      for (var e = 0u; e < per_word; e++) { set_bits(columns.first_element + e * order.length + first, marks[e]); }
    }
  }
}

// Eight bits of the tile's level 0, from bit `at` on.
fn set_bits(at: u32, marks: u32) {
  if (marks == 0u) { return; }
  let shift = at % 32u;
  atomicOr(&wg_bits[at / 32u], marks << shift);
  if (shift > 24u && (marks >> (32u - shift)) != 0u) { atomicOr(&wg_bits[at / 32u + 1u], marks >> (32u - shift)); }
}

// Sets the bits of any tile, element by element.
fn mark_any(order: Order, walk: Walk, share: Share) {
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
  let order = order_of(chunk, box);
  let walk = walk_of(order, tile - chunk.first_tile);
  let share = share_of(walk, thread);

  if (walk.whole && order.length == 1u) {
    mark_rows(order, walk, thread);
  } else if (walk.whole) {
    mark_columns(order, walk, share);
  } else {
    mark_any(order, walk, share);
  }
  // SPEC.md: 'Element i starts a run if i = 0 …'
  if (thread == 0u && walk.first_element == 0u) { atomicOr(&wg_bits[0], 1u); }
  workgroupBarrier(); // all bits are set

  for (var word = thread; word < 128u; word += threads) {
    let level_0_bits = atomicLoad(&wg_bits[word]);
    wg_tree[level_0 + word] = level_0_bits;
    if (level_0_bits != 0u) { bits[tile * 128u + word] = level_0_bits; }
  }
  build_parents(thread);
  if (thread == 0u) {
    var runs = 0u;
    for (var group = 0u; group < 16u; group++) { runs += wg_sums[group]; }
    counts[tile] = bits_between(level_3, tree_words);
    counts[box.tile_count + tile] = bits_between(level_2, level_3);
    counts[2u * box.tile_count + tile] = bits_between(level_1, level_2);
    counts[3u * box.tile_count + tile] = runs;
  }
}
