// Writes each brick and its entries in the directory to its payload. src/core/codecs/labels/SPEC.md, 'Payload'.
// One workgroup owns one brick, one invocation every 32nd word of its slot. Dispatch: one workgroup per brick, spread over x and
// y.
// Invariants:
// 1. The payloads start as zeros. Invocations OR disjoint bits into them.
// 2. Chunks with length 0 are skipped.
// Twin: `joined` in src/core/codecs/labels/reference.ts.

import package::labels::brick::{Box, Chunk, directory_bytes, first_length_bit, kind_bit, kind_coded, low_bits, place_of};

@group(0) @binding(0) var<uniform> box: Box;
@group(0) @binding(1) var<storage, read> chunks: array<Chunk>;
// The number of each brick's chunk: `brick_count` words.
@group(0) @binding(2) var<storage, read> chunk_of_brick: array<u32>;
@group(0) @binding(3) var<storage, read> slots: array<u32>;
@group(0) @binding(4) var<storage, read> records: array<vec4u>;
// As for sizes.wgsl: the bytes of all bricks before each one, and how many of those bricks are coded.
@group(0) @binding(5) var<storage, read> offsets: array<u32>;
@group(0) @binding(6) var<storage, read> coded: array<u32>;
@group(0) @binding(7) var<storage, read> longest: array<u32>;
@group(0) @binding(8) var<storage, read_write> payloads: array<atomic<u32>>;

const threads = 32u;

// Writes up to 32 bits from a bit of the payload on. The payload starts at a whole word.
fn put_bits(chunk: Chunk, bit: u32, value: u32) {
  let word = chunk.byte_offset / 4u + bit / 32u;
  atomicOr(&payloads[word], value << (bit % 32u));
  let rest = (value >> 1u) >> (31u - bit % 32u);
  if (rest != 0u) { atomicOr(&payloads[word + 1u], rest); }
}

@compute @workgroup_size(threads)
fn main(
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
) {
  let brick = workgroup.x + workgroup.y * workgroups.x;
  if (brick >= box.brick_count) { return; }
  let number = chunk_of_brick[brick];
  let chunk = chunks[number];
  if (chunk.byte_length == 0u) { return; }
  let first = chunk.first_brick;
  var end = box.brick_count;
  if (number + 1u < box.chunk_count) { end = chunks[number + 1u].first_brick; }
  let length_bits = 32u - countLeadingZeros(longest[number]);
  let record = records[brick];
  let bytes = record.y;

  if (thread == 0u) {
    if (brick == first) { put_bits(chunk, 0u, length_bits); }
    put_bits(chunk, kind_bit(brick - first), record.x);
    if (record.x == kind_coded) {
      put_bits(chunk, first_length_bit(end - first) + length_bits * (coded[brick] - coded[first]), bytes);
    }
  }

  let slot = place_of(chunk, box, brick - first).slot;
  let start = directory_bytes(end - first, coded[end] - coded[first], length_bits) + offsets[brick] - offsets[first];
  for (var at = 4u * thread; at < bytes; at += 4u * threads) {
    let word = slots[slot + at / 4u] & low_bits(8u * min(4u, bytes - at));
    let to = chunk.byte_offset + start + at;
    atomicOr(&payloads[to / 4u], word << (8u * (to % 4u)));
    // If the word is not aligned, its last bytes go to the next word.
    let rest = (word >> 8u) >> (24u - 8u * (to % 4u));
    if (rest != 0u) { atomicOr(&payloads[to / 4u + 1u], rest); }
  }
}
