// Cuts chunks into sections, and sections into tiles. src/core/codecs/huffman/SPEC.md, 'Sections' and 'Tiles'.
// With `second` the chunks are payloads of a first codec, whose lengths and sections are known on the GPU only.
// One invocation owns a chunk. Dispatch: one workgroup for each 64 chunks, spread over x and y.
// Invariants:
// 1. Sections that are not used have length 0. Tiles that are not used have `no_section`.
// 2. A chunk has room for its sections and tiles, however long they are: src/core/codecs/huffman/encode-kernels.ts.
// Twin: `sectionsOf` in src/core/codecs/huffman/layout.ts.

import package::huffman::tile::{EncodedChunk, Section, no_section, tile_symbols};

override element_bytes: u32 = 1u;

// `part_count`: how many lengths `lengths` has for each chunk. If 0, a first codec's payload is one section.
struct Batch { chunk_count: u32, part_count: u32 }

@group(0) @binding(0) var<uniform> batch: Batch;
@group(0) @binding(1) var<storage, read_write> chunks: array<EncodedChunk>;
@group(0) @binding(2) var<storage, read_write> sections: array<Section>;
// For each tile: its section, and later the byte where it goes in its chunk's payload.
@group(0) @binding(3) var<storage, read_write> tiles: array<vec2u>;
// The places of the first codec's payloads, from src/shaders/codec/places.wgsl, and the bytes of their sections.
@if(second) @group(0) @binding(4) var<storage, read> places: array<vec4u>;
@if(second) @group(0) @binding(5) var<storage, read> lengths: array<u32>;

// The sections that the chunk may have, empty ones included.
fn section_count() -> u32 {
  @if(second) { return max(1u, batch.part_count); }
  @if(!second) { return element_bytes; }
}

// The length of section `i`, in symbols.
fn section_length(number: u32, chunk: EncodedChunk, i: u32) -> u32 {
  @if(second) { if (batch.part_count > 0u && chunk.shape.x > 0u) { return lengths[number * batch.part_count + i]; } }
  return chunk.shape.x * chunk.shape.y * chunk.shape.z;
}

@compute @workgroup_size(64)
fn main(
  @builtin(local_invocation_index) local: u32,
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
) {
  let number = (workgroup.x + workgroup.y * workgroups.x) * 64u + local;
  if (number >= batch.chunk_count) { return; }
  @if(second) {
    chunks[number].shape = vec3u(places[number].y, 1u, 1u);
    chunks[number].first_word = places[number].x / 4u;
  }
  let chunk = chunks[number];
  var section = chunk.first_section;
  var tile = chunk.first_tile;
  var symbols_word = chunk.symbols_word;
  var element = 0u;
  for (var i = 0u; i < section_count(); i++) {
    let length = section_length(number, chunk, i);
    if (length == 0u) { continue; }
    // lay-out.wgsl fills in the rest.
    var cut: Section;
    cut.first_word = chunk.first_word;
    cut.size_x = chunk.shape.x;
    cut.size_y = chunk.shape.y;
    cut.first_element = element;
    cut.plane = select(0u, i, element_bytes > 1u);
    cut.length = length;
    cut.symbols_word = symbols_word;
    cut.first_tile = tile;
    cut.chunk = number;
    sections[section] = cut;
    for (var covered = 0u; covered < length; covered += tile_symbols) {
      tiles[tile] = vec2u(section, 0u);
      tile++;
    }
    if (element_bytes == 1u) { element += length; }
    symbols_word += (length + 3u) / 4u;
    section++;
  }
  for (; section < chunk.first_section + section_count(); section++) { sections[section].length = 0u; }
  for (; tile < chunk.first_tile + chunk.tile_slots; tile++) { tiles[tile] = vec2u(no_section, 0u); }
}
