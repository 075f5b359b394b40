// Decodes each tile's symbols: directly into the chunk's rows if they are words of those, otherwise into `symbols`.
// src/core/codecs/huffman/SPEC.md, 'Tiles' and 'Codes'.
// Algorithm: a table in workgroup memory maps each value of the next 12 bits to a symbol and its code's length. A window of 32
// bits holds two codes.
// One invocation owns a segment, one workgroup a tile. Dispatch: one workgroup per tile slot, spread over x and y.
// Invariants:
// 1. An invocation writes as many words as its segment has, whatever the bits say.
// 2. Neighbouring lanes write neighbouring words, because segments are striped.
// 3. Symbols past a section's end, in its last word, are undefined.
// Twin: `tileDecoder` in src/core/codecs/huffman/tile.ts.

import package::faults::faults::{checks, raise};
import package::huffman::payload::{Chunk, Place, Slot, code_sums, code_words, is_direct, no_slot};
import package::huffman::segments::{base_bits, scan_lengths, threads, width_bits};
import package::huffman::tile::{Tile, kind_coded, kind_plain, max_code_bits, max_sections, tile_of, tile_words};

override element_bytes: u32 = 1u;

struct Box { row_words: u32, slice_words: u32, place_count: u32, unused: u32 }

@group(0) @binding(0) var<uniform> box: Box;
@group(0) @binding(1) var<storage, read> slots: array<Slot>;
@group(0) @binding(2) var<storage, read> places: array<Place>;
@group(0) @binding(3) var<storage, read> payloads: array<u32>;
// From code-of.wgsl: code_words per slot.
@group(0) @binding(4) var<storage, read> codes: array<u32>;
// Four symbols per word. Each section starts at a word.
@group(0) @binding(5) var<storage, read_write> symbols: array<u32>;
@group(0) @binding(6) var<storage, read> chunks: array<Chunk>;
// The box that chunks are decoded into.
@group(0) @binding(7) var<storage, read_write> elements: array<u32>;

// Where a lane writes its words: each time `step` words further, without divisions.
struct Output {
  is_direct: bool,
  word: u32,          // in `symbols` the next word; in `elements` the word of the chunk's origin
  x: u32,             // in words
  y: u32,
  z: u32,
  step_x: u32,
  step_y: u32,
  step_z: u32,
  row_words: u32,     // of the chunk
  size_y: u32,
}

// `first`, `step`: in words of the section.
fn output_of(chunk: Chunk, is_direct: bool, symbols_word: u32, first: u32, step: u32) -> Output {
  var output: Output;
  output.is_direct = is_direct;
  output.word = symbols_word + first;
  output.step_x = step;
  if (is_direct) {
    output.word = chunk.first_word;
    output.row_words = chunk.size_x / 4u;
    output.size_y = chunk.size_y;
    let row = first / output.row_words;
    output.x = first - row * output.row_words;
    output.z = row / chunk.size_y;
    output.y = row - output.z * chunk.size_y;
    let step_row = step / output.row_words;
    output.step_x = step - step_row * output.row_words;
    output.step_z = step_row / chunk.size_y;
    output.step_y = step_row - output.step_z * chunk.size_y;
  }
  return output;
}

fn put(output: ptr<function, Output>, value: u32) {
  if (!(*output).is_direct) {
    symbols[(*output).word] = value;
    (*output).word += (*output).step_x;
    return;
  }
  elements[(*output).word + (*output).z * box.slice_words + (*output).y * box.row_words + (*output).x] = value;
  (*output).x += (*output).step_x;
  (*output).y += (*output).step_y;
  (*output).z += (*output).step_z;
  if ((*output).x >= (*output).row_words) {
    (*output).x -= (*output).row_words;
    (*output).y++;
  }
  if ((*output).y >= (*output).size_y) {
    (*output).y -= (*output).size_y;
    (*output).z++;
  }
}

// Two entries per word: a symbol, and its code's length << 8.
var<workgroup> wg_table: array<u32, 2048>;
// For each code in order: its entry, and << 16 its first value among all 4096 values of 12 bits, first bit highest.
var<workgroup> wg_entries: array<u32, 257>;

// The 32 bits that start at bit `bit` (0 to 31) of two words.
fn window(low: u32, high: u32, bit: u32) -> u32 {
  return (low >> bit) | ((high << 1u) << (31u - bit));
}

fn bits_at(byte: u32, bit: u32) -> u32 {
  let offset = 8u * (byte % 4u) + bit;
  let word = byte / 4u + offset / 32u;
  return window(payloads[word], payloads[word + 1u], offset % 32u);
}

// Code `rank` in the form of wg_entries. Behind the last code: an end mark that no value reaches.
fn entry_of(code: u32, rank: u32) -> u32 {
  var start = 0u;
  var before = 0u;
  for (var length = 1u; length <= max_code_bits; length++) {
    let sum = codes[code + code_sums + length];
    if (rank < sum) {
      let symbol = (codes[code + rank / 4u] >> (8u * (rank % 4u))) & 0xffu;
      return symbol | (length << 8u) | ((start + ((rank - before) << (max_code_bits - length))) << 16u);
    }
    start += (sum - before) << (max_code_bits - length);
    before = sum;
  }
  return 0xffff0000u;
}

