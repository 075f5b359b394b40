// Moves decoded symbols to their elements' places, unless they are already there. src/core/codecs/huffman/SPEC.md, 'Sections'.
// One invocation owns 8 words of the target, 256 words apart. One workgroup owns a piece of 2048 words of a chunk. Dispatch: one
// workgroup per piece, spread over x and y.
// Invariants:
// 1. A word that the chunk shares with other elements of its row keeps their bytes. No other invocation writes it.
// Twin: `decode` in src/core/codecs/huffman/reference.ts.

import package::huffman::payload::{Chunk, Slot, is_direct};
import package::huffman::tile::max_sections;

override element_bytes: u32 = 1u;
override per_word: u32 = 4u / element_bytes;

const threads = 256u;
const piece_words = 2048u;

struct Box { row_words: u32, slice_words: u32, piece_count: u32, unused: u32 }

@group(0) @binding(0) var<uniform> box: Box;
@group(0) @binding(1) var<storage, read> chunks: array<Chunk>;
// The number of each piece's chunk.
@group(0) @binding(2) var<storage, read> chunk_of_piece: array<u32>;
// max_sections per chunk. With elements of 1 byte, sections have any length, and each starts at a word of its own.
@group(0) @binding(3) var<storage, read> slots: array<Slot>;
@group(0) @binding(4) var<storage, read> symbols: array<u32>;
@group(0) @binding(5) var<storage, read_write> elements: array<u32>;

// Four symbols from number `index` on, counted from word `word`.
fn load_symbols(word: u32, index: u32) -> u32 {
  let at = word + index / 4u;
  let shift = 8u * (index % 4u);
  return (symbols[at] >> shift) | ((symbols[at + 1u] << 1u) << (31u - shift));
}

fn symbol(word: u32, index: u32) -> u32 {
  return (symbols[word + index / 4u] >> (8u * (index % 4u))) & 0xffu;
}

// The symbols of `count` elements of 1 byte, from number `element` of chunk `number` on, whichever sections they are in.
fn sectioned(number: u32, element: u32, count: u32) -> u32 {
  let first_slot = slots[max_sections * number];
  if (element + count <= first_slot.length) { return load_symbols(first_slot.symbols_word, element); }
  var word = 0u;
  var section = 0u;
  var index = element;
  for (var i = 0u; i < count; i++) {
    while (section < max_sections) {
      let length = slots[max_sections * number + section].length;
      if (index < length) { break; }
      index -= length;
      section++;
    }
    if (section < max_sections) { word |= symbol(slots[max_sections * number + section].symbols_word, index) << (8u * i); }
    index++;
  }
  return word;
}

@compute @workgroup_size(threads)
fn main(
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
) {
  let piece = workgroup.x + workgroup.y * workgroups.x;
  if (piece >= box.piece_count) { return; }
  let chunk_number = chunk_of_piece[piece];
  let chunk = chunks[chunk_number];
  if (is_direct(chunk, slots[max_sections * chunk_number], element_bytes)) { return; }
  let row_words = (chunk.size_x + per_word - 1u) / per_word;
  let word_count = row_words * chunk.size_y * chunk.size_z;
  let plane_words = (chunk.size_x * chunk.size_y * chunk.size_z + 3u) / 4u;
  let first = (piece - chunk.first_piece) * piece_words;
  for (var w = first + thread; w < min(first + piece_words, word_count); w += threads) {
    let row = w / row_words;
    let x = (w - row * row_words) * per_word;
    let z = row / chunk.size_y;
    let target_word = chunk.first_word + z * box.slice_words + (row - z * chunk.size_y) * box.row_words + x / per_word;
    let element = row * chunk.size_x + x;
    let count = min(per_word, chunk.size_x - x);
    var word = 0u;
    if (element_bytes == 1u) {
      word = sectioned(chunk_number, element, count);
    } else {
      for (var i = 0u; i < count; i++) {
        for (var plane = 0u; plane < element_bytes; plane++) {
          word |= symbol(chunk.symbols_word + plane * plane_words, element + i) << (8u * (i * element_bytes + plane));
        }
      }
    }
    if (count < per_word) {
      let mask = (1u << (8u * count * element_bytes)) - 1u;
      word = (word & mask) | (elements[target_word] & ~mask);
    }
    elements[target_word] = word;
  }
}
