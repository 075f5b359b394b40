// Predictors that are not sums: the median of the preceding neighbours, and the linear ones. SPEC.md, 'Predictors'. Twin:
// `Neighbourhood` in src/core/codecs/rice/predictors.ts.

import package::bricks::packed::bits;
import package::rice::linear::{element_at, neighbours_of, weigh};

const median_predictor = 8u;

// The prediction for an element of the brick. Only its low bits count. `in_block`: the element's position in its block.
fn expectation(predictor: u32, at: vec3u, in_block: vec3u, base: u32) -> u32 {
  if (predictor == median_predictor) { return median_at(at, in_block, base); }
  return weigh(neighbours_of(at, in_block, base), predictor, base);
}

// The prediction by the median.
fn median_at(at: vec3u, in_block: vec3u, base: u32) -> u32 {
  let has = in_block > vec3u(0u);
  var a = 0;
  var b = 0;
  var c = 0;
  if (has.x) { a = element_at(at - vec3u(1u, 0u, 0u), base); }
  if (has.y) { b = element_at(at - vec3u(0u, 1u, 0u), base); }
  if (has.z) { c = element_at(at - vec3u(0u, 0u, 1u), base); }
  var ab = 0;
  var ac = 0;
  var bc = 0;
  if (has.x && has.y) { ab = a + b - element_at(at - vec3u(1u, 1u, 0u), base); }
  if (has.x && has.z) { ac = a + c - element_at(at - vec3u(1u, 0u, 1u), base); }
  if (has.y && has.z) { bc = b + c - element_at(at - vec3u(0u, 1u, 1u), base); }
  var expected = 0;
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
  return u32(expected) + select(0u, base, bits == 16u);
}
