// Writes each tile's bytes into its chunk's payload. src/core/codecs/rle/SPEC.md, 'Payload'.
// Algorithm: a byte's place in its section is its rank: the number of ones before its own bit in the level above. A value's place
// is the number of runs that start before its run.
// One lane owns parts of a tile, as in tree.wgsl. Dispatch: one workgroup for each `tiles_at_once` tiles, spread over x and y.
// Invariants:
// 1. `payloads` starts as zeros. Tiles' bytes are disjoint, so words that two tiles or two lanes share do not depend on their
//    order. A word that belongs to one lane is stored.
// 2. Nothing is written for a tile without a run start: its bytes are all zero.
// 3. Chunks with byte_length 0 are skipped.
// Twin: `encode` in src/core/codecs/rle/reference.ts.

import package::rle::order::{
  Box, Chunk, element_bits, element_bytes, element_mask, lane_of, no_runs, per_word, row_start, threads, tile_elements,
};
import package::rle::tree::{Bits, bits_below, byte_of, count_own, level_2_bits, ones, parent_byte, parts, sum_before};

@group(0) @binding(0) var<uniform> box: Box;
@group(0) @binding(1) var<storage, read> chunks: array<Chunk>;
// The number of each tile's chunk: `tile_count` words.
@group(0) @binding(2) var<storage, read> chunk_of_tile: array<u32>;
@group(0) @binding(3) var<storage, read> voxels: array<u32>;
// Level 0 of each tile, from measure.wgsl: 64 pairs of words per tile.
@group(0) @binding(4) var<storage, read> bits: array<vec2u>;
// For each tile, from scan.wgsl: how much of level 2, 1, 0 and of the runs precedes it in its chunk.
@group(0) @binding(5) var<storage, read> starts: array<vec4u>;
@group(0) @binding(6) var<storage, read_write> payloads: array<atomic<u32>>;

// Appends bytes and elements. The bytes of the current word are collected, and stored when the word is full.
struct Writer {
  first: u32,    // where this lane's bytes start
  at: u32,       // where the next byte goes
  pending: u32,  // the bytes of word at / 4 so far
}

fn writer_at(at: u32) -> Writer {
  return Writer(at, at, 0u);
}

// Appends the low `count` bytes of `value`, at most 4. The others must be 0.
fn put(writer: ptr<function, Writer>, value: u32, count: u32) {
  let word = (*writer).at / 4u;
  let shift = 8u * ((*writer).at % 4u);
  (*writer).pending |= value << shift;
  (*writer).at += count;
  if ((*writer).at / 4u == word) { return; }
  if (4u * word >= (*writer).first) {
    atomicStore(&payloads[word], (*writer).pending);
  } else {
    atomicOr(&payloads[word], (*writer).pending);
  }
  (*writer).pending = 0u;
  if (shift > 0u) { (*writer).pending = value >> (32u - shift); }
}

fn flush(writer: Writer) {
  if (writer.pending != 0u) { atomicOr(&payloads[writer.at / 4u], writer.pending); }
}

fn put_byte(at: u32, byte: u32) {
  atomicOr(&payloads[at / 4u], byte << (8u * (at % 4u)));
}

// Appends the bytes of a word that are not 0.
fn put_nonzero(writer: ptr<function, Writer>, word: u32) {
  var packed = 0u;
  var count = 0u;
  for (var shift = 0u; shift < 32u; shift += 8u) {
    let byte = (word >> shift) & 0xffu;
    packed |= byte << (8u * count);
    count += u32(byte != 0u);
  }
  put(writer, packed, count);
}

// Elements that are contiguous in scan order: a column, or a row if columns have length 1.
struct Stretch {
  first: u32,   // the first one's number
  count: u32,
  word: u32,    // where it lies
  shift: u32,
}

