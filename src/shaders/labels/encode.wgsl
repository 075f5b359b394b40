// Encodes each brick into its slot. src/core/codecs/labels/SPEC.md, 'A coded brick' and 'The range coder'.
// brick.wgsl and walk.wgsl stand in front of this text.
// Algorithm: the walk, with a range coder; a brick that is no shorter by it becomes raw.
// One invocation owns one brick, its slot and its record. Dispatch: one workgroup for 32 bricks, spread over x and y.
// Invariants:
// 1. A slot has room for the brick's elements, and nothing longer is ever written to it.
// 2. Each brick's record is written.
// Twin: `encodeBrick` in src/core/codecs/labels/brick.ts.

@group(0) @binding(0) var<uniform> box: Box;
@group(0) @binding(1) var<storage, read> chunks: array<Chunk>;
// The number of each brick's chunk: `brick_count` words.
@group(0) @binding(2) var<storage, read> chunk_of_brick: array<u32>;
@group(0) @binding(3) var<storage, read> voxels: array<u32>;
@group(0) @binding(4) var<storage, read> tables: array<u32>;
// What stands in the payload for each brick, from its slot's first byte on.
@group(0) @binding(5) var<storage, read_write> slots: array<u32>;
// For each brick: its kind (never 'as before'), the bytes in its slot, its first element.
@group(0) @binding(6) var<storage, read_write> records: array<vec4u>;

var<private> place: Place;
var<private> raw_bytes: u32;
var<private> labels: array<u32, max_labels>;
var<private> element: u32;
// The element asked about last, and its label.
var<private> known_element: u32;
var<private> known_index: u32;
var<private> byte_count: u32;
var<private> pending: u32;

fn element_at(x: u32, y: u32, z: u32) -> u32 {
  let word = voxels[place.first_word + z * box.slice_words + y * box.row_words + x / lanes];
  return extractBits(word, element_bits * (x % lanes), element_bits);
}

fn row_differs(label: u32, y: u32, z: u32) -> bool {
  let expected = labels[label];
  for (var x = 0u; x < place.extent.x; x++) {
    if (element_at(x, y, z) != expected) { return true; }
  }
  return false;
}

fn enter(x: u32, y: u32, z: u32) { element = element_at(x, y, z); }

fn known_label() -> u32 {
  if (known_index < label_count && element == known_element) { return known_index; }
  known_element = element;
  known_index = none;
  for (var i = 0u; i < label_count; i++) {
    if (labels[i] == element) {
      known_index = i;
      break;
    }
  }
  return known_index;
}

fn differs(label: u32) -> bool { return labels[label] != element; }

fn add_label() { labels[label_count] = element; }

fn emit(y: u32, z: u32, quad: u32, indices: u32) {}

fn put_byte(byte: u32) {
  if (byte_count >= raw_bytes) {
    has_failed = true;
    return;
  }
  pending |= (byte & 0xffu) << (8u * (byte_count % 4u));
  byte_count++;
  if (byte_count % 4u == 0u) { flush(byte_count / 4u - 1u); }
}

fn flush(word: u32) {
  slots[place.slot + word] = pending;
  pending = 0u;
}

fn decide(chance: u32, event: bool) -> bool {
  narrow((range >> 12u) * chance, event);
  while (is_byte_done()) {
    put_byte(low >> 24u);
    shift_interval();
  }
  return event;
}

// 'The fewest bytes such that all numbers that begin with them lie in the interval.'
fn close_interval() {
  let last = low + (range - 1u);
  for (var shift = 24u; ; shift -= 8u) {
    let step_mask = low_bits(shift);
    let first = (low + step_mask) & ~step_mask;
    if (first < low || first > last || last - first < step_mask) { continue; }
    for (var at = 24u; at >= shift; at -= 8u) {
      put_byte(first >> at);
      if (at == 0u) { break; }
    }
    return;
  }
}

@compute @workgroup_size(threads)
fn main(
  @builtin(local_invocation_index) local: u32,
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
) {
  let brick = (workgroup.x + workgroup.y * workgroups.x) * threads + local;
  if (brick >= box.brick_count) { return; }
  thread = local;
  let chunk = chunks[chunk_of_brick[brick]];
  place = place_of(chunk, box, brick - chunk.first_brick);
  raw_bytes = place.extent.x * place.extent.y * place.extent.z * element_bytes;
  byte_count = 0u;
  pending = 0u;
  known_index = none;
  start_interval();
  walk(place.extent);
  if (!has_failed && label_count > 1u) { close_interval(); }
  // 'The stream, then the labels, the last one first.' Or the one label; or, where that is no longer, the elements.
  var kind = kind_coded;
  var elements = label_count;
  if (has_failed || byte_count + label_count * element_bytes >= raw_bytes) {
    kind = kind_raw;
    elements = raw_bytes / element_bytes;
  }
  if (!has_failed && label_count == 1u) { kind = kind_one_label; }
  if (kind != kind_coded) {
    byte_count = 0u;
    pending = 0u;
  }
  for (var i = 0u; i < elements; i++) {
    var value = 0u;
    if (kind == kind_raw) {
      let row = i / place.extent.x;
      value = element_at(i % place.extent.x, row % place.extent.y, row / place.extent.y);
    } else {
      value = labels[label_count - 1u - i];
    }
    for (var bit = 0u; bit < element_bits; bit += 8u) { put_byte(value >> bit); }
  }
  if (byte_count % 4u != 0u) { flush(byte_count / 4u); }
  records[brick] = vec4u(kind, byte_count, element_at(0u, 0u, 0u), 0u);
}
