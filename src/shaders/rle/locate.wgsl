// Finds each tile's bytes in its chunk's payload. src/core/codecs/rle/SPEC.md, 'Payload'.
// Algorithm: the bits of a tile's part of one level count its bytes in the next level. So the counts of the chunk's tiles are
// scanned level by level (Hillis-Steele, 64 tiles at a time).
// One invocation owns every 64th tile, one workgroup a chunk. Dispatch: one workgroup per chunk, spread over x and y.
// Invariants:
// 1. An invocation reads only those `spans` that it wrote itself.
// 2. Bytes past the payload's end read as 0, and counts are at most 8, 64, 512 and 4096, so damage cannot cause long loops.
// Twin: `childLevel` in src/core/codecs/rle/reference.ts.

import package::faults::faults::{checks, raise};
import package::rle::order::{Box, Chunk, element_bytes, threads, tile_elements};

struct Span {
  starts: vec4u,  // the byte where the tile's bytes of level 2, 1, 0 and its values start
  counts: vec4u,  // its bytes of level 2, 1, 0, and its runs
}

@group(0) @binding(0) var<uniform> box: Box;
@group(0) @binding(1) var<storage, read> chunks: array<Chunk>;
@group(0) @binding(2) var<storage, read> payloads: array<u32>;
// One per tile.
@group(0) @binding(3) var<storage, read_write> spans: array<Span>;

var<workgroup> wg_sums: array<u32, threads>;

// The number of set bits in `count` bytes from byte `start` on, up to `end`. Loads four words at a time.
fn bits_in(start: u32, count: u32, end: u32) -> u32 {
  let stop = min(start + count, end);
  if (stop <= start) { return 0u; }
  let first = start / 4u;
  let last = (stop - 1u) / 4u;
  var bits = 0u;
  for (var word = first; word <= last; word += 4u) {
    var words = vec4u(0u);
    for (var i = 0u; i < 4u; i++) { words[i] = payloads[min(word + i, last)]; }
    for (var i = 0u; i < 4u; i++) { bits += select(0u, countOneBits(words[i]), word + i <= last); }
  }
  bits -= countOneBits(payloads[first] & ((1u << (8u * (start % 4u))) - 1u));
  if (stop % 4u > 0u) { bits -= countOneBits(payloads[last] >> (8u * (stop % 4u))); }
  return bits;
}

// Whether any of `count` bytes from byte `start` on is 0. A stored byte of a level never is.
fn has_zero_byte(start: u32, count: u32, end: u32) -> bool {
  let stop = min(start + count, end);
  var found = false;
  for (var word = start / 4u; 4u * word < stop; word++) {
    var bytes = payloads[word];
    if (4u * word < start) { bytes |= (1u << (8u * (start % 4u))) - 1u; }
    if (stop - 4u * word < 4u) { bytes |= 0xffffffffu << (8u * (stop % 4u)); }
    found = found || ((bytes - 0x01010101u) & ~bytes & 0x80808080u) != 0u;
  }
  return found;
}

@compute @workgroup_size(threads)
fn main(
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
) {
  let number = workgroup.x + workgroup.y * workgroups.x;
  if (number >= box.chunk_count) { return; }
  let chunk = chunks[number];
  let end = chunk.byte_offset + chunk.byte_length;
  let tiles = (chunk.shape.x * chunk.shape.y * chunk.shape.z + tile_elements - 1u) / tile_elements;

  let last = min(threads, tiles) - 1u;

  // The start in the previous section, kept when each invocation has only one tile.
  var start = 0u;
  var count = 0u;
  var section_start = chunk.byte_offset + tiles;
  for (var section = 0u; section < 4u; section++) {
    let unit = select(1u, element_bytes, section == 3u);
    var before = 0u;
    for (var first = 0u; first < tiles; first += threads) {
      let tile = first + thread;
      let index = chunk.first_tile + tile;
      if (tile < tiles) {
        if (section == 0u) {
          start = chunk.byte_offset + tile;
          count = 1u;
        } else if (tiles > threads) {
          start = spans[index].starts[section - 1u];
          count = spans[index].counts[section - 1u];
        }
        if (checks && section > 0u) { raise(number, has_zero_byte(start, count, end)); }
        count = bits_in(start, count, end);
      } else {
        count = 0u;
      }
      wg_sums[thread] = count;
      for (var distance = 1u; distance <= last; distance *= 2u) {
        workgroupBarrier(); // the previous step's sums are stored
        var sum = 0u;
        if (thread >= distance) { sum = wg_sums[thread - distance]; }
        workgroupBarrier(); // everyone has read before anyone writes
        wg_sums[thread] += sum;
      }
      workgroupBarrier(); // the sums are complete
      if (tile < tiles) {
        start = section_start + (before + wg_sums[thread] - count) * unit;
        spans[index].starts[section] = start;
        spans[index].counts[section] = count;
      }
      before += wg_sums[last]; // invocations without a tile count 0
      workgroupBarrier(); // everyone has read the sum before the next round writes
    }
    section_start += before * unit;
  }
  // 'its length is exactly what its parts add up to'
  if (thread == 0u) { raise(number, section_start != end); }
}
