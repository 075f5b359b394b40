// Predicts eight elements at a time: src/core/codecs/wave/SPEC.md, 'Prediction'.
import { center, firstOffset, firstPairs, fraction, offset, pairs, range } from './model';

/**
 * Where eight elements' neighbours are, in bytes. One and two elements to the left and to the right are multiples of `across`
 * away, the rows above and below multiples of `down`. The slices behind are at addresses of their own.
 */
export let across: usize = 0;
export let down: usize = 0;
/** From a value to its residual. */
export let toResidual: usize = 0;

export function startNeighbours(acrossBytes: usize, downBytes: usize, residualBytes: usize): void {
  across = acrossBytes;
  down = downBytes;
  toResidual = residualBytes;
}

/** The sizes of eight elements' residuals. */
export function size(at: usize): v128 {
  return i16x8.abs(v128.load(at + toResidual));
}

/** Weighted sums of two numbers of each of the first four elements. @param weights a pair, four times */
export function low(first: v128, second: v128, weights: v128): v128 {
  return i32x4.dot_i16x8_s(v128.shuffle<i16>(first, second, 0, 8, 1, 9, 2, 10, 3, 11), weights);
}

/** As `low`, of the last four elements. */
export function high(first: v128, second: v128, weights: v128): v128 {
  return i32x4.dot_i16x8_s(v128.shuffle<i16>(first, second, 4, 12, 5, 13, 6, 14, 7, 15), weights);
}

/**
 * Stores the predictions of eight elements, four bytes each.
 * @param back the element behind `at`; `far` the one behind that
 */
export function predict(at: usize, back: usize, far: usize, isFirst: bool, to: usize): void {
  const left = across;
  const right = across;
  const up = at - down;
  const up2 = up - down;
  const weights = isFirst ? firstPairs : pairs;
  let a = v128.load(at - left);
  let b = v128.load(up);
  let w = v128.load(weights);
  let sums = low(a, b, w);
  let more = high(a, b, w);
  a = v128.load(up - left);
  b = v128.load(up + right);
  w = v128.load(weights, 16);
  sums = i32x4.add(sums, low(a, b, w));
  more = i32x4.add(more, high(a, b, w));
  a = v128.load(at - 2 * left);
  b = v128.load(up2);
  w = v128.load(weights, 2 * 16);
  sums = i32x4.add(sums, low(a, b, w));
  more = i32x4.add(more, high(a, b, w));
  a = v128.load(up2 - left);
  b = v128.load(up2 + right);
  w = v128.load(weights, 3 * 16);
  sums = i32x4.add(sums, low(a, b, w));
  more = i32x4.add(more, high(a, b, w));
  a = v128.load(up - 2 * left);
  b = v128.load(up + 2 * right);
  w = v128.load(weights, 4 * 16);
  sums = i32x4.add(sums, low(a, b, w));
  more = i32x4.add(more, high(a, b, w));
  if (!isFirst) {
    const backUp = back - down;
    const backDown = back + down;
    a = v128.load(back);
    b = v128.load(back - left);
    w = v128.load(weights, 5 * 16);
    sums = i32x4.add(sums, low(a, b, w));
    more = i32x4.add(more, high(a, b, w));
    a = v128.load(backUp);
    b = v128.load(back + right);
    w = v128.load(weights, 6 * 16);
    sums = i32x4.add(sums, low(a, b, w));
    more = i32x4.add(more, high(a, b, w));
    a = v128.load(backDown);
    b = v128.load(backUp - left);
    w = v128.load(weights, 7 * 16);
    sums = i32x4.add(sums, low(a, b, w));
    more = i32x4.add(more, high(a, b, w));
    a = v128.load(backUp + right);
    b = v128.load(backDown - left);
    w = v128.load(weights, 8 * 16);
    sums = i32x4.add(sums, low(a, b, w));
    more = i32x4.add(more, high(a, b, w));
    a = v128.load(backDown + right);
    b = v128.load(back + 2 * right);
    w = v128.load(weights, 9 * 16);
    sums = i32x4.add(sums, low(a, b, w));
    more = i32x4.add(more, high(a, b, w));
    a = v128.load(backDown + down);
    b = v128.load(back - 2 * left);
    w = v128.load(weights, 10 * 16);
    sums = i32x4.add(sums, low(a, b, w));
    more = i32x4.add(more, high(a, b, w));
    a = v128.load(backUp - down);
    b = v128.load(far);
    w = v128.load(weights, 11 * 16);
    sums = i32x4.add(sums, low(a, b, w));
    more = i32x4.add(more, high(a, b, w));
    a = v128.load(far - left);
    b = v128.load(far - down);
    w = v128.load(weights, 12 * 16);
    sums = i32x4.add(sums, low(a, b, w));
    more = i32x4.add(more, high(a, b, w));
    a = v128.load(far + right);
    b = v128.load(far + down);
    w = v128.load(weights, 13 * 16);
    sums = i32x4.add(sums, low(a, b, w));
    more = i32x4.add(more, high(a, b, w));
  }
  const offsets = i32x4.splat(isFirst ? firstOffset : offset);
  v128.store(to, clamped(i32x4.shr_s(i32x4.add(sums, offsets), 8 - fraction)));
  v128.store(to, clamped(i32x4.shr_s(i32x4.add(more, offsets), 8 - fraction)), 16);
}

/** Clamps predictions to 0 … range << F. */
export function clamped(predictions: v128): v128 {
  return i32x4.max_s(i32x4.splat(0), i32x4.min_s(i32x4.splat(range << fraction), predictions));
}

/** The values of eight elements in this part of a vector, four bytes each. */
export function widened(values: v128, isHigh: bool): v128 {
  const wide = isHigh ? i32x4.extend_high_i16x8_s(values) : i32x4.extend_low_i16x8_s(values);
  return i32x4.add(wide, i32x4.splat(center));
}
