// The linear predictors: weighted sums of neighbours up to three elements away. SPEC.md, 'Linear'. Twins: `#weigh` in
// src/core/codecs/rice/predictors.ts, and the weights in linear.ts.

import package::bricks::packed::{bits, element_mask, lanes, picture};
@if(decodes) import package::rice::reader::word_with;
@else import package::rice::tiles::word_with;

// Neighbours or their weights: nine in pictures, ten in volumes.
struct Ten { near: vec4i, far: vec4i, last: vec2i }

// An element of the brick. Elements of 1 byte are unsigned. Elements of 2 bytes are signed differences to the base.
fn element_at(at: vec3u, base: u32) -> i32 {
  let value = (word_with(at) >> (bits * (at.x % lanes))) & element_mask;
  if (bits == 16u) { return i32((value - base) << 16u) >> 16u; }
  return i32(value);
}

// An element's position in its brick and in its block, and the step to the neighbour that replaces missing ones.
struct Own { at: vec3u, in_block: vec3u, nearest: vec3u, base: u32 }

// The neighbour so many elements back, or as many as the block has. If it has none, the nearest one: to the left, above or
// behind.
fn neighbour(own: Own, x: u32, y: u32, z: u32) -> i32 {
  let step = min(vec3u(x, y, z), own.in_block);
  return element_at(own.at - select(step, own.nearest, all(step == vec3u(0u))), own.base);
}

// The neighbours of any element except the block's first.
fn neighbours_of(at: vec3u, in_block: vec3u, base: u32) -> Ten {
  let nearest = select(select(vec3u(0u, 0u, 1u), vec3u(0u, 1u, 0u), in_block.y > 0u), vec3u(1u, 0u, 0u), in_block.x > 0u);
  let own = Own(at, in_block, nearest, base);
  let left = neighbour(own, 1u, 0u, 0u);
  let above = neighbour(own, 0u, 1u, 0u);
  let left_above = neighbour(own, 1u, 1u, 0u);
  let second_left = neighbour(own, 2u, 0u, 0u);
  let second_above = neighbour(own, 0u, 2u, 0u);
  if (picture == 1u) {
    return Ten(
      vec4i(left, above, left_above, second_left),
      vec4i(second_above, neighbour(own, 2u, 1u, 0u), neighbour(own, 1u, 2u, 0u), neighbour(own, 3u, 0u, 0u)),
      vec2i(neighbour(own, 0u, 3u, 0u), 0));
  }
  return Ten(
    vec4i(left, above, neighbour(own, 0u, 0u, 1u), left_above),
    vec4i(neighbour(own, 1u, 0u, 1u), neighbour(own, 0u, 1u, 1u), neighbour(own, 1u, 1u, 1u), second_left),
    vec2i(second_above, neighbour(own, 0u, 0u, 2u)));
}

// In sixteenths.
fn weights_of(predictor: u32) -> Ten {
  if (picture == 1u) {
    switch (predictor) {
      case 9u: { return Ten(vec4i(10, 10, -5, -3), vec4i(-2, 1, 1, 2), vec2i(2, 0)); }
      case 10u: { return Ten(vec4i(15, 13, -9, -7), vec4i(-6, 2, 3, 3), vec2i(2, 0)); }
      case 11u: { return Ten(vec4i(21, 15, -12, -10), vec4i(-6, 2, 3, 2), vec2i(1, 0)); }
      case 12u: { return Ten(vec4i(3, 3, 2, 2), vec4i(2, 1, 1, 1), vec2i(1, 0)); }
      case 13u: { return Ten(vec4i(13, 13, -3, -2), vec4i(-2, -2, -1, 0), vec2i(0, 0)); }
      case 14u: { return Ten(vec4i(10, 9, -2, -1), vec4i(-1, 0, 0, 1), vec2i(0, 0)); }
      default: { return Ten(vec4i(16, 18, -12, -7), vec4i(-8, 2, 3, 2), vec2i(2, 0)); }
    }
  }
  switch (predictor) {
    case 9u: { return Ten(vec4i(2, 2, 2, 2), vec4i(1, 1, 1, 2), vec2i(2, 1)); }
    case 10u: { return Ten(vec4i(11, 10, 7, -4), vec4i(-2, -2, 0, -2), vec2i(-1, -1)); }
    case 11u: { return Ten(vec4i(4, 9, 6, 2), vec4i(1, 1, -4, -1), vec2i(-1, -1)); }
    case 12u: { return Ten(vec4i(10, 12, 4, -3), vec4i(-2, -1, 0, -2), vec2i(-2, 0)); }
    case 13u: { return Ten(vec4i(6, 9, 11, -1), vec4i(-1, -1, -2, -1), vec2i(-2, -2)); }
    case 14u: { return Ten(vec4i(10, 8, 11, -2), vec4i(-3, -2, -1, -2), vec2i(-1, -2)); }
    default: { return Ten(vec4i(5, 13, 6, 1), vec4i(2, -1, -5, -1), vec2i(-3, -1)); }
  }
}

// The prediction for the element with these neighbours. Only its low bits count.
fn weigh(neighbours: Ten, predictor: u32, base: u32) -> u32 {
  let weights = weights_of(predictor);
  let sum = dot(neighbours.near, weights.near) + dot(neighbours.far, weights.far) + dot(neighbours.last, weights.last);
  let expected = (sum + 8) >> 4u;
  if (bits == 16u) { return u32(clamp(expected, -0x8000, 0x7fff)) + base; }
  return u32(clamp(expected, 0, 0xff));
}
