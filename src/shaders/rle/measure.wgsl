// Finds where runs start, and how many bytes each tile adds to each section of its payload. src/core/codecs/rle/SPEC.md, 'Runs'
// and 'Bitmap tree'.
// Algorithm: compares each word with the word of its elements' predecessors. A difference sets bits in workgroup memory. Where
// nothing changes, four 1-byte elements cost one load and one comparison. Tiles of whole columns or rows, the usual case, take a
// faster path than tiles that cut words or columns.
// One lane owns a share of its tile's words, then parts of the tile (tree.wgsl). A tile is 4096 elements of one chunk in scan
// order.
// Dispatch: one workgroup for each `tiles_at_once` tiles, spread over x and y.
// Invariants:
// 1. Elements outside the chunk never set a bit: columns past its x extent are skipped, and so are other tiles' columns.
// 2. Nothing is written to `bits` for a tile in which no run starts.
// Twin: `runStarts` and `parentLevel` in src/core/codecs/rle/reference.ts.

import package::rle::order::{
  Box, Chunk, Columns, Lane, RowCursor, Share, Walk, advance, columns_of, element_bits, element_mask, lane_of, lanes, per_word,
  row_cursor, row_start, share_of, threads, tiles_at_once, walk_of,
};
import package::rle::tree::{Bits, count_own, level_2_bits, nonzero_bytes, ones, parent_byte, parts, wg_groups};

@group(0) @binding(0) var<uniform> box: Box;
@group(0) @binding(1) var<storage, read> chunks: array<Chunk>;
// The number of each tile's chunk: `tile_count` words.
@group(0) @binding(2) var<storage, read> chunk_of_tile: array<u32>;
@group(0) @binding(3) var<storage, read> voxels: array<u32>;
// Level 0 of each tile: 64 pairs of words per tile.
@group(0) @binding(4) var<storage, read_write> bits: array<vec2u>;
// For each tile: its bytes of level 2, 1 and 0, and its runs.
@group(0) @binding(5) var<storage, read_write> counts: array<vec4u>;

// Level 0 of each tile while it is built.
var<workgroup> wg_bits: array<atomic<u32>, 128u * tiles_at_once>;

// The last element of the column before these columns. Undefined before the chunk's first column.
fn element_before(order: Chunk, columns: Columns, last_step: u32) -> u32 {
  if (columns.word > 0u) { return voxels[columns.start - 1u + last_step] >> (32u - element_bits); }
  if (columns.row == 0u) { return 0u; }
  let word = voxels[row_start(order, columns.row - 1u) + order.row_words - 1u + last_step];
  return (word >> (((order.shape.x - 1u) % per_word) * element_bits)) & element_mask;
}

// The predecessors of the columns' first elements: the last elements of the preceding columns.
fn word_before_columns(order: Chunk, columns: Columns) -> u32 {
  let last_step = (order.length - 1u) * order.step;
  let before = element_before(order, columns, last_step);
  if (element_bits == 32u) { return before; }
  return (voxels[columns.start + last_step] << (element_bits & 31u)) | before;
}

// All bits of each element except the highest; and the highest bits.
override element_lows: u32 = (element_mask >> 1u) * (0xffffffffu / element_mask);
override element_highs: u32 = ~element_lows;

// The lowest bit of each element that is not 0. (Hacker's Delight, section 6-1)
fn changed_elements(word: u32) -> u32 {
  return ((((word & element_lows) + element_lows) | word) & element_highs) >> (element_bits - 1u);
}

// Bit e: element e of the word is not 0.
fn changes(word: u32) -> u32 {
  if (element_bits == 8u) { return nonzero_bytes(word); }
  var marks = 0u;
  for (var e = 0u; e < per_word; e++) {
    marks |= select(0u, 1u << e, ((word >> (e * element_bits)) & element_mask) != 0u);
  }
  return marks;
}

// The word before a row's word in scan order; undefined if there is none.
fn place_before(order: Chunk, cursor: RowCursor) -> u32 {
  if (cursor.word > 0u) { return cursor.start + cursor.word - 1u; }
  if (cursor.inner_row > 0u) { return cursor.start - order.low + order.row_words - 1u; }
  return row_start(order, max(cursor.row, 1u) - 1u) + order.row_words - 1u;
}

// Sets bits of level 0 of the workgroup's tile number `slot`. They must lie in one word.
fn mark(slot: u32, element: u32, marks: u32) {
  atomicOr(&wg_bits[128u * slot + element / 32u], marks << (element % 32u));
}

// Compares a word's elements with their predecessors: 0 where they are equal. `before`: the preceding word.
fn changes_after(before: u32, word: u32) -> u32 {
  var shifted = before >> (32u - element_bits);
  if (element_bits < 32u) { shifted |= word << (element_bits & 31u); }
  return word ^ shifted;
}

// Sets the bits of a tile of whole words in memory order (axis x).
fn mark_rows(order: Chunk, walk: Walk, at: Lane) {
  if (order.row_words % 4u == 0u) {
    mark_quads(order, walk, at);
    return;
  }
  if (at.lane >= walk.column_words) { return; }
  var cursor = row_cursor(order, walk, at.lane, 1u);
  for (var lane = at.lane; lane < walk.column_words; lane += lanes) {
    let changed = changes_after(voxels[place_before(order, cursor)], voxels[cursor.start + cursor.word]);
    if (changed != 0u) { mark(at.slot, lane * per_word, changes(changed)); }
    advance(&cursor, order);
  }
}

