// Finds each chunk's sections and tiles from its header and directories. src/core/codecs/huffman/SPEC.md, 'Payload'.
// One workgroup owns a chunk: one invocation reads the header, all sum up the tiles' lengths.
// Dispatch: one workgroup per chunk, spread over x and y.
// Invariants:
// 1. All slots of a chunk are written, and no tile's symbols lie outside the chunk's part of `symbols`.
// 2. A payload with a damaged header becomes one section of zeros. The checksum then finds the wrong voxels.
// Twins: `parseHeader` in src/core/codecs/huffman/layout.ts, `decodeSection` in reference.ts.

import package::faults::faults::raise;
import package::huffman::payload::{Chunk, Place, Slot, kind_none, no_slot};
import package::huffman::tile::{kind_coded, kind_plain, kind_single, max_sections, tile_symbols};

override element_bytes: u32 = 1u;

const threads = 64u;

@group(0) @binding(0) var<uniform> chunk_count: u32;
@group(0) @binding(1) var<storage, read> chunks: array<Chunk>;
@group(0) @binding(2) var<storage, read> payloads: array<u32>;
// max_sections per chunk.
@group(0) @binding(3) var<storage, read_write> slots: array<Slot>;
// tile_slots per chunk.
@group(0) @binding(4) var<storage, read_write> places: array<Place>;

var<workgroup> wg_count: u32;
var<workgroup> wg_kinds: array<u32, max_sections>;
var<workgroup> wg_lengths: array<u32, max_sections>;
var<workgroup> wg_body: u32;
var<workgroup> wg_sums: array<u32, threads>;

fn byte_at(at: u32) -> u32 { return (payloads[at / 4u] >> (8u * (at % 4u))) & 0xffu; }

// Fills wg_count, wg_kinds, wg_lengths and wg_body. Returns false if this is not a valid header of such a chunk.
fn read_header(chunk: Chunk) -> bool {
  let end = chunk.byte_offset + chunk.byte_length;
  if (chunk.byte_length == 0u) { return false; }
  let count = byte_at(chunk.byte_offset);
  if (count == 0u || count > max_sections || (element_bytes > 1u && count != element_bytes)) { return false; }
  var at = chunk.byte_offset + 1u;
  var rest = chunk.length;
  for (var section = 0u; section < count; section++) {
    var value = 0u;
    var ended = false;
    for (var shift = 0u; shift < 35u && at < end && !ended; shift += 7u) {
      let byte = byte_at(at);
      // 'The last byte is 0 only for the value 0'
      if ((shift == 28u && byte > 15u) || (shift > 0u && byte == 0u)) { return false; }
      value |= (byte & 127u) << shift;
      ended = byte < 128u;
      at++;
    }
    let length = value / 4u;
    if (!ended || value % 4u > kind_coded || length == 0u || length > rest) { return false; }
    if (element_bytes > 1u && length != chunk.length / element_bytes) { return false; }
    wg_kinds[section] = value % 4u;
    wg_lengths[section] = length;
    rest -= length;
  }
  wg_count = count;
  wg_body = at;
  return rest == 0u;
}

// Inclusive scan over the workgroup. The whole workgroup must call it.
fn scan(thread: u32, value: u32) -> u32 {
  wg_sums[thread] = value;
  for (var distance = 1u; distance < threads; distance *= 2u) {
    workgroupBarrier(); // the previous step's sums are stored
    var before = 0u;
    if (thread >= distance) { before = wg_sums[thread - distance]; }
    workgroupBarrier(); // everyone has read before anyone writes
    wg_sums[thread] += before;
  }
  workgroupBarrier(); // the sums are complete
  return wg_sums[thread];
}

@compute @workgroup_size(threads)
fn main(
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
) {
  let number = workgroup.x + workgroup.y * workgroups.x;
  if (number >= chunk_count) { return; }
  let chunk = chunks[number];
  let end = chunk.byte_offset + chunk.byte_length;
  if (thread == 0u) {
    if (!read_header(chunk)) {
      wg_count = 1u;
      wg_kinds[0] = kind_none;
      wg_lengths[0] = chunk.length;
      raise(number, true);
    }
  }
  let count = workgroupUniformLoad(&wg_count); // its barriers follow the header
  var body = workgroupUniformLoad(&wg_body);
  var symbols_word = chunk.symbols_word;
  var place = chunk.first_tile;
  let places_end = chunk.first_tile + chunk.tile_slots;
  for (var section = 0u; section < count; section++) {
    let slot = max_sections * number + section;
    let length = workgroupUniformLoad(&wg_lengths[section]);
    var kind = workgroupUniformLoad(&wg_kinds[section]);
    // A damaged length may lead outside the payload. A body must at least begin inside.
    if (kind == kind_none || body >= end) { kind = kind_none; }
    let tile_count = (length + tile_symbols - 1u) / tile_symbols;
    var slot_body = body;
    var bytes = 1u;
    if (kind == kind_none) {
      slot_body = 0u;
    } else if (kind == kind_single) {
      slot_body = byte_at(body);
    } else if (kind == kind_plain) {
      bytes = length;
    }
    let directory = body + 1u + select(0u, byte_at(body), kind == kind_coded);
    var tile_start = directory + 2u * tile_count;
    for (var first = 0u; first < tile_count; first += threads) {
      let tile = first + thread;
      var tile_length = 0u;
      if (kind == kind_coded && tile < tile_count && directory + 2u * tile + 1u < end) {
        tile_length = byte_at(directory + 2u * tile) | (byte_at(directory + 2u * tile + 1u) << 8u);
      }
      let tile_end = tile_start + scan(thread, tile_length);
      if (tile < tile_count && place + tile < places_end) {
        var start = tile_end - tile_length;
        if (kind == kind_plain) { start = body + tile * tile_symbols; }
        places[place + tile] = Place(slot, tile, start, tile_length);
      }
      tile_start += wg_sums[threads - 1u];
      workgroupBarrier(); // the total is read before the next scan begins
    }
    if (kind == kind_coded) { bytes = tile_start - body; }
    if (thread == 0u) { slots[slot] = Slot(select(kind, kind_single, kind == kind_none), length, symbols_word, slot_body); }
    if (thread == 0u) { raise(number, kind == kind_none || end - min(body, end) < bytes); }
    body = select(body + bytes, end, end - min(body, end) < bytes);
    symbols_word += (length + 3u) / 4u;
    place += tile_count;
  }
  // 'its length is exactly what its parts add up to'
  if (thread == 0u) { raise(number, body != end); }
  for (var unused = place + thread; unused < places_end; unused += threads) { places[unused].slot = no_slot; }
  if (thread >= count && thread < max_sections) { slots[max_sections * number + thread] = Slot(kind_none, 0u, 0u, 0u); }
}
