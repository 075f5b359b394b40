// Finds each brick's bytes from its chunk's directory. src/core/codecs/labels/SPEC.md, 'Payload'.
// Algorithm: 64 bricks at a time, on top of those before. Counts the coded bricks, then sums up lengths. Then each brick that
// equals the one before looks back for the last one that does not.
// One invocation owns every 64th brick, one workgroup a chunk. Dispatch: one workgroup per chunk, spread over x and y.
// Invariants:
// 1. Spans end within the payload, even if it is damaged. What is read there then has no meaning and does no harm.
// Twin: `readDirectory` in src/core/codecs/labels/reference.ts.

import package::faults::faults::{checks, raise};
import package::labels::brick::{
  Box, Chunk, directory_bytes, element_bytes, first_length_bit, kind_as_before, kind_bit, kind_coded, kind_one_label, kind_raw,
  low_bits, place_of,
};

@group(0) @binding(0) var<uniform> box: Box;
@group(0) @binding(1) var<storage, read> chunks: array<Chunk>;
@group(0) @binding(2) var<storage, read> payloads: array<u32>;
// For each brick: its first byte in `payloads`, one past its last byte, its kind, and the first byte of its first element.
@group(0) @binding(3) var<storage, read_write> spans: array<vec4u>;

const threads = 64u;

var<workgroup> wg_sums: array<u32, threads>;
// For each brick the byte of its first element; `as_before` if that is another brick's.
var<workgroup> wg_firsts: array<u32, threads>;
const as_before = 0xffffffffu;

// The sum of the values of the invocations up to this one. Leaves the total in the last word of wg_sums. The whole workgroup must
// call it.
fn inclusive_sum(thread: u32, value: u32) -> u32 {
  workgroupBarrier(); // everyone has read the previous sums
  wg_sums[thread] = value;
  for (var step = 1u; step < threads; step *= 2u) {
    workgroupBarrier(); // the sums of `step` values are stored
    var before = 0u;
    if (thread >= step) { before = wg_sums[thread - step]; }
    workgroupBarrier(); // everyone has read them
    wg_sums[thread] += before;
  }
  workgroupBarrier(); // the sums are stored
  return wg_sums[thread];
}

// `width` bits, at most 16, from a bit of the payload on. Bits past its end are 0.
fn bits_at(chunk: Chunk, bit: u32, width: u32) -> u32 {
  let word = bit / 32u;
  let first = chunk.byte_offset / 4u + word;
  let words = (chunk.byte_length + 3u) / 4u;
  if (word >= words) { return 0u; }
  var value = payloads[first] >> (bit % 32u);
  if (word + 1u < words) { value |= (payloads[first + 1u] << 1u) << (31u - bit % 32u); }
  return value & low_bits(width);
}

// The width of lengths must be at most 16, the first brick cannot equal one before it, and padding must be 0.
fn directory_fails(chunk: Chunk, bricks: u32, coded_bricks: u32) -> bool {
  let length_bits = bits_at(chunk, 0u, 8u);
  if (length_bits > 16u || bits_at(chunk, kind_bit(0u), 2u) == kind_as_before) { return true; }
  let lengths = first_length_bit(bricks);
  let lengths_end = lengths + coded_bricks * length_bits;
  let behind_kinds = bits_at(chunk, kind_bit(bricks), lengths - kind_bit(bricks));
  return (behind_kinds | bits_at(chunk, lengths_end, (8u - lengths_end % 8u) % 8u)) != 0u;
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
  var end_brick = box.brick_count;
  if (number + 1u < box.chunk_count) { end_brick = chunks[number + 1u].first_brick; }
  let bricks = end_brick - chunk.first_brick;
  let length_bits = min(bits_at(chunk, 0u, 8u), 16u);
  let end = chunk.byte_offset + chunk.byte_length;

  var coded_bricks = 0u;
  for (var brick = thread; brick < bricks; brick += threads) {
    coded_bricks += u32(bits_at(chunk, kind_bit(brick), 2u) == kind_coded);
  }
  inclusive_sum(thread, coded_bricks);
  let coded_total = wg_sums[threads - 1u];
  let directory_end = chunk.byte_offset + directory_bytes(bricks, coded_total, length_bits);
  if (checks && thread == 0u) { raise(number, directory_end > end || directory_fails(chunk, bricks, coded_total)); }
  var start = min(directory_end, end);
  var coded_before = 0u;
  var first_before = chunk.byte_offset;
  for (var tile = 0u; tile < bricks; tile += threads) {
    let brick = tile + thread;
    var kind = kind_as_before;
    if (brick < bricks) { kind = bits_at(chunk, kind_bit(brick), 2u); }
    let rank = coded_before + inclusive_sum(thread, u32(kind == kind_coded)) - u32(kind == kind_coded);
    coded_before += wg_sums[threads - 1u];
    var length = 0u;
    switch kind {
      case kind_one_label: { length = element_bytes; }
      case kind_coded: { length = bits_at(chunk, first_length_bit(bricks) + length_bits * rank, length_bits); }
      case kind_raw: {
        let extent = place_of(chunk, box, brick).extent;
        length = extent.x * extent.y * extent.z * element_bytes;
      }
      default: {}
    }
    let sum = inclusive_sum(thread, length);
    let stop = min(start + sum, end);
    let begin = min(start + sum - length, end);
    if (checks && thread == 0u) { raise(number, wg_sums[threads - 1u] > end - start); }
    start = min(start + wg_sums[threads - 1u], end);
    // Labels are stored last one first: a coded brick's first label is its last.
    var first = begin;
    if (kind == kind_coded) { first = max(stop, element_bytes) - element_bytes; }
    wg_firsts[thread] = select(first, as_before, kind == kind_as_before);
    workgroupBarrier(); // the first elements' places are stored
    first = as_before;
    for (var i = thread + 1u; i > 0u && first == as_before; i--) { first = wg_firsts[i - 1u]; }
    if (first == as_before) { first = first_before; }
    if (brick < bricks) { spans[chunk.first_brick + brick] = vec4u(begin, stop, kind, first); }
    var last = as_before;
    for (var i = threads; i > 0u && last == as_before; i--) { last = wg_firsts[i - 1u]; }
    if (last != as_before) { first_before = last; }
  }
  // 'the bricks, without gaps', up to the payload's end.
  if (checks && thread == 0u) { raise(number, start != end); }
}
