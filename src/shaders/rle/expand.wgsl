// Writes each tile's elements into a box. src/core/codecs/rle/SPEC.md, 'Decoding'.
// order.wgsl and tree.wgsl stand in front of this text.
// Algorithm: the tile's tree is rebuilt in workgroup memory; an element's value is that of the run whose number is the
// count of run starts up to it (rank in a bitmap).
// One invocation owns a share of its tile's words, one workgroup a tile of 4096 elements in scan order of one chunk.
// Dispatch: one workgroup a tile, spread over x and y.
// Invariants:
// 1. A word whose bytes are all this tile's is stored whole. Of any other word (a row's end, or columns of two tiles) only
//    the tile's own bytes are cleared and set, atomically: bytes of other tiles and row padding stay as they are.
// 2. Bytes behind the payload's end read as 0, and each loop is bounded by the tile: damage gives wrong voxels, no more.
// Twin: `decode` in src/core/codecs/rle/reference.ts.

struct Span {
  starts: vec4u,  // the byte where the tile's bytes of level 2, 1, 0 and its values start
  counts: vec4u,  // its bytes of level 2, 1, 0, and its runs
}

@group(0) @binding(0) var<uniform> box: Box;
@group(0) @binding(1) var<storage, read> chunks: array<Chunk>;
// The number of each tile's chunk: `tile_count` words.
@group(0) @binding(2) var<storage, read> chunk_of_tile: array<u32>;
@group(0) @binding(3) var<storage, read> payloads: array<u32>;
// One for each tile, from locate.wgsl.
@group(0) @binding(4) var<storage, read> spans: array<Span>;
@group(0) @binding(5) var<storage, read_write> voxels: array<atomic<u32>>;

fn payload_byte(at: u32, end: u32) -> u32 {
  if (at >= end) { return 0u; }
  return (payloads[at / 4u] >> (8u * (at % 4u))) & 0xffu;
}

fn payload_element(at: u32, end: u32) -> u32 {
  if (at >= end || end - at < element_bytes) { return 0u; }
  let shift = 8u * (at % 4u);
  var value = payloads[at / 4u] >> shift;
  if (shift + element_bits > 32u) { value |= payloads[at / 4u + 1u] << (32u - shift); }
  return value & element_mask;
}

// Four bytes from byte `at` on.
fn payload_bytes(at: u32, end: u32) -> u32 {
  if (at >= end) { return 0u; }
  let shift = 8u * (at % 4u);
  var value = payloads[at / 4u] >> shift;
  if (shift > 0u) { value |= payloads[at / 4u + 1u] << (32u - shift); }
  if (end - at < 4u) { value &= (1u << (8u * (end - at))) - 1u; }
  return value;
}

// Word `index` of a level, by the level above that starts at `parent`; `rank` ones come before its word for this one, and
// the level's stored bytes start at byte `start`.
fn child_word(parent: u32, index: u32, rank: u32, start: u32, end: u32) -> u32 {
  let word = wg_tree[parent + index / 8u];
  let shift = 4u * (index % 8u);
  let marks = word >> shift;
  if ((marks & 0xfu) == 0u) { return 0u; }
  var stored = payload_bytes(start + rank + countOneBits(word & ((1u << shift) - 1u)), end);
  var value = 0u;
  for (var byte = 0u; byte < 4u; byte++) {
    if (((marks >> byte) & 1u) != 0u) {
      value |= (stored & 0xffu) << (8u * byte);
      stored >>= 8u;
    }
  }
  return value;
}

// The value in each element of a word.
fn splat(value: u32) -> u32 {
  return value * (0xffffffffu / element_mask);
}

// How many of the tile's runs start before element `at`. The run that is under way there has this number; number 0 is the
// last run of the tiles before.
fn runs_before(at: u32) -> u32 {
  return wg_rank[at / 32u] + countOneBits(wg_tree[level_0 + at / 32u] & ((1u << (at % 32u)) - 1u));
}

// Eight bits of level 0, from bit `at` on.
fn bits_from(at: u32) -> u32 {
  let shift = at % 32u;
  var bits = wg_tree[level_0 + at / 32u] >> shift;
  if (shift > 24u) { bits |= wg_tree[level_0 + at / 32u + 1u] << (32u - shift); }
  return bits & 0xffu;
}

// A tile of whole words in which no run starts.
fn fill_words(order: Chunk, walk: Walk, share: Share, value: u32) {
  let word = splat(value);
  for (var lane = share.lane; lane < walk.column_words; lane += share.width) {
    let start = columns_of(order, walk, lane).start;
    for (var turn = share.first; turn < share.end; turn++) { atomicStore(&voxels[start + turn * order.step], word); }
  }
}

// A tile of whole words in memory order (axis x). `values`: the byte where the tile's values start.
fn expand_rows(order: Chunk, walk: Walk, thread: u32, values: u32, end: u32) {
  if (thread >= walk.column_words) { return; }
  var cursor = row_cursor(order, walk, thread);
  for (var lane = thread; lane < walk.column_words; lane += threads) {
    let columns = columns_at(order, walk, cursor.row, cursor.word, cursor.start);
    advance(&cursor, order);
    let at = columns.first_element;
    var next = values + runs_before(at) * element_bytes;
    let marks = wg_tree[level_0 + at / 32u] >> (at % 32u);
    var value = payload_element(next - element_bytes, end);
    var word = splat(value);
    if ((marks & ((1u << per_word) - 1u)) != 0u) {
      word = 0u;
      for (var e = 0u; e < per_word; e++) {
        if (((marks >> e) & 1u) != 0u) {
          value = payload_element(next, end);
          next += element_bytes;
        }
        word |= value << (e * element_bits);
      }
    }
    atomicStore(&voxels[columns.start], word);
  }
}