// The same where rows are quads of words. Loads four quads and their preceding words at a time.
fn mark_quads(order: Chunk, walk: Walk, at: Lane) {
  if (4u * at.lane >= walk.column_words) { return; }
  var cursor = row_cursor(order, walk, at.lane, 4u);
  for (var first = 4u * at.lane; first < walk.column_words; first += 16u * lanes) {
    var quads: array<vec4u, 4>;
    var before = vec4u(0u);
    for (var i = 0u; i < 4u; i++) {
      let place = cursor.start + cursor.word;
      quads[i] = vec4u(voxels[place], voxels[place + 1u], voxels[place + 2u], voxels[place + 3u]);
      before[i] = voxels[place_before(order, cursor)];
      // Behind the tile's end the last quad repeats and is ignored.
      if (first + 4u * (i + 1u) * lanes < walk.column_words) { advance(&cursor, order); }
    }
    for (var i = 0u; i < 4u; i++) {
      let quad = quads[i];
      let changed = vec4u(
        changes_after(before[i], quad.x),
        changes_after(quad.x, quad.y),
        changes_after(quad.y, quad.z),
        changes_after(quad.z, quad.w),
      );
      let word = first + 4u * i * lanes;
      if (any(changed != vec4u(0u)) && word < walk.column_words) {
        var marks = changes(changed.x) | (changes(changed.y) << per_word);
        marks |= (changes(changed.z) | (changes(changed.w) << per_word)) << (2u * per_word);
        mark(at.slot, word * per_word, marks);
      }
    }
  }
}

// Sets the bits of a tile of whole columns. Keeps sixteen loads in flight, and each column collects its bits in a register.
// Columns and batches begin at multiples of their length, so their bits never cross a word.
fn mark_columns(order: Chunk, walk: Walk, slot: u32, share: Share) {
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
      // Behind the share's end the last word repeats: no change.
      for (var i = 0u; i < 16u; i++) { words[i] = voxels[columns.start + min(first + i, share.end - 1u) * order.step]; }
      // For each element the bits of 8 steps; the lanes of wider elements hold 16.
      var low = 0u;
      var high = 0u;
      for (var i = 0u; i < 16u; i++) {
        let changed = changed_elements(words[i] ^ before);
        before = words[i];
        if (i < 8u || element_bits > 8u) { low |= changed << i; } else { high |= changed << (i - 8u); }
      }
      if ((low | high) == 0u) { continue; }
      for (var e = 0u; e < per_word; e++) {
        let shift = e * element_bits;
        var marks = (low >> shift) & 0xffffu;
        if (element_bits == 8u) { marks = (marks & 0xffu) | (((high >> shift) & 0xffu) << 8u); }
        if (marks != 0u) { mark(slot, columns.first_element + e * order.length + first, marks); }
      }
    }
  }
}

// Sets the bits of any tile, element by element.
fn mark_any(order: Chunk, walk: Walk, slot: u32, share: Share) {
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
        if (((marks >> e) & 1u) != 0u && local < walk.count) { mark(slot, local, 1u); }
      }
      before = word;
      step++;
      if (step == order.length) { step = 0u; }
    }
  }
}

fn mark_tile(at: Lane) {
  let chunk = chunks[chunk_of_tile[at.tile]];
  let walk = walk_of(chunk, at.tile);
  if (walk.whole && chunk.length == 1u) {
    mark_rows(chunk, walk, at);
  } else if (walk.whole) {
    mark_columns(chunk, walk, at.slot, share_of(chunk, walk, at.lane));
  } else {
    mark_any(chunk, walk, at.slot, share_of(chunk, walk, at.lane));
  }
  // SPEC.md: 'Element i starts a run if i = 0 …'
  if (at.lane == 0u && walk.first_element == 0u) { mark(at.slot, 0u, 1u); }
}

@compute @workgroup_size(threads)
fn main(
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
) {
  let at = lane_of(thread, workgroup, workgroups);
  let is_tile = at.tile < box.tile_count;
  if (is_tile) { mark_tile(at); }
  workgroupBarrier(); // all bits are set

  var own: Bits;
  for (var part = 0u; part < parts; part++) {
    let word = 128u * at.slot + 2u * (at.lane * parts + part);
    own[part] = vec2u(atomicLoad(&wg_bits[word]), atomicLoad(&wg_bits[word + 1u]));
  }
  let counted = count_own(at, own);
  if (counted != 0u) { atomicAdd(&wg_groups[thread / 8u], counted); }
  workgroupBarrier(); // level 2 and the sums are complete
  if (!is_tile) { return; }
  let level_2 = level_2_bits(at);
  if (any(level_2 != vec2u(0u))) {
    for (var part = 0u; part < parts; part++) { bits[at.tile * 64u + at.lane * parts + part] = own[part]; }
  }
  if (at.lane == 0u) {
    var sum = 0u;
    for (var group = 0u; group < lanes / 8u; group++) { sum += atomicLoad(&wg_groups[thread / 8u + group]); }
    counts[at.tile] = vec4u(countOneBits(parent_byte(level_2)), ones(level_2), sum & 0xffffu, sum >> 16u);
  }
}
