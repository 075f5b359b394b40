// A tile's segment lengths: the fields of its directory, and where each segment starts. src/core/codecs/huffman/SPEC.md, 'Tiles'.

import package::huffman::tile::segments_per_tile;

const threads = segments_per_tile;
const base_bits = 12u;
const width_bits = 4u;

// Running sums of the segments' lengths, and the least and greatest length that the directory lists, which is all but the last.
var<workgroup> wg_ends: array<u32, threads>;
var<workgroup> wg_least: atomic<u32>;
var<workgroup> wg_most: atomic<u32>;

// All in bits: the `width` of a listed length, the length of the whole `directory`, the `start` of this segment and the `total`
// of all.
struct Segments { base: u32, width: u32, directory: u32, start: u32, total: u32 }

// Exclusive scan over the workgroup, which also leaves the inclusive sums in wg_ends. The whole workgroup must call it.
fn scan_lengths(thread: u32, length: u32) -> u32 {
  wg_ends[thread] = length;
  for (var distance = 1u; distance < threads; distance *= 2u) {
    workgroupBarrier(); // the previous step's sums are stored
    var before = 0u;
    if (thread >= distance) { before = wg_ends[thread - distance]; }
    workgroupBarrier(); // everyone has read before anyone writes
    wg_ends[thread] += before;
  }
  workgroupBarrier(); // the sums are complete
  return wg_ends[thread] - length;
}

// `length`: the bits of segment `thread`; 0 if there is none. The whole workgroup must call it.
fn survey(thread: u32, count: u32, length: u32) -> Segments {
  if (thread == 0u) { atomicStore(&wg_least, 0xffffffffu); }
  workgroupBarrier(); // the least is initialised
  if (thread + 1u < count) {
    atomicMin(&wg_least, length);
    atomicMax(&wg_most, length);
  }
  let start = scan_lengths(thread, length); // its barriers follow the least and the greatest
  var segments = Segments(0u, 0u, 0u, start, wg_ends[threads - 1u]);
  if (count > 1u) {
    segments.base = atomicLoad(&wg_least);
    segments.width = 32u - countLeadingZeros(atomicLoad(&wg_most) - segments.base);
    segments.directory = base_bits + width_bits + (count - 1u) * segments.width;
  }
  return segments;
}