// A tile of whole columns. Each column keeps the byte of its next value; where no run starts, the word is stored again.
fn expand_columns(order: Chunk, walk: Walk, share: Share, values: u32, end: u32) {
  for (var lane = share.lane; lane < walk.column_words; lane += share.width) {
    let columns = columns_of(order, walk, lane);
    var next: vec4u;
    var word = 0u;
    for (var e = 0u; e < per_word; e++) {
      next[e] = values + runs_before(columns.first_element + e * order.length + share.first) * element_bytes;
      word |= payload_element(next[e] - element_bytes, end) << (e * element_bits);
    }
    for (var first = share.first; first < share.end; first += 8u) {
      var marks: vec4u;
      for (var e = 0u; e < per_word; e++) { marks[e] = bits_from(columns.first_element + e * order.length + first); }
      let any = marks.x | marks.y | marks.z | marks.w;
      for (var i = 0u; i < min(8u, share.end - first); i++) {
        if (((any >> i) & 1u) != 0u) {
          for (var e = 0u; e < per_word; e++) {
            if (((marks[e] >> i) & 1u) != 0u) {
              let shift = e * element_bits;
              word = (word & ~(element_mask << shift)) | (payload_element(next[e], end) << shift);
              next[e] += element_bytes;
            }
          }
        }
        atomicStore(&voxels[columns.start + (first + i) * order.step], word);
      }
    }
  }
}

// Expands any tile, element by element.
fn expand_any(order: Chunk, walk: Walk, share: Share, span: Span, end: u32) {
  // Run number 0 here is the last of the tiles before: it reaches into this tile.
  var run = 0u;
  var value = payload_element(span.starts.w - element_bytes, end);
  for (var lane = share.lane; lane < walk.column_words; lane += share.width) {
    let columns = columns_of(order, walk, lane);
    var step = walk.first_step + share.first;
    if (step >= order.length) { step -= order.length; }
    for (var turn = share.first; turn < share.end; turn++) {
      let local = columns.first_element + step;
      var own = 0u;
      for (var e = 0u; e < columns.count; e++) {
        if (local + e * order.length < walk.count) { own |= element_mask << (e * element_bits); }
      }
      // The value in each of the word's elements.
      var word = value * (0xffffffffu / element_mask);
      if (span.counts.w > 0u) {
        word = 0u;
        for (var e = 0u; e < per_word; e++) {
          if (((own >> (e * element_bits)) & 1u) == 0u) { continue; }
          let at = local + e * order.length;
          let up_to_it = wg_tree[level_0 + at / 32u] & (0xffffffffu >> (31u - at % 32u));
          let number = wg_rank[at / 32u] + countOneBits(up_to_it);
          if (number != run) {
            run = number;
            value = payload_element(span.starts.w + (number - 1u) * element_bytes, end);
          }
          word |= value << (e * element_bits);
        }
      }
      let target_word = columns.start + step * order.step;
      if (own == 0xffffffffu) {
        atomicStore(&voxels[target_word], word);
      } else if (own != 0u) {
        atomicAnd(&voxels[target_word], ~own);
        atomicOr(&voxels[target_word], word & own);
      }
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
  let end = chunk.byte_offset + chunk.byte_length;
  let span = spans[tile];

  if (span.counts.w > 0u) {
    if (thread == 0u) {
      wg_tree[level_3] = payload_byte(chunk.byte_offset + tile - chunk.first_tile, end);
      wg_tree[level_2] = child_word(level_3, 0u, 0u, span.starts.x, end);
      wg_tree[level_2 + 1u] = child_word(level_3, 1u, 0u, span.starts.x, end);
    }
    workgroupBarrier(); // level 2 is there
    if (thread < 16u) {
      let rank = bits_between(level_2, level_2 + thread / 8u);
      wg_tree[level_1 + thread] = child_word(level_2, thread, rank, span.starts.y, end);
    }
    workgroupBarrier(); // level 1 is there
    if (thread < 16u) { wg_rank[level_1 + thread] = bits_between(level_1, level_1 + thread); }
    workgroupBarrier(); // and its ranks
    for (var word = thread; word < 128u; word += threads) {
      wg_tree[level_0 + word] = child_word(level_1, word, wg_rank[level_1 + word / 8u], span.starts.z, end);
    }
    workgroupBarrier(); // level 0 is there
    if (thread < 16u) { sum_group(thread); }
    rank_tree(thread);
  }

  let order = chunk;
  let walk = walk_of(order, tile);
  let share = share_of(order, walk, thread);
  if (share.first >= share.end) { return; }
  if (span.counts.w == 0u && walk.whole) {
    fill_words(order, walk, share, payload_element(span.starts.w - element_bytes, end));
  } else if (walk.whole && order.length == 1u) {
    expand_rows(order, walk, thread, span.starts.w, end);
  } else if (walk.whole) {
    expand_columns(order, walk, share, span.starts.w, end);
  } else {
    expand_any(order, walk, share, span, end);
  }
}
