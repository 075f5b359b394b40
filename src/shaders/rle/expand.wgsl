// Writes each tile's elements into a box. src/core/codecs/rle/SPEC.md, 'Decoding'.
// Algorithm: rebuilds the tile's bitmap in workgroup memory. An element's value is that of the run whose number is the count of
// run starts up to the element (its rank in the bitmap).
// One lane owns parts of its tile's bitmap (tree.wgsl), then a share of its words. A tile is 4096 elements of one chunk in scan
// order.
// Dispatch: one workgroup for each `tiles_at_once` tiles, spread over x and y.
// Invariants:
// 1. A word whose bytes all belong to this tile is stored. Of any other word (a row's end, or columns of two tiles) only the
//    tile's own bytes are cleared and set, atomically. Bytes of other tiles and row padding keep their values.
// 2. Bytes past the payload's end read as 0, and the tile's size bounds each loop, so damage only gives wrong voxels.
// Twin: `decode` in src/core/codecs/rle/reference.ts.

import package::faults::faults::{checks, raise};
import package::rle::order::{
  Box, Chunk, Lane, Share, Walk, advance, columns_of, element_bits, element_bytes, element_mask, lane_of, lanes, per_word,
  row_cursor, share_of, threads, tile_elements, tiles_at_once, walk_of,
};
import package::rle::tree::{Bits, bits_below, byte_of, ones, parts, sum_before};

struct Span {
  starts: vec4u,  // the byte where the tile's bytes of level 2, 1, 0 and its values start
  counts: vec4u,  // its bytes of level 2, 1, 0, and its runs
}

@group(0) @binding(0) var<uniform> box: Box;
@group(0) @binding(1) var<storage, read> chunks: array<Chunk>;
// The number of each tile's chunk: `tile_count` words.
@group(0) @binding(2) var<storage, read> chunk_of_tile: array<u32>;
@group(0) @binding(3) var<storage, read> payloads: array<u32>;
// One per tile, from locate.wgsl.
@group(0) @binding(4) var<storage, read> spans: array<Span>;
@group(0) @binding(5) var<storage, read_write> voxels: array<atomic<u32>>;

// Level 0 of each tile, and for each of its words the number of the tile's runs that start before it.
var<workgroup> wg_bits: array<u32, 128u * tiles_at_once>;
var<workgroup> wg_rank: array<u32, 128u * tiles_at_once>;

fn payload_byte(at: u32, end: u32) -> u32 {
  let byte = (payloads[at / 4u] >> (8u * (at % 4u))) & 0xffu;
  return select(0u, byte, at < end);
}

fn payload_element(at: u32, end: u32) -> u32 {
  let shift = 8u * (at % 4u);
  var value = payloads[at / 4u] >> shift;
  if (element_bits > 8u && shift + element_bits > 32u) { value |= payloads[at / 4u + 1u] << (32u - shift); }
  return select(0u, value & element_mask, at < end && end - at >= element_bytes);
}

// Eight bytes from byte `at` on.
fn payload_bytes(at: u32, end: u32) -> vec2u {
  let word = at / 4u;
  let shift = 8u * (at % 4u);
  let words = vec3u(payloads[word], payloads[word + 1u], payloads[word + 2u]);
  var bytes = words.xy;
  if (shift > 0u) { bytes = (words.xy >> vec2u(shift)) | (words.yz << vec2u(32u - shift)); }
  let left = select(0u, end - at, at < end);
  if (left < 8u) { bytes = bits_below(bytes, 8u * left); }
  return bytes;
}

// Four bytes: the next byte of `stored` where `marks` has a one, otherwise 0.
fn spread(stored: u32, marks: u32) -> u32 {
  var rest = stored;
  var word = 0u;
  for (var byte = 0u; byte < 4u; byte++) {
    if (((marks >> byte) & 1u) != 0u) {
      word |= (rest & 0xffu) << (8u * byte);
      rest >>= 8u;
    }
  }
  return word;
}

// Byte `part` of level 1.
fn level_1_byte(part: u32, level_3: u32, stored_2: vec2u, level_1_at: u32, end: u32) -> u32 {
  let group = part / 8u;
  if (((level_3 >> group) & 1u) == 0u) { return 0u; }
  let number = countOneBits(level_3 & ((1u << group) - 1u));
  let level_2 = byte_of(stored_2, number);
  let mark = 1u << (part % 8u);
  if ((level_2 & mark) == 0u) { return 0u; }
  let rank = ones(bits_below(stored_2, 8u * number)) + countOneBits(level_2 & (mark - 1u));
  return payload_byte(level_1_at + rank, end);
}