fn stretch_at(order: Chunk, i: u32) -> Stretch {
  if (order.length == 1u) {
    let row = i / order.shape.x;
    return Stretch(row * order.shape.x, order.shape.x, row_start(order, row), 0u);
  }
  let column = i / order.length;
  let row = column / order.shape.x;
  let x = column - row * order.shape.x;
  return Stretch(column * order.length, order.length, row_start(order, row) + x / per_word, (x % per_word) * element_bits);
}

// Appends the values of the runs that start in one part. `first`: number of the part's first element. Loads four at a time.
fn put_values(writer: ptr<function, Writer>, stretch: ptr<function, Stretch>, bits: vec2u, order: Chunk, first: u32) {
  for (var half = 0u; half < 2u; half++) {
    var marks = select(bits.x, bits.y, half == 1u);
    while (marks != 0u) {
      var words = vec4u(0u);
      var shifts = vec4u(0u);
      var count = 0u;
      for (var k = 0u; k < 4u; k++) {
        if (marks != 0u) {
          let i = first + 32u * half + countTrailingZeros(marks);
          marks &= marks - 1u;
          if (i - (*stretch).first >= (*stretch).count) { *stretch = stretch_at(order, i); }
          let step = i - (*stretch).first;
          if (order.length == 1u) {
            words[k] = voxels[(*stretch).word + step / per_word];
            shifts[k] = (step % per_word) * element_bits;
          } else {
            words[k] = voxels[(*stretch).word + step * order.step];
            shifts[k] = (*stretch).shift;
          }
          count++;
        }
      }
      var packed = 0u;
      var bytes = 0u;
      for (var k = 0u; k < 4u; k++) {
        if (k < count) {
          packed |= ((words[k] >> shifts[k]) & element_mask) << (8u * bytes);
          bytes += element_bytes;
        }
        if (k % per_word == per_word - 1u) {
          put(writer, packed, bytes);
          packed = 0u;
          bytes = 0u;
        }
      }
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
  var in_chunk = vec4u(no_runs);
  if (at.tile < box.tile_count) { in_chunk = starts[at.tile]; }
  var own: Bits;
  for (var part = 0u; part < parts; part++) {
    own[part] = vec2u(0u);
    if (in_chunk.w != no_runs) { own[part] = bits[at.tile * 64u + at.lane * parts + part]; }
  }
  let counted = count_own(at, own);
  let before = sum_before(at, 0u, counted);
  if (counted == 0u) { return; }
  let chunk = chunks[chunk_of_tile[at.tile]];
  if (chunk.byte_length == 0u) { return; }

  let sections = chunk.sections + in_chunk * vec4u(1u, 1u, 1u, element_bytes);
  let tile_in_chunk = at.tile - chunk.first_tile;
  let first_part = at.lane * parts;
  let level_2 = level_2_bits(at);
  let below = bits_below(level_2, first_part);
  // The first lane with a bit in a byte of level 2 writes that byte. The first of all writes the byte of level 3.
  let group = first_part / 8u;
  if (byte_of(below, group) == 0u) {
    let level_3 = parent_byte(level_2);
    if (all(below == vec2u(0u))) { put_byte(chunk.byte_offset + tile_in_chunk, level_3); }
    put_byte(sections.x + countOneBits(level_3 & ((1u << group) - 1u)), byte_of(level_2, group));
  }
  var parents = writer_at(sections.y + ones(below));
  var bytes = writer_at(sections.z + (before & 0xffffu));
  for (var part = 0u; part < parts; part++) {
    let level_1 = parent_byte(own[part]);
    put(&parents, level_1, u32(level_1 != 0u));
    put_nonzero(&bytes, own[part].x);
    put_nonzero(&bytes, own[part].y);
  }
  flush(parents);
  flush(bytes);
  let first = tile_in_chunk * tile_elements + 64u * first_part;
  var values = writer_at(sections.w + (before >> 16u) * element_bytes);
  var stretch = Stretch(0u, 0u, 0u, 0u);
  for (var part = 0u; part < parts; part++) { put_values(&values, &stretch, own[part], chunk, first + 64u * part); }
  flush(values);
}
