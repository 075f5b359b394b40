// Measures each segment and each tile under its section's code. src/core/codecs/huffman/SPEC.md, 'Tiles'.
// One invocation owns a segment, one workgroup a tile. Dispatch: one workgroup per tile, spread over x and y.
// Invariants:
// 1. Neighbouring lanes read neighbouring words, because segments are striped.
// Twin: `tileEncoder` in src/core/codecs/huffman/tile.ts.

import package::huffman::segments::{survey, threads};
import package::huffman::tile::{Section, no_section, segments_per_tile, tile_of};

@group(0) @binding(0) var<uniform> tile_count: u32;
@group(0) @binding(1) var<storage, read> sections: array<Section>;
@group(0) @binding(2) var<storage, read> tiles: array<vec2u>;
@group(0) @binding(3) var<storage, read> symbols: array<u32>;
@group(0) @binding(4) var<storage, read> codes: array<u32>;
// Bits of each segment: 128 words per tile.
@group(0) @binding(5) var<storage, read_write> segment_bits: array<u32>;
// Bytes of each tile: tile_count words.
@group(0) @binding(6) var<storage, read_write> tile_bytes: array<u32>;

var<workgroup> wg_lengths: array<u32, 256>;

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
  let section = sections[section_number];
  let tile = tile_of(tile_number - section.first_tile, section.length, section.symbols_word);
  for (var symbol = thread; symbol < 256u; symbol += threads) {
    wg_lengths[symbol] = codes[256u * section_number + symbol] >> 16u;
  }
  workgroupBarrier(); // the lengths are stored

  var bits = 0u;
  if (thread < tile.segments) {
    for (var w = thread; w < tile.words; w += tile.segments) {
      let word = symbols[tile.first_word + w];
      let lengths = vec4u(
        wg_lengths[word & 0xffu], wg_lengths[(word >> 8u) & 0xffu], wg_lengths[(word >> 16u) & 0xffu], wg_lengths[word >> 24u]);
      let valid = vec4u(0u, 1u, 2u, 3u) < vec4u(tile.symbols - 4u * w);
      let counted = select(vec4u(0u), lengths, valid);
      bits += counted.x + counted.y + counted.z + counted.w;
    }
  }
  let survey = survey(thread, tile.segments, bits);
  segment_bits[segments_per_tile * tile_number + thread] = bits;
  if (thread == 0u) { tile_bytes[tile_number] = (survey.directory + survey.total + 7u) / 8u; }
}
