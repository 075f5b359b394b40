// Decodes each brick. src/core/codecs/labels/SPEC.md, 'A coded brick' and 'The range coder'.
// brick.wgsl and walk.wgsl stand in front of this text.
// Algorithm: the walk, with a range decoder that is asked.
// One invocation owns one brick. Dispatch: one workgroup for 32 bricks, spread over x and y.
// Invariants:
// 1. Bricks begin at whole words of the target, so no word has two writers.
// 2. Nothing outside the brick's elements is written, and nothing outside its span is read, also where a payload is damaged.
// Twin: `decodeBrick` in src/core/codecs/labels/brick.ts.

@group(0) @binding(0) var<uniform> box: Box;
@group(0) @binding(1) var<storage, read> chunks: array<Chunk>;
// The number of each brick's chunk: `brick_count` words.
@group(0) @binding(2) var<storage, read> chunk_of_brick: array<u32>;
@group(0) @binding(3) var<storage, read> payloads: array<u32>;
// As locate.wgsl leaves them.
@group(0) @binding(4) var<storage, read> spans: array<vec4u>;
@group(0) @binding(5) var<storage, read> tables: array<u32>;
@group(0) @binding(6) var<storage, read_write> voxels: array<u32>;

var<private> place: Place;
// The brick's bytes: the next one to read, and the first one behind.
var<private> next: u32;
var<private> end: u32;
// The stream's next four bytes, less the interval's low end.
var<private> offset: u32;
// The label looked up last.
var<private> seen_index: u32;
var<private> seen_label: u32;

fn byte_at(at: u32) -> u32 { return extractBits(payloads[at / 4u], 8u * (at % 4u), 8u); }

// 'Behind the end stand zeros.'
fn next_byte() -> u32 {
  if (next >= end) { return 0u; }
  next++;
  return byte_at(next - 1u);
}

// The element whose bytes begin here; 0 where they do not end within the brick or payload.
fn element_from(at: u32, limit: u32) -> u32 {
  if (at + element_bytes > limit) { return 0u; }
  var value = 0u;
  for (var i = 0u; i < element_bytes; i++) { value |= byte_at(at + i) << (8u * i); }
  return value;
}

fn label_of(index: u32) -> u32 {
  if (index != seen_index) {
    seen_index = index;
    let back = (index + 1u) * element_bytes;
    seen_label = element_from(max(end, back) - back, end);
  }
  return seen_label;
}

fn row_differs(label: u32, y: u32, z: u32) -> bool { return false; }
fn enter(x: u32, y: u32, z: u32) {}
fn differs(label: u32) -> bool { return false; }
fn known_label() -> u32 { return none; }
fn add_label() {}

fn decide(chance: u32, event: bool) -> bool {
  let part = (range >> 12u) * chance;
  let is_event = offset < part;
  if (!is_event) { offset -= part; }
  narrow(part, is_event);
  while (is_byte_done()) {
    shift_interval();
    offset = (offset << 8u) | next_byte();
  }
  return is_event;
}

fn emit(y: u32, z: u32, quad: u32, indices: u32) {
  var elements = vec4u(0u);
  for (var i = 0u; i < 4u; i++) {
    let index = extractBits(indices, 8u * i, 8u);
    if (index != none) { elements[i] = label_of(index); }
  }
  store(y, z, quad, elements);
}

// Four elements of a row, x = 4 quad and on; those outside the brick are left out.
fn store(y: u32, z: u32, quad: u32, elements: vec4u) {
  let row = place.first_word + z * box.slice_words + y * box.row_words;
  for (var i = 0u; i < element_bytes; i++) {
    var word = 0u;
    for (var lane = 0u; lane < lanes; lane++) { word |= elements[i * lanes + lane] << (element_bits * lane); }
    let x = 4u * quad + i * lanes;
    if (x >= place.extent.x) { return; }
    let inside = low_bits(element_bits * min(lanes, place.extent.x - x));
    let at = row + x / lanes;
    if (inside != 0xffffffffu) { word = (word & inside) | (voxels[at] & ~inside); }
    voxels[at] = word;
  }
}

// All elements `label`, or raw ones from the brick's first byte on.
fn fill(kind: u32, label: u32) {
  for (var z = 0u; z < place.extent.z; z++) {
    for (var y = 0u; y < place.extent.y; y++) {
      for (var quad = 0u; 4u * quad < place.extent.x; quad++) {
        var elements = vec4u(label);
        if (kind == kind_raw) {
          for (var i = 0u; i < min(4u, place.extent.x - 4u * quad); i++) {
            elements[i] = element_from(next, end);
            next += element_bytes;
          }
        }
        store(y, z, quad, elements);
      }
    }
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
  let span = spans[brick];
  next = span.x;
  end = span.y;
  if (span.z == kind_coded) {
    seen_index = none;
    offset = 0u;
    for (var i = 0u; i < 4u; i++) { offset = (offset << 8u) | next_byte(); }
    start_interval();
    walk(place.extent);
  } else {
    fill(span.z, element_from(span.w, chunk.byte_offset + chunk.byte_length));
  }
}