// Eight bytes of level 0. `marks`: their byte of level 1. They are stored from byte `at` on.
fn level_0_bytes(marks: u32, at: u32, end: u32) -> vec2u {
  if (marks == 0u) { return vec2u(0u); }
  let stored = payload_bytes(at, end);
  let in_first = countOneBits(marks & 0xfu);
  // The bytes after those of the first word.
  var second = stored.y;
  if (in_first < 4u) { second = stored.x >> (8u * in_first); }
  if (in_first > 0u && in_first < 4u) { second |= stored.y << (32u - 8u * in_first); }
  return vec2u(spread(stored.x, marks & 0xfu), spread(second, marks >> 4u));
}

// Flags the chunk for what SPEC.md refuses and byte counts do not show. Because no stored byte is 0 (locate.wgsl), bits behind
// the end of any level lead to bits in level 0. `own`: the lane's part of level 0.
fn check_tile(at: Lane, own: Bits, tile: u32, chunk_number: u32, span: Span, end: u32) {
  let chunk = chunks[chunk_number];
  let number = tile - chunk.first_tile;
  let count = min(tile_elements, chunk.count - number * tile_elements);
  for (var part = 0u; part < parts; part++) {
    let first = 64u * (at.lane * parts + part);
    if (first + 64u > count) { raise(chunk_number, any(own[part] != bits_below(own[part], max(count, first) - first))); }
  }
  // 'bit 0 of level 0 is 1'. The chunk's first run has no run before it.
  let is_first = number == 0u;
  if (is_first && at.lane == 0u) { raise(chunk_number, (own[0].x & 1u) == 0u); }
  // 'neighbouring runs have different values'
  for (var run = at.lane + u32(is_first); run < span.counts.w; run += lanes) {
    let value = span.starts.w + run * element_bytes;
    raise(chunk_number, payload_element(value, end) == payload_element(value - element_bytes, end));
  }
}

// Rebuilds level 0 and its ranks. The whole workgroup must call it, once.
fn build_bits(at: Lane, is_tile: bool, has_runs: bool, tile: u32, chunk_number: u32, span: Span, end: u32) {
  let level_3_at = chunks[chunk_number].byte_offset + tile - chunks[chunk_number].first_tile;
  var level_1: array<u32, parts>;
  var bytes = 0u;
  if (has_runs) {
    let level_3 = payload_byte(level_3_at, end);
    let stored_2 = payload_bytes(span.starts.x, end);
    for (var part = 0u; part < parts; part++) {
      level_1[part] = level_1_byte(at.lane * parts + part, level_3, stored_2, span.starts.y, end);
      bytes += countOneBits(level_1[part]);
    }
  }
  var byte_at = span.starts.z + sum_before(at, 0u, bytes);
  var own: Bits;
  var runs = 0u;
  for (var part = 0u; part < parts; part++) {
    own[part] = vec2u(0u);
    if (has_runs) {
      own[part] = level_0_bytes(level_1[part], byte_at, end);
      byte_at += countOneBits(level_1[part]);
      runs += ones(own[part]);
    }
  }
  if (checks && is_tile) { check_tile(at, own, tile, chunk_number, span, end); }
  var before = sum_before(at, 1u, runs);
  for (var part = 0u; part < parts; part++) {
    let word = 128u * at.slot + 2u * (at.lane * parts + part);
    wg_bits[word] = own[part].x;
    wg_bits[word + 1u] = own[part].y;
    wg_rank[word] = before;
    wg_rank[word + 1u] = before + countOneBits(own[part].x);
    before += ones(own[part]);
  }
  workgroupBarrier(); // the bits and their ranks are complete
}

// The value in each element of a word.
fn splat(value: u32) -> u32 {
  return value * (0xffffffffu / element_mask);
}

// How many of a tile's runs start at or before an element. The last of them covers the element; if there are none, the last run
// of the tiles before does.
fn runs_through(slot: u32, element: u32) -> u32 {
  let word = 128u * slot + element / 32u;
  return wg_rank[word] + countOneBits(wg_bits[word] & (0xffffffffu >> (31u - element % 32u)));
}

// The bits of level 0 from an element to the end of its word.
fn marks_from(slot: u32, element: u32) -> u32 {
  return wg_bits[128u * slot + element / 32u] >> (element % 32u);
}

// A tile of whole words in which no run starts.
fn fill_columns(order: Chunk, walk: Walk, share: Share, value: u32) {
  let word = splat(value);
  for (var lane = share.lane; lane < walk.column_words; lane += share.width) {
    let start = columns_of(order, walk, lane).start;
    for (var turn = share.first; turn < share.end; turn++) { atomicStore(&voxels[start + turn * order.step], word); }
  }
}

fn fill_rows(order: Chunk, walk: Walk, at: Lane, value: u32) {
  let word = splat(value);
  if (at.lane >= walk.column_words) { return; }
  var cursor = row_cursor(order, walk, at.lane, 1u);
  for (var lane = at.lane; lane < walk.column_words; lane += lanes) {
    atomicStore(&voxels[cursor.start + cursor.word], word);
    advance(&cursor, order);
  }
}

