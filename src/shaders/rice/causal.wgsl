// The predictors that are no sums: median and mean of what stands before an element. No entry point: kernels.ts puts it in
// front of the others, behind brick.wgsl and its memory. SPEC.md, 'Predictors'. Twin: `Neighbourhood` in
// src/core/codecs/rice/predictors.ts.

const median_predictor = 6u;

// The element in lane `lane` of a word. 'Of 2 bytes, less the base, as signed; of 1 byte as they are.'
fn element(word: u32, lane: u32, base: u32) -> i32 {
  let value = (word >> (bits * lane)) & element_mask;
  if (bits == 16u) { return i32((value - base) << 16u) >> 16u; }
  return i32(value);
}

fn element_before(at: u32, lane: u32, base: u32) -> i32 {
  if (lane == 0u) { return element(load_word(at - 1u), lanes - 1u, base); }
  return element(load_word(at), lane - 1u, base);
}

// What is to be expected of the element in lane `lane` of word `at`; its low bits count. `in_block`: its place there.
fn expectation(predictor: u32, at: u32, lane: u32, in_block: vec3u, base: u32) -> u32 {
  let has = in_block > vec3u(0u);
  var a = 0;
  var b = 0;
  var c = 0;
  if (has.x) { a = element_before(at, lane, base); }
  if (has.y) { b = element(load_word(at - row_words), lane, base); }
  if (has.z) { c = element(load_word(at - slice_pitch), lane, base); }
  var expected = 0;
  if (predictor == median_predictor) {
    var ab = 0;
    var ac = 0;
    var bc = 0;
    if (has.x && has.y) { ab = a + b - element_before(at - row_words, lane, base); }
    if (has.x && has.z) { ac = a + c - element_before(at - slice_pitch, lane, base); }
    if (has.y && has.z) { bc = b + c - element(load_word(at - slice_pitch - row_words), lane, base); }
    if (all(has)) {
      expected = clamp(max(min(ab, ac), min(max(ab, ac), bc)), min(min(a, b), c), max(max(a, b), c));
    } else if (has.x && has.y) {
      expected = clamp(ab, min(a, b), max(a, b));
    } else if (has.x && has.z) {
      expected = clamp(ac, min(a, c), max(a, c));
    } else if (has.y && has.z) {
      expected = clamp(bc, min(b, c), max(b, c));
    } else {
      expected = a + b + c;
    }
  } else {
    // Divided as whole numbers without sign, so that the mean is rounded down.
    let count = u32(has.x) + u32(has.y) + u32(has.z);
    let offset = 0x10000u * max(count, 1u);
    expected = i32((u32(a + b + c) + offset) / max(count, 1u)) - 0x10000;
  }
  return u32(expected) + select(0u, base, bits == 16u);
}