// Writes the entries of 16 values, from `first` on, into the low or the high half of their words. A word's index is its value's
// last 11 bits, reversed.
fn fill_table(first: u32, half: u32) {
  // The last code that starts at or before `first`.
  var rank = 0u;
  for (var step = 128u; step > 0u; step /= 2u) {
    if ((wg_entries[rank + step] >> 16u) <= first) { rank += step; }
  }
  var entry = wg_entries[rank];
  var next = wg_entries[rank + 1u];
  for (var value = first; value < first + 16u; value++) {
    if ((next >> 16u) <= value) {
      rank++;
      entry = next;
      next = wg_entries[min(rank + 1u, 256u)];
    }
    let at = reverseBits(value << 21u);
    if (half == 0u) { wg_table[at] = entry & 0xffffu; } else { wg_table[at] |= entry << 16u; }
  }
}

fn lookup(bits: u32) -> u32 {
  return wg_table[(bits >> 1u) & 2047u] >> (16u * (bits & 1u));
}

// 'every segment takes as many bits as its tile says'
// `end`: the bit of the tile where segment `segment` ended. `promised`: where it should have ended.
fn segment_fails(place: Place, tile: Tile, segment: u32, end: u32, promised: u32) -> bool {
  if (segment + 1u < tile.segments) { return end != promised; }
  let rest = 8u * place.byte_length - end;
  if (rest >= 8u) { return true; }
  return (bits_at(place.byte_offset + end / 8u, end % 8u) & ((1u << rest) - 1u)) != 0u;
}

@compute @workgroup_size(threads)
fn main(
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
) {
  let place_number = workgroup.x + workgroup.y * workgroups.x;
  if (place_number >= box.place_count) { return; }
  let place = places[place_number];
  if (place.slot == no_slot) { return; }
  let slot = slots[place.slot];
  let tile = tile_of(place.number, slot.length, slot.symbols_word);
  let chunk = chunks[place.slot / max_sections];
  let is_direct = is_direct(chunk, slots[place.slot - place.slot % max_sections], element_bytes);
  let first_word = place.number * tile_words;
  if (slot.kind != kind_coded) {
    var output = output_of(chunk, is_direct, slot.symbols_word, first_word + thread, threads);
    for (var w = thread; w < tile.words; w += threads) {
      var word = slot.body * 0x01010101u;
      if (slot.kind == kind_plain) { word = bits_at(place.byte_offset + 4u * w, 0u); }
      put(&output, word);
    }
    return;
  }

  let code = code_words * place.slot;
  for (var rank = thread; rank < 257u; rank += threads) { wg_entries[rank] = entry_of(code, rank); }
  // A tile with one segment does not list its length.
  var base = 0u;
  var width = 0u;
  var directory = 0u;
  if (tile.segments > 1u) {
    let head = bits_at(place.byte_offset, 0u);
    base = head & 0xfffu;
    width = (head >> base_bits) & 15u;
    directory = base_bits + width_bits + (tile.segments - 1u) * width;
  }
  var length = 0u;
  if (thread + 1u < tile.segments) {
    let listed = bits_at(place.byte_offset, base_bits + width_bits + thread * width);
    length = base + (listed & ((1u << width) - 1u));
  }
  let start = directory + scan_lengths(thread, length); // its barriers follow the entries
  fill_table(16u * thread, 0u);
  fill_table(2048u + 16u * thread, 1u);
  workgroupBarrier(); // the table is complete

  if (thread >= tile.segments) { return; }
  let offset = 8u * (place.byte_offset % 4u) + start;
  var at = place.byte_offset / 4u + offset / 32u;
  var bit = offset % 32u;
  var low = payloads[at];
  var high = payloads[at + 1u];
  at += 2u;
  var output = output_of(chunk, is_direct, slot.symbols_word, first_word + thread, tile.segments);
  // Bits that were read as symbols after the tile's last one.
  var surplus = 0u;
  for (var w = thread; w < tile.words; w += tile.segments) {
    var word = 0u;
    for (var pair = 0u; pair < 32u; pair += 16u) {
      let bits = window(low, high, bit);
      let first = lookup(bits);
      let first_length = (first >> 8u) & 15u;
      let second = lookup(bits >> first_length);
      if (checks) {
        let symbol = 4u * w + pair / 8u;
        surplus += select(0u, first_length, symbol >= tile.symbols);
        surplus += select(0u, (second >> 8u) & 15u, symbol + 1u >= tile.symbols);
      }
      word |= ((first & 0xffu) | ((second & 0xffu) << 8u)) << pair;
      bit += first_length + ((second >> 8u) & 15u);
      if (bit >= 32u) {
        bit -= 32u;
        low = high;
        high = payloads[at];
        at++;
      }
    }
    put(&output, word);
  }
  if (checks) {
    let end = 32u * (at - 2u) + bit - surplus - 8u * place.byte_offset;
    raise(place.slot / max_sections, segment_fails(place, tile, thread, end, start + length));
  }
}
