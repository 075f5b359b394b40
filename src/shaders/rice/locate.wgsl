// Finds where each brick starts, from its chunk's directory. src/core/codecs/rice/SPEC.md, 'Payload'.
// brick.wgsl and scan.wgsl stand in front of this text.
// Algorithm: 64 lengths are scanned at a time, on top of those before.
// One invocation owns every 64th length, one workgroup a chunk. Dispatch: one workgroup a chunk, spread over x and y.
// Invariants:
// 1. A start may be anything where a payload is damaged: whoever reads there meets bits of no meaning, and no fault.
// Twin: `decode` in src/core/codecs/rice/reference.ts.

@group(0) @binding(0) var<uniform> box: Box;
@group(0) @binding(1) var<storage, read> chunks: array<Chunk>;
@group(0) @binding(2) var<storage, read> payloads: array<u32>;
// For each plane of each brick: its first byte in `payloads`, and the first one behind it.
@group(0) @binding(3) var<storage, read_write> spans: array<vec2u>;

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
  let entries = planes * (end_brick - chunk.first_brick);
  let end = chunk.byte_offset + chunk.byte_length;
  var start = chunk.byte_offset + 2u * entries;
  for (var first = 0u; first < entries; first += threads) {
    let entry = first + thread;
    var length = 0u;
    // Entries have 2 bytes and payloads start at whole words, so none crosses a word's edge.
    let at = chunk.byte_offset + 2u * entry;
    if (entry < entries && at + 2u <= end) { length = (payloads[at / 4u] >> (8u * (at % 4u))) & 0xffffu; }
    let before = scan(thread, vec3u(length, 0u, 0u)).x;
    if (entry < entries) {
      spans[planes * chunk.first_brick + entry] = min(vec2u(start + before, start + before + length), vec2u(end));
    }
    start += scan_total().x;
  }
}
