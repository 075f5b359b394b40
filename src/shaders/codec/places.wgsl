// Places a batch's payloads one after another, each at a whole word, and leaves out those that are not smaller than their voxels.
// Algorithm: scans the payloads' words (Hillis-Steele, 256 chunks at a time), on top of the chunks placed before.
// One invocation owns every 256th chunk. Dispatch: one workgroup.
// Invariants:
// 1. The last place is the end of all payloads so far: 0 at first.
// Twin: `placePayloads` in src/core/codec/batch.ts.

struct Batch {
  chunk_count: u32,
  first_place: u32,    // number of the first chunk's place
  part_count: u32,     // parts of each payload
  chunk_words: u32,    // words of a chunk in `chunks`, which begins with its shape
  place_word: u32,     // which of them get the payload's start and length, divided by `unit`
  unit: u32,
  starts_word: u32,    // which of them get the bytes where the payload's parts start, from the second part on
  start_count: u32,
  element_bytes: u32,  // of the chunks; 0 if every payload is placed, smaller or not
}

// `sum` and `cross` are the checksum, from src/shaders/gpu-chunks/checksum.wgsl.
struct Place { byte_offset: u32, byte_length: u32, sum: u32, cross: u32 }

@group(0) @binding(0) var<uniform> batch: Batch;
// The bytes of each payload's parts.
@group(0) @binding(1) var<storage, read> lengths: array<u32>;
@group(0) @binding(2) var<storage, read_write> chunks: array<u32>;
// One for each chunk of the batch, and one more.
@group(0) @binding(3) var<storage, read_write> places: array<Place>;

const threads = 256u;

var<workgroup> wg_ends: array<u32, threads>;

fn length_of(number: u32) -> u32 {
  var length = 0u;
  for (var part = 0u; part < batch.part_count; part++) { length += lengths[number * batch.part_count + part]; }
  if (batch.element_bytes == 0u) { return length; }
  let chunk = number * batch.chunk_words;
  let bytes = chunks[chunk] * chunks[chunk + 1u] * chunks[chunk + 2u] * batch.element_bytes;
  return select(0u, length, length < bytes);
}

fn put_place(number: u32, start: u32, length: u32) {
  places[batch.first_place + number] = Place(start, length, 0u, 0u);
  let chunk = number * batch.chunk_words;
  chunks[chunk + batch.place_word] = start / batch.unit;
  chunks[chunk + batch.place_word + 1u] = length / batch.unit;
  var at = start;
  for (var part = 0u; part < batch.start_count; part++) {
    at += lengths[number * batch.part_count + part];
    chunks[chunk + batch.starts_word + part] = at;
  }
}

@compute @workgroup_size(threads)
fn main(@builtin(local_invocation_index) thread: u32) {
  let last = arrayLength(&places) - 1u;
  var words_before = places[last].byte_offset / 4u;
  for (var first = 0u; first < batch.chunk_count; first += threads) {
    let number = first + thread;
    var length = 0u;
    if (number < batch.chunk_count) { length = length_of(number); }
    let words = (length + 3u) / 4u;
    wg_ends[thread] = words;
    for (var distance = 1u; distance < threads; distance *= 2u) {
      workgroupBarrier(); // the previous step's sums are stored
      var before = 0u;
      if (thread >= distance) { before = wg_ends[thread - distance]; }
      workgroupBarrier(); // everyone has read before anyone writes
      wg_ends[thread] += before;
    }
    workgroupBarrier(); // the sums are complete
    if (number < batch.chunk_count) { put_place(number, 4u * (words_before + wg_ends[thread] - words), length); }
    words_before += wg_ends[threads - 1u];
    workgroupBarrier(); // everyone has read the sum before the next round writes
  }
  if (thread == 0u) { places[last].byte_offset = 4u * words_before; }
}
