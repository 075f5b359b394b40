// Finds where runs start in a segment, for both passes of the encoder. (Only count-flat.wgsl keeps the starts from one pass to
// the other.) src/core/codecs/parle/SPEC.md, 'Runs'.
// Algorithm: an invocation takes quads: four words whose elements are neighbours in scan order. It compares each element with the
// one before. If the segment is contiguous in scan order, it loads quads from the box. Otherwise the elements first go to
// workgroup memory in scan order, and quads are packed from there.
// One invocation owns every 128th quad: 4, 2 or 1 of a segment of 2048 elements of 4, 2 or 1 bytes.
// Twin: `encode` in src/core/codecs/parle/reference.ts.

import package::parle::segment::{
  Chunk, Visit, Walk, element_bits, element_bytes, element_mask, per_word, quotient, row_start, threads, visit_of, words_each,
};

@group(0) @binding(3) var<storage, read> voxels: array<u32>;
// `voxels`, four words at a time.
@group(0) @binding(4) var<storage, read> quads: array<vec4u>;

// Elements in a quad, one bit of starts each: 4, 8 or 16.
override per_quad: u32 = 16u / element_bytes;
// Quads per invocation.
override quads_each: u32 = element_bytes;

// The segment's elements in scan order, later its values, one per word. A gap after each 32 words keeps invocations that read
// equally many elements in different banks.
var<workgroup> wg_elements: array<u32, 2112>;

fn slot(i: u32) -> u32 {
  return i + i / 32u;
}

// An invocation's quads, and the element before each.
struct Own { quads: array<vec4u, 4>, before: array<u32, 4> }

// Element i of the chunk in scan order.
fn element(chunk: Chunk, i: u32) -> u32 {
  let column = quotient(i, chunk.length);
  let row = quotient(column, chunk.size_x);
  let x = column - row * chunk.size_x;
  let word = voxels[row_start(chunk, row) + x / per_word + (i - column * chunk.length) * chunk.step];
  return (word >> ((x % per_word) * element_bits)) & element_mask;
}

fn put_elements(chunk: Chunk, walk: Walk, visit: Visit, word: u32) {
  for (var e = 0u; e < per_word; e++) {
    let i = visit.first + e * chunk.length;
    if (walk.whole || (e < visit.count && i < walk.count)) {
      wg_elements[slot(i)] = (word >> (e * element_bits)) & element_mask;
    }
  }
}

fn load_own(chunk: Chunk, walk: Walk, thread: u32) -> Own {
  var own: Own;
  if (walk.flat) {
    for (var k = 0u; k < quads_each; k++) {
      let quad = walk.first_word / 4u + k * threads + thread;
      own.quads[k] = quads[quad];
      // The value before the chunk's first element does not matter: that element starts a run.
      own.before[k] = voxels[max(4u * quad, 1u) - 1u] >> (32u - element_bits);
    }
    return own;
  }
  workgroupBarrier(); // everyone is done with the previous segment
  if (walk.whole) {
    for (var k = 0u; k < words_each; k++) {
      let visit = visit_of(chunk, walk, k * threads + thread);
      put_elements(chunk, walk, visit, voxels[visit.word]);
    }
  } else {
    for (var item = thread; item < walk.column_words * walk.steps; item += threads) {
      let visit = visit_of(chunk, walk, item);
      put_elements(chunk, walk, visit, voxels[visit.word]);
    }
  }
  workgroupBarrier(); // the elements are stored
  for (var k = 0u; k < quads_each; k++) {
    let first = (k * threads + thread) * per_quad;
    var quad = vec4u(0u);
    for (var i = 0u; i < per_quad; i++) {
      quad[i / per_word] |= wg_elements[slot(first + i)] << ((i % per_word) * element_bits);
    }
    own.quads[k] = quad;
    if (first > 0u) {
      own.before[k] = wg_elements[slot(first - 1u)];
    } else if (walk.first_element > 0u) {
      own.before[k] = element(chunk, walk.first_element - 1u);
    }
  }
  return own;
}

fn element_of(quad: vec4u, i: u32) -> u32 {
  return (quad[i / per_word] >> ((i % per_word) * element_bits)) & element_mask;
}

// One bit for each element of quad k that starts a run: element 0 of the chunk, and each element that differs from the one
// before.
fn starts_of(own: Own, k: u32, walk: Walk, thread: u32) -> u32 {
  var before = own.before[k];
  var bits = 0u;
  for (var i = 0u; i < per_quad; i++) {
    let value = element_of(own.quads[k], i);
    bits |= select(0u, 1u << i, value != before);
    before = value;
  }
  let first = (k * threads + thread) * per_quad;
  if (walk.first_element + first == 0u) { bits |= 1u; }
  if (walk.whole) { return bits; }
  if (first >= walk.count) { return 0u; }
  return bits & (0xffffffffu >> (32u - min(per_quad, walk.count - first)));
}
