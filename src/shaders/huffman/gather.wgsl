// Packs each section's symbols, and counts how often each one occurs. src/core/codecs/huffman/SPEC.md, 'Sections'.
// Algorithm: a histogram of the tile in workgroup memory, in several copies, so that lanes seldom collide. If one symbol
// dominates, like the zeros of an empty volume, atomics would collide anyway. So each lane counts one symbol in a register: that
// of the last word with only one symbol.
// One invocation owns every `threads`-th word of a tile, one workgroup a tile. Dispatch: one workgroup per tile, spread over x
// and y.
// Invariants:
// 1. `counts` starts as zeros. The order of additions does not matter.
// 2. Symbols past a section's end are 0 in its last word, and are not counted.
// Twin: `symbolsOf` and `encodeSection` in src/core/codecs/huffman/reference.ts.

import package::huffman::tile::{Section, no_section, tile_of, tile_words};

override element_bytes: u32 = 1u;

// Invocations in a workgroup.
override threads: u32 = 256u;
const copies = 4u;

struct Box { row_words: u32, slice_words: u32, tile_count: u32, section_count: u32 }

@group(0) @binding(0) var<uniform> box: Box;
@group(0) @binding(1) var<storage, read> sections: array<Section>;
// From cut.wgsl.
@group(0) @binding(2) var<storage, read> tiles: array<vec2u>;
@group(0) @binding(3) var<storage, read> voxels: array<u32>;
// Four symbols per word. Each section starts at a word.
@group(0) @binding(4) var<storage, read_write> symbols: array<u32>;
// 256 words per section.
@group(0) @binding(5) var<storage, read_write> counts: array<atomic<u32>>;

var<workgroup> wg_counts: array<atomic<u32>, 256u * copies>;

// Four bytes, starting `byte` bytes after the start of word `word`. Bytes past the buffer's end are 0.
fn load_bytes(word: u32, byte: u32) -> u32 {
  let at = word + byte / 4u;
  let shift = 8u * (byte % 4u);
  if (shift == 0u) { return voxels[at]; }
  var next = 0u;
  if (at + 1u < arrayLength(&voxels)) { next = voxels[at + 1u]; }
  return (voxels[at] >> shift) | (next << (32u - shift));
}

// The symbols of up to four elements from `x` on, as many as the row still has.
fn load_in_row(section: Section, row_word: u32, x: u32) -> u32 {
  if (element_bytes == 1u) { return load_bytes(row_word, x); }
  let shift = 8u * section.plane;
  var word = 0u;
  if (element_bytes == 2u) {
    let low = load_bytes(row_word, 2u * x) >> shift;
    word = (low & 0xffu) | ((low >> 8u) & 0xff00u);
    if (x + 2u < section.size_x) {
      let high = load_bytes(row_word, 2u * x + 4u) >> shift;
      word |= ((high & 0xffu) << 16u) | ((high & 0xff0000u) << 8u);
    }
    return word;
  }
  for (var i = 0u; i < min(4u, section.size_x - x); i++) {
    word |= ((voxels[row_word + x + i] >> shift) & 0xffu) << (8u * i);
  }
  return word;
}

// An element's position. Steps forward need no division.
struct Place { x: u32, y: u32, z: u32 }

fn place_of(section: Section, element: u32) -> Place {
  let row = element / section.size_x;
  let z = row / section.size_y;
  return Place(element - row * section.size_x, row - z * section.size_y, z);
}

// `step`: a number of elements, as a position.
fn advance(section: Section, place: Place, step: Place) -> Place {
  var next = Place(place.x + step.x, place.y + step.y, place.z + step.z);
  if (next.x >= section.size_x) {
    next.x -= section.size_x;
    next.y++;
  }
  if (next.y >= section.size_y) {
    next.y -= section.size_y;
    next.z++;
  }
  return next;
}

// The symbols of `count` elements, 1 to 4, from a position on. The rest of the word is 0.
fn symbols_at(section: Section, first: Place, count: u32) -> u32 {
  if (count == 4u && first.x + 4u <= section.size_x) {
    return load_in_row(section, section.first_word + first.z * box.slice_words + first.y * box.row_words, first.x);
  }
  var place = first;
  var word = 0u;
  for (var done = 0u; done < count; ) {
    let row_word = section.first_word + place.z * box.slice_words + place.y * box.row_words;
    word |= load_in_row(section, row_word, place.x) << (8u * done);
    done += section.size_x - place.x;
    if (done < 4u) { word &= (1u << (8u * done)) - 1u; }
    place = Place(0u, place.y + 1u, place.z);
    if (place.y == section.size_y) { place = Place(0u, 0u, place.z + 1u); }
  }
  if (count < 4u) { word &= (1u << (8u * count)) - 1u; }
  return word;
}

@compute @workgroup_size(threads)
fn main(
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
) {
  let tile_number = workgroup.x + workgroup.y * workgroups.x;
  if (tile_number >= box.tile_count) { return; }
  let section_number = tiles[tile_number].x;
  if (section_number == no_section) { return; }
  let section = sections[section_number];
  let tile = tile_of(tile_number - section.first_tile, section.length, section.symbols_word);
  for (var i = thread; i < 256u * copies; i += threads) { atomicStore(&wg_counts[i], 0u); }
  workgroupBarrier(); // the counts are zero

  let copy = thread % copies;
  var held = 0u;
  var held_count = 0u;
  var place = place_of(section, section.first_element + 4u * (tile.number * tile_words + thread));
  let step = place_of(section, 4u * threads);
  for (var w = thread; w < tile.words; w += threads) {
    let count = min(4u, tile.symbols - 4u * w);
    let word = symbols_at(section, place, count);
    place = advance(section, place, step);
    symbols[tile.first_word + w] = word;
    if (count == 4u && word == (word & 0xffu) * 0x01010101u) {
      if ((word & 0xffu) != held) {
        if (held_count > 0u) { atomicAdd(&wg_counts[held * copies + copy], held_count); }
        held = word & 0xffu;
        held_count = 0u;
      }
      held_count += 4u;
      continue;
    }
    for (var i = 0u; i < count; i++) {
      let symbol = (word >> (8u * i)) & 0xffu;
      if (symbol == held) { held_count++; } else { atomicAdd(&wg_counts[symbol * copies + copy], 1u); }
    }
  }
  if (held_count > 0u) { atomicAdd(&wg_counts[held * copies + copy], held_count); }
  workgroupBarrier(); // the tile is counted

  for (var symbol = thread; symbol < 256u; symbol += threads) {
    var sum = 0u;
    for (var i = 0u; i < copies; i++) { sum += atomicLoad(&wg_counts[symbol * copies + i]); }
    if (sum > 0u) { atomicAdd(&counts[256u * section_number + symbol], sum); }
  }
}
