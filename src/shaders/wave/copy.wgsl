// Copies the bytes of parts to their places: headers, lanes from their slots, and elements of raw parts from the box.
// One workgroup owns one lane of a part, or its header; the elements of a raw part are shared by all of them.
// Dispatch: 65 × parts.
// Invariants:
// 1. The payloads start as zeros. Invocations OR disjoint bits into them.

import package::wave::finished::Finished;
import package::wave::layout::{bits, kind_coded, kind_raw, lane_count};
import package::wave::placed::Chunk;
import package::wave::source::{element_at, parts};

@group(0) @binding(3) var<storage, read> finished: array<Finished>;
@group(0) @binding(4) var<storage, read> slots: array<u32>;
@group(0) @binding(5) var<storage, read> chunks: array<Chunk>;
@group(0) @binding(6) var<storage, read_write> payloads: array<atomic<u32>>;

const threads = 64u;
const piece_header = 0u;
const piece_lane = 1u;
const piece_raw = 2u;

// A source of bytes.
struct Piece {
  kind: u32,
  source: u32, // byte of the slots
  to: u32,     // byte of the payloads
  length: u32, // in bytes
}

fn byte_of(number: u32, piece: Piece, i: u32) -> u32 {
  if (piece.kind == piece_lane) { return extractBits(slots[(piece.source + i) / 4u], 8u * ((piece.source + i) % 4u), 8u); }
  if (piece.kind == piece_header) { return extractBits(finished[number].header[i / 4u], 8u * (i % 4u), 8u); }
  let part = parts[number];
  let element = i / (bits / 8u);
  let row = element / part.extent.x;
  let place = vec3u(element % part.extent.x, row % part.extent.y, row / part.extent.y);
  return extractBits(element_at(part, vec3i(place)), 8u * (i % (bits / 8u)), 8u);
}

// Copies every `step`th word of a piece, from word `first` of it on.
fn copy(number: u32, piece: Piece, first: u32, step: u32) {
  let end = piece.to + piece.length;
  for (var word = piece.to / 4u + first; 4u * word < end; word += step) {
    var value = 0u;
    for (var i = 0u; i < 4u; i++) {
      let at = 4u * word + i;
      if (at >= piece.to && at < end) { value |= byte_of(number, piece, at - piece.to) << (8u * i); }
    }
    if (value != 0u) { atomicOr(&payloads[word], value); }
  }
}

@compute @workgroup_size(threads)
fn main(@builtin(local_invocation_index) thread: u32, @builtin(workgroup_id) workgroup: vec3u) {
  let number = workgroup.y;
  let part = parts[number];
  let chunk = chunks[part.chunk];
  if (chunk.byte_length == 0u) { return; }
  let kind = finished[number].kind;
  let header_bytes = finished[number].header_bytes;
  let byte_length = finished[number].byte_length;
  let start = chunk.byte_offset + finished[number].start;
  if (workgroup.x == 0u) {
    copy(number, Piece(piece_header, 0u, start, header_bytes), thread, threads);
    // A payload starts at a whole word, with the lengths of all parts but the last.
    let is_listed = part.number + 1u < part.parts;
    if (is_listed && thread == 0u) { atomicOr(&payloads[chunk.byte_offset / 4u + part.number], byte_length); }
  } else if (kind == kind_coded && workgroup.x <= part.extent.y) {
    let lane = workgroup.x - 1u;
    let first = finished[number].lanes[lane];
    var end = byte_length;
    if (lane + 1u < part.extent.y) { end = finished[number].lanes[lane + 1u]; }
    let slot_end = 4u * (part.slots + workgroup.x * part.slot_words);
    copy(number, Piece(piece_lane, slot_end - (end - first), start + first, end - first), thread, threads);
  }
  if (kind == kind_raw) {
    let raw = Piece(piece_raw, 0u, start + header_bytes, byte_length - header_bytes);
    copy(number, raw, threads * workgroup.x + thread, threads * (lane_count + 1u));
  }
}
