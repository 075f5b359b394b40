// Copies the pieces of payloads to their places: lanes from their slots, headers that the CPU wrote, and raw parts from the box.
// One workgroup owns one piece, one invocation every 64th word of its target. Dispatch: one workgroup for each piece, spread over x
// and y.
// Invariants:
// 1. The payloads start as zeros. Invocations OR disjoint bits into them.

import package::wave::layout::bits;
import package::wave::source::{element_at, parts};

struct Piece {
  kind: u32,
  source: u32,   // byte of a slot or header; number of a raw part
  to: u32,     // byte of the payloads
  length: u32, // in bytes
}

const piece_lane = 0u;
const piece_header = 1u;
const threads = 64u;

@group(0) @binding(3) var<storage, read> pieces: array<Piece>;
@group(0) @binding(4) var<storage, read> slots: array<u32>;
@group(0) @binding(5) var<storage, read> headers: array<u32>;
@group(0) @binding(6) var<storage, read_write> payloads: array<atomic<u32>>;

fn byte_of(piece: Piece, i: u32) -> u32 {
  let at = piece.source + i;
  if (piece.kind == piece_lane) { return extractBits(slots[at / 4u], 8u * (at % 4u), 8u); }
  if (piece.kind == piece_header) { return extractBits(headers[at / 4u], 8u * (at % 4u), 8u); }
  let part = parts[piece.source];
  let element = i / (bits / 8u);
  let row = element / part.extent.x;
  let place = vec3u(element % part.extent.x, row % part.extent.y, row / part.extent.y);
  return extractBits(element_at(part, vec3i(place)), 8u * (i % (bits / 8u)), 8u);
}

@compute @workgroup_size(threads)
fn main(
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
) {
  let number = workgroup.x + workgroup.y * workgroups.x;
  if (number >= arrayLength(&pieces)) { return; }
  let piece = pieces[number];
  let end = piece.to + piece.length;
  for (var word = piece.to / 4u + thread; 4u * word < end; word += threads) {
    var value = 0u;
    for (var i = 0u; i < 4u; i++) {
      let at = 4u * word + i;
      if (at >= piece.to && at < end) { value |= byte_of(piece, at - piece.to) << (8u * i); }
    }
    if (value != 0u) { atomicOr(&payloads[word], value); }
  }
}
