// Writes each tile into its chunk's payload. A section's first tile also writes its header and its table.
// src/core/codecs/huffman/SPEC.md, 'Payload'.
// Algorithm: each lane codes its segment. With long codes, the lanes store the words completed in a round of 32 symbols together,
// so that neighbouring lanes store neighbouring words. With short codes, each lane stores its own words.
// One invocation owns a segment, one workgroup a tile. Dispatch: one workgroup per tile, spread over x and y.
// Invariants:
// 1. `payloads` starts as zeros and no bit is written twice, so words that several invocations share do not depend on their
//    order. A word that belongs to one invocation is stored.
// 2. Chunks with byte_length 0 are skipped.
// Twins: `tileEncoder` in src/core/codecs/huffman/tile.ts, `encodeSection` in reference.ts.

import package::huffman::segments::{base_bits, survey, threads, wg_ends, width_bits};
import package::huffman::tile::{
  EncodedChunk, Section, Tile, kind_coded, kind_plain, kind_single, no_section, segments_per_tile, table_words, tile_of,
};

@group(0) @binding(0) var<uniform> tile_count: u32;
@group(0) @binding(1) var<storage, read> sections: array<Section>;
// For each tile: its section, and the byte where it goes, relative to the payload's start.
@group(0) @binding(2) var<storage, read> tiles: array<vec2u>;
@group(0) @binding(3) var<storage, read> symbols: array<u32>;
@group(0) @binding(4) var<storage, read> codes: array<u32>;
@group(0) @binding(5) var<storage, read> tables: array<u32>;
// From measure.wgsl: 128 words per tile.
@group(0) @binding(6) var<storage, read> segment_bits: array<u32>;
@group(0) @binding(7) var<storage, read_write> payloads: array<atomic<u32>>;
@group(0) @binding(8) var<storage, read> chunks: array<EncodedChunk>;

var<workgroup> wg_codes: array<u32, 256>;

// A position in `payloads`: bit `bit`, which may exceed 31, of word `word`. Byte offsets × 8 would not fit 32 bits.
struct Position { word: u32, bit: u32 }

fn position(byte: u32, bit: u32) -> Position { return Position(byte / 4u, 8u * (byte % 4u) + bit); }

// Writes up to 32 bits, for values that stand alone.
fn put(at: Position, value: u32, width: u32) {
  let word = at.word + at.bit / 32u;
  let shift = at.bit % 32u;
  atomicOr(&payloads[word], value << shift);
  if (shift + width > 32u) { atomicOr(&payloads[word + 1u], value >> (32u - shift)); }
}

// Groups of four symbols that a lane codes in one round, which complete at most 12 words; and lanes that store one lane's words.
const round_groups = 8u;
const storing_lanes = 8u;
// Rounds pay from this many bits per symbol on, as measured.
const bits_for_rounds = 5u;

// Each lane's completed words (an odd pitch, so that lanes use different banks), their number, and where the first goes.
const stage_pitch = 13u;
var<workgroup> wg_stage: array<u32, stage_pitch * threads>;
var<workgroup> wg_full: array<u32, threads>;
var<workgroup> wg_place: array<u32, threads>;

// Collects neighbouring bits into words. In rounds, `full` words wait in wg_stage from `stage` on, and the first goes to word
// `place`. Otherwise words are stored at once.
struct Writer { used: u32, bits: u32, place: u32, is_first: bool, in_rounds: bool, stage: u32, full: u32 }

// A segment's first word may hold bits of the segment before it. The other words, except its last, belong to it alone.
fn store(place: u32, word: u32, is_first: bool) {
  if (is_first) { atomicOr(&payloads[place], word); } else { atomicStore(&payloads[place], word); }
}

// `width`: at most 24. `value` must have no bits above it.
fn append(writer: ptr<function, Writer>, value: u32, width: u32) {
  let used = (*writer).used;
  (*writer).bits |= value << used;
  (*writer).used = used + width;
  if (used + width >= 32u) {
    if ((*writer).in_rounds) {
      wg_stage[(*writer).stage + (*writer).full] = (*writer).bits;
      (*writer).full++;
    } else {
      store((*writer).place, (*writer).bits, (*writer).is_first);
      (*writer).place++;
      (*writer).is_first = false;
    }
    (*writer).used = used + width - 32u;
    (*writer).bits = value >> (32u - used); // used is 8 or more here
  }
}

// 'for each section its length × 4 + its kind, as a varint'
fn put_header(section: Section) {
  var at = section.header;
  if (section.section_count > 0u) {
    put(position(at, 0u), section.section_count, 8u);
    at++;
  }
  var rest = section.header_value;
  for (; rest >= 128u; rest /= 128u) {
    put(position(at, 0u), (rest % 128u) + 128u, 8u);
    at++;
  }
  put(position(at, 0u), rest, 8u);
}

