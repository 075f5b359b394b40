// Chooses each section's kind and finds where it goes in its chunk's payload, and how long the payload becomes.
// src/core/codecs/huffman/SPEC.md, 'Payload'.
// One invocation owns a chunk. Dispatch: one workgroup for each 64 chunks, spread over x and y.
// Invariants:
// 1. Places are relative to the payload's start, which is not known yet.
// Twin: `encode` in src/core/codecs/huffman/reference.ts.

import package::huffman::tile::{
  EncodedChunk, Section, kind_coded, kind_plain, kind_single, table_words, tile_symbols, varint_length,
};

@group(0) @binding(0) var<uniform> chunk_count: u32;
@group(0) @binding(1) var<storage, read> chunks: array<EncodedChunk>;
@group(0) @binding(2) var<storage, read_write> sections: array<Section>;
@group(0) @binding(3) var<storage, read_write> tiles: array<vec2u>;
// From code.wgsl.
@group(0) @binding(4) var<storage, read> tables: array<u32>;
// From measure.wgsl.
@group(0) @binding(5) var<storage, read> tile_bytes: array<u32>;
// The bytes of each chunk's payload.
@group(0) @binding(6) var<storage, read_write> lengths: array<u32>;

// A section's body.
struct Body { kind: u32, bytes: u32 }

// `directory`: the bytes before the directory of tiles. `count`: of tiles.
fn body_of(section: Section, table_length: u32, directory: u32, count: u32) -> Body {
  if (table_length == 0u) { return Body(kind_single, 1u); }
  var coded = directory + 2u * count;
  for (var tile = section.first_tile; tile < section.first_tile + count; tile++) { coded += tile_bytes[tile]; }
  if (coded < section.length) { return Body(kind_coded, coded); }
  return Body(kind_plain, section.length);
}

@compute @workgroup_size(64)
fn main(
  @builtin(local_invocation_index) local: u32,
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
) {
  let number = (workgroup.x + workgroup.y * workgroups.x) * 64u + local;
  if (number >= chunk_count) { return; }
  let chunk = chunks[number];
  var end = chunk.first_section;
  var at = 1u;
  for (; end < chunk.first_section + chunk.section_slots; end++) {
    let length = sections[end].length;
    if (length == 0u) { break; }
    at += varint_length(length);
  }
  if (end == chunk.first_section) {
    lengths[number] = 0u;
    return;
  }
  var header = 0u;
  for (var i = chunk.first_section; i < end; i++) {
    let section = sections[i];
    let count = (section.length + tile_symbols - 1u) / tile_symbols;
    let table_length = tables[table_words * i];
    let directory = 1u + table_length;
    let body = body_of(section, table_length, directory, count);
    let is_first = i == chunk.first_section;
    sections[i].kind = body.kind;
    sections[i].header = header;
    sections[i].header_value = 4u * section.length + body.kind;
    sections[i].section_count = select(0u, end - chunk.first_section, is_first);
    sections[i].body = at;
    sections[i].directory = at + directory;
    header += varint_length(section.length) + u32(is_first);
    var tile_at = select(at, at + directory + 2u * count, body.kind == kind_coded);
    for (var tile = section.first_tile; tile < section.first_tile + count; tile++) {
      tiles[tile].y = tile_at;
      tile_at += select(tile_symbols, tile_bytes[tile], body.kind == kind_coded);
    }
    at += body.bytes;
  }
  lengths[number] = at;
}