// A tile of whole words in memory order (axis x), four at a time. `values`: the byte where the tile's values start.
fn expand_rows(order: Chunk, walk: Walk, at: Lane, values: u32, end: u32) {
  if (at.lane >= walk.column_words) { return; }
  var cursor = row_cursor(order, walk, at.lane, 1u);
  for (var first = at.lane; first < walk.column_words; first += 4u * lanes) {
    var places = vec4u(0u);
    var nexts = vec4u(0u);
    var words = vec4u(0u);
    for (var i = 0u; i < 4u; i++) {
      // Behind the tile's end the last word repeats.
      let element = min(first + i * lanes, walk.column_words - 1u) * per_word;
      places[i] = cursor.start + cursor.word;
      nexts[i] = values + runs_through(at.slot, element) * element_bytes;
      words[i] = splat(payload_element(nexts[i] - element_bytes, end));
      advance(&cursor, order);
    }
    for (var i = 0u; i < 4u; i++) {
      let lane = first + i * lanes;
      if (lane < walk.column_words) {
        let marks = marks_from(at.slot, lane * per_word);
        for (var e = 1u; e < per_word; e++) {
          if (((marks >> e) & 1u) != 0u) {
            let shift = e * element_bits;
            words[i] = (words[i] & ((1u << shift) - 1u)) | (splat(payload_element(nexts[i], end)) << shift);
            nexts[i] += element_bytes;
          }
        }
        atomicStore(&voxels[places[i]], words[i]);
      }
    }
  }
}

// A tile of whole columns, sixteen steps at a time. Each column keeps the byte of its next value. Where no run starts, the word
// is stored again. Columns and batches begin at multiples of their length, so their bits never cross a word.
fn expand_columns(order: Chunk, walk: Walk, slot: u32, share: Share, values: u32, end: u32) {
  for (var lane = share.lane; lane < walk.column_words; lane += share.width) {
    let columns = columns_of(order, walk, lane);
    var nexts = vec4u(0u);
    var word = 0u;
    for (var e = 0u; e < per_word; e++) {
      nexts[e] = values + runs_through(slot, columns.first_element + e * order.length + share.first) * element_bytes;
      word |= payload_element(nexts[e] - element_bytes, end) << (e * element_bits);
    }
    for (var first = share.first; first < share.end; first += 16u) {
      let steps = min(16u, share.end - first);
      // The share's first elements already have their values.
      let unseen = (0xffffu >> (16u - steps)) & select(0xffffu, 0xfffeu, first == share.first);
      var marks = vec4u(0u);
      for (var e = 0u; e < per_word; e++) {
        marks[e] = marks_from(slot, columns.first_element + e * order.length + first) & unseen;
      }
      let any = marks.x | marks.y | marks.z | marks.w;
      for (var i = 0u; i < 16u; i++) {
        if (((any >> i) & 1u) != 0u) {
          for (var e = 0u; e < per_word; e++) {
            if (((marks[e] >> i) & 1u) != 0u) {
              let shift = e * element_bits;
              word = (word & ~(element_mask << shift)) | (payload_element(nexts[e], end) << shift);
              nexts[e] += element_bytes;
            }
          }
        }
        if (i < steps) { atomicStore(&voxels[columns.start + (first + i) * order.step], word); }
      }
    }
  }
}

// Expands any tile, element by element.
fn expand_any(order: Chunk, walk: Walk, slot: u32, share: Share, span: Span, end: u32) {
  // Run number 0 is the last run of the tiles before, which reaches into this tile.
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
      var word = splat(value);
      if (span.counts.w > 0u) {
        word = 0u;
        for (var e = 0u; e < per_word; e++) {
          if (((own >> (e * element_bits)) & 1u) == 0u) { continue; }
          let at = local + e * order.length;
          let number = runs_through(slot, at);
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
  let at = lane_of(thread, workgroup, workgroups);
  let is_tile = at.tile < box.tile_count;
  let tile = min(at.tile, box.tile_count - 1u);
  let chunk_number = chunk_of_tile[tile];
  let chunk = chunks[chunk_number];
  let end = chunk.byte_offset + chunk.byte_length;
  let span = spans[tile];
  let has_runs = is_tile && span.counts.w > 0u;
  build_bits(at, is_tile, has_runs, tile, chunk_number, span, end);
  if (!is_tile) { return; }

  let walk = walk_of(chunk, tile);
  let share = share_of(chunk, walk, at.lane);
  if (share.first >= share.end) { return; }
  if (!walk.whole) {
    expand_any(chunk, walk, at.slot, share, span, end);
  } else if (has_runs) {
    if (chunk.length == 1u) {
      expand_rows(chunk, walk, at, span.starts.w, end);
    } else {
      expand_columns(chunk, walk, at.slot, share, span.starts.w, end);
    }
  } else {
    let value = payload_element(span.starts.w - element_bytes, end);
    if (chunk.length == 1u) { fill_rows(chunk, walk, at, value); } else { fill_columns(chunk, walk, share, value); }
  }
}