fn put_symbols(thread: u32, tile: Tile, byte: u32) {
  for (var w = thread; w < tile.words; w += threads) {
    put(position(byte + 4u * w, 0u), symbols[tile.first_word + w], 8u * min(4u, tile.symbols - 4u * w));
  }
}

// A group's codes, two at a time.
fn put_group(writer: ptr<function, Writer>, word: u32, count: u32) {
  for (var i = 0u; i < count; i += 2u) {
    let first = wg_codes[(word >> (8u * i)) & 0xffu];
    let second = select(0u, wg_codes[(word >> (8u * i + 8u)) & 0xffu], i + 1u < count);
    append(writer, (first & 0xffffu) | ((second & 0xffffu) << (first >> 16u)), (first >> 16u) + (second >> 16u));
  }
}

// All segments of a tile. `at`: where this lane's starts. The whole workgroup must call it.
fn put_segments(thread: u32, tile: Tile, at: Position) {
  let in_rounds = workgroupUniformLoad(&wg_ends[threads - 1u]) >= bits_for_rounds * tile.symbols;
  var writer = Writer(at.bit % 32u, 0u, at.word + at.bit / 32u, true, in_rounds, stage_pitch * thread, 0u);
  let rounds = (tile.words + tile.segments * round_groups - 1u) / (tile.segments * round_groups);
  for (var round = 0u; round < rounds; round++) {
    let first = thread + round * round_groups * tile.segments;
    var words = array<u32, round_groups>();
    for (var group = 0u; group < round_groups; group++) {
      let w = first + group * tile.segments;
      if (thread < tile.segments && w < tile.words) { words[group] = symbols[tile.first_word + w]; }
    }
    for (var group = 0u; group < round_groups; group++) {
      let w = first + group * tile.segments;
      if (thread < tile.segments && w < tile.words) { put_group(&writer, words[group], min(4u, tile.symbols - 4u * w)); }
    }
    if (!in_rounds) { continue; }
    wg_full[thread] = writer.full;
    wg_place[thread] = writer.place;
    writer.place += writer.full;
    writer.full = 0u;
    workgroupBarrier(); // the round's words are stored
    for (var lane = thread / storing_lanes; lane < tile.segments; lane += threads / storing_lanes) {
      for (var i = thread % storing_lanes; i < wg_full[lane]; i += storing_lanes) {
        store(wg_place[lane] + i, wg_stage[stage_pitch * lane + i], round == 0u && i == 0u);
      }
    }
    workgroupBarrier(); // they are stored before the next round overwrites them
  }
  if (writer.used > 0u && thread < tile.segments) { atomicOr(&payloads[writer.place], writer.bits); }
}

@compute @workgroup_size(threads)
fn main(
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
) {
  let tile_number = workgroup.x + workgroup.y * workgroups.x;
  if (tile_number >= tile_count) { return; }
  let section_number = tiles[tile_number].x;
  if (section_number == no_section) { return; }
  var section = sections[section_number];
  let chunk = chunks[section.chunk];
  if (chunk.byte_length == 0u) { return; }
  section.header += chunk.byte_offset;
  section.body += chunk.byte_offset;
  section.directory += chunk.byte_offset;
  let tile = tile_of(tile_number - section.first_tile, section.length, section.symbols_word);
  let byte = chunk.byte_offset + tiles[tile_number].y;
  let table = table_words * section_number;
  if (tile.number == 0u && thread == 0u) {
    put_header(section);
    if (section.kind == kind_single) { put(position(section.body, 0u), tables[table + 1u], 8u); }
  }
  if (section.kind == kind_plain) { put_symbols(thread, tile, byte); }
  if (section.kind != kind_coded) { return; }

  if (tile.number == 0u) {
    // The table's length in one byte, then its words, the last one cut to the table's length.
    let length = tables[table];
    if (thread == 0u) { put(position(section.body, 0u), length, 8u); }
    if (4u * thread < length) {
      put(position(section.body + 1u + 4u * thread, 0u), tables[table + 1u + thread], 8u * min(4u, length - 4u * thread));
    }
  }
  for (var symbol = thread; symbol < 256u; symbol += threads) { wg_codes[symbol] = codes[256u * section_number + symbol]; }
  let bits = segment_bits[segments_per_tile * tile_number + thread];
  let segments = survey(thread, tile.segments, bits); // its barriers follow the codes
  if (thread == 0u) {
    put(position(section.directory + 2u * tile.number, 0u), (segments.directory + segments.total + 7u) / 8u, 16u);
    if (tile.segments > 1u) { put(position(byte, 0u), segments.base | (segments.width << base_bits), base_bits + width_bits); }
  }
  if (thread + 1u < tile.segments) {
    put(position(byte, base_bits + width_bits + thread * segments.width), bits - segments.base, segments.width);
  }
  put_segments(thread, tile, position(byte, segments.directory + segments.start));
}
