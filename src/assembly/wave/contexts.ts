// What the codes of eight elements depend on: src/core/codecs/wave/SPEC.md, 'Energy' to 'Tokens'.
import { fraction, special0, special1, specialCount } from './model';
import { across, clamped, down, high, low, size, toResidual, widened } from './predict';

/**
 * Eight elements' contexts, by `situate`. Four bytes each: predictions without biases, which the caller stores, then with them, and
 * scales. Two bytes each: the number of the table of tokens, the number of low bits that tokens leave out, the contexts of two
 * flags, and the cell, 27 times that of residuals plus that of gradients.
 */
export const situation: usize = memory.data(176, 16);
export const biasedAt: usize = 32;
export const scalesAt: usize = 64;
export const tablesAt: usize = 96;
export const lowBitsAt: usize = 112;
export const flagsAt: usize = 128;
export const cellsAt: usize = 160;

/** A byte each, in 32: four times the level that a level stands for; the biases of residuals' and of gradients' cells. */
const lookups: usize = memory.data(96, 16);

/** @param choices the part's levels and both biases, four bytes each */
export function startChoices(choices: usize): void {
  for (let i: usize = 0; i < 32; i++) store<u8>(lookups + i, <u8>(4 * load<i32>(choices + 4 * i)));
  for (let i: usize = 0; i < 27; i++) {
    store<i8>(lookups + 32 + i, <i8>load<i32>(choices + 4 * (32 + i)));
    store<i8>(lookups + 64 + i, <i8>load<i32>(choices + 4 * (59 + i)));
  }
}

/** Every level stands for itself, and there is no bias. */
export function startWithoutChoices(): void {
  for (let i: usize = 0; i < 32; i++) store<u8>(lookups + i, <u8>(4 * i));
  memory.fill(lookups + 32, 0, 64);
}

/** Entries of a table of 32 bytes by eight numbers of two bytes, in the lower half of a vector. */
function lookUp(table: usize, numbers: v128): v128 {
  const bytes = i8x16.narrow_i16x8_u(numbers, numbers);
  const first = i8x16.swizzle(v128.load(table), bytes);
  return v128.or(first, i8x16.swizzle(v128.load(table, 16), i8x16.sub(bytes, i8x16.splat(16))));
}

/** The levels of four energies. An energy as a floating-point number has its octave in its exponent. */
function levels(energies: v128): v128 {
  const bits = f32x4.convert_i32x4_s(energies);
  const octaves = i32x4.sub(i32x4.shr_u(bits, 23), i32x4.splat(127));
  // The fraction of 91/64.
  const isUpper = i32x4.ge_s(v128.and(bits, i32x4.splat(0x7fffff)), i32x4.splat(0x360000));
  const levels = i32x4.sub(i32x4.add(octaves, octaves), isUpper);
  return i32x4.max_s(i32x4.splat(0), i32x4.min_s(i32x4.splat(31), levels));
}

function scales(energies: v128): v128 {
  return i32x4.max_s(i32x4.shr_u(energies, 2), i32x4.splat((3 << fraction) >> 3));
}

/** SPEC.md, 'Bias': the differences for which a sign is not 0, in two bytes each. */
function limits(scales: v128): v128 {
  return i32x4.shr_u(i32x4.add(i32x4.mul(scales, i32x4.splat(6)), i32x4.splat(7)), 3);
}

function signs(differences: v128, limits: v128): v128 {
  const isLow = i16x8.le_s(differences, i16x8.neg(limits));
  return i16x8.sub(isLow, i16x8.ge_s(differences, limits));
}

function cell(first: v128, second: v128, third: v128): v128 {
  const cells = i16x8.add(i16x8.add(i16x8.mul(first, i16x8.splat(9)), i16x8.mul(second, i16x8.splat(3))), third);
  return i16x8.add(cells, i16x8.splat(13));
}

/** The difference between a − b + c and the prediction. Four elements of a part of a vector; it has at most 16 bits with its sign. */
function wideGradient(a: v128, b: v128, c: v128, predictions: v128, isHigh: bool): v128 {
  const sum = i32x4.add(i32x4.sub(widened(a, isHigh), widened(b, isHigh)), widened(c, isHigh));
  return i32x4.sub(i32x4.shl(sum, fraction), predictions);
}

function gradient<T>(a: v128, b: v128, c: v128, predictions: v128, predictionsAbove: v128): v128 {
  if (sizeof<T>() === 2) {
    const sum = i16x8.add(i16x8.sub(a, b), c);
    return i16x8.sub(i16x8.shl(sum, fraction), i16x8.narrow_i32x4_s(predictions, predictionsAbove));
  }
  // Saturates, which no sign notices.
  return i16x8.narrow_i32x4_s(wideGradient(a, b, c, predictions, false), wideGradient(a, b, c, predictionsAbove, true));
}

/** Four predictions with biases: one of a cell of residuals, one of a cell of gradients. */
function biased(predictions: v128, scales: v128, byResiduals: v128, byGradients: v128): v128 {
  const first = i32x4.shr_s(i32x4.mul(byResiduals, scales), 6);
  const second = i32x4.shr_s(i32x4.mul(byGradients, scales), 6);
  return clamped(i32x4.add(predictions, i32x4.add(first, second)));
}

/** How many of h = 0 to 6 have 8 |t − u| ≥ unit << h: the octave of the quotient, which floating point gets exactly right. */
function reach(predictions: v128, special: v128, units: v128): v128 {
  const distances = i32x4.shl(i32x4.abs(i32x4.sub(predictions, special)), 3);
  const quotients = f32x4.div(f32x4.convert_i32x4_s(distances), units);
  const octaves = i32x4.sub(i32x4.shr_u(quotients, 23), i32x4.splat(126));
  return i32x4.max_s(i32x4.splat(0), i32x4.min_s(i32x4.splat(7), octaves));
}

/** Stores the contexts of eight elements. @param plainAt their predictions without biases, four bytes each */
export function situate<T>(at: usize, back: usize, isFirst: bool, plainAt: usize): void {
  const up = at - down;
  let sums: v128;
  let more: v128;
  {
    const a = size(at - across);
    const b = size(up);
    const c = size(up + across);
    const d = size(up - across);
    const e = size(at - 2 * across);
    const f = size(up - down);
    // In pairs: 8, 4 and 2, times 12; in slice 0 times 18.
    const eights = i32x4.splat(isFirst ? 144 | (144 << 16) : 96 | (96 << 16));
    const fours = i32x4.splat(isFirst ? 72 | (72 << 16) : 48 | (48 << 16));
    const twos = i32x4.splat(isFirst ? 36 | (36 << 16) : 24 | (24 << 16));
    sums = i32x4.add(low(a, b, eights), i32x4.add(low(c, d, fours), low(e, f, twos)));
    more = i32x4.add(high(a, b, eights), i32x4.add(high(c, d, fours), high(e, f, twos)));
  }
  if (!isFirst) {
    const a = size(back);
    const b = size(back + across);
    const c = size(back + down);
    const d = size(back - across);
    const e = size(back - down);
    // 8, 4 and 2, times 9.
    const first = i32x4.splat(72 | (36 << 16));
    const second = i32x4.splat(36 | (18 << 16));
    const third = i32x4.splat(18);
    sums = i32x4.add(sums, i32x4.add(low(a, b, first), i32x4.add(low(c, d, second), low(e, e, third))));
    more = i32x4.add(more, i32x4.add(high(a, b, first), i32x4.add(high(c, d, second), high(e, e, third))));
  }
  const energies = i32x4.shr_u(sums, 7);
  const energiesAbove = i32x4.shr_u(more, 7);

  const scale = scales(energies);
  const scaleAbove = scales(energiesAbove);
  v128.store(situation + scalesAt, scale);
  v128.store(situation + scalesAt, scaleAbove, 16);
  const limit = i16x8.narrow_i32x4_s(limits(scale), limits(scaleAbove));

  const left = v128.load(at - across);
  const above = v128.load(up);
  const aboveLeft = v128.load(up - across);
  const aboveRight = v128.load(up + across);
  const plain = v128.load(plainAt);
  const plainAbove = v128.load(plainAt, 16);
  let behind = i16x8.splat(0);
  let behindSign = behind;
  let first: v128;
  let second: v128;
  if (isFirst) {
    first = gradient<T>(above, above, above, plain, plainAbove);
    second = gradient<T>(above, above, aboveRight, plain, plainAbove);
  } else {
    behind = v128.load(back);
    behindSign = signs(v128.load(back + toResidual), limit);
    first = gradient<T>(left, v128.load(back - across), behind, plain, plainAbove);
    second = gradient<T>(above, v128.load(back - down), behind, plain, plainAbove);
  }
  const third = gradient<T>(left, aboveLeft, above, plain, plainAbove);
  const leftSign = signs(v128.load(at - across + toResidual), limit);
  const residualCell = cell(leftSign, signs(v128.load(up + toResidual), limit), behindSign);
  const gradientCell = cell(signs(first, limit), signs(second, limit), signs(third, limit));
  v128.store(situation + cellsAt, i16x8.add(i16x8.mul(residualCell, i16x8.splat(27)), gradientCell));

  const byResiduals = i16x8.extend_low_i8x16_s(lookUp(lookups + 32, residualCell));
  const byGradients = i16x8.extend_low_i8x16_s(lookUp(lookups + 64, gradientCell));
  const prediction = biased(plain, scale, i32x4.extend_low_i16x8_s(byResiduals), i32x4.extend_low_i16x8_s(byGradients));
  const predictionAbove = biased(
    plainAbove,
    scaleAbove,
    i32x4.extend_high_i16x8_s(byResiduals),
    i32x4.extend_high_i16x8_s(byGradients),
  );
  v128.store(situation + biasedAt, prediction);
  v128.store(situation + biasedAt, predictionAbove, 16);

  const level = i16x8.narrow_i32x4_s(levels(energies), levels(energiesAbove));
  // The fraction of a prediction in quarters.
  const quarters = i32x4.splat(3);
  const phase = v128.and(i32x4.shr_u(prediction, fraction - 2), quarters);
  const phaseAbove = v128.and(i32x4.shr_u(predictionAbove, fraction - 2), quarters);
  const tables = i16x8.extend_low_i8x16_u(lookUp(lookups, level));
  v128.store(situation + tablesAt, i16x8.add(tables, i16x8.narrow_i32x4_s(phase, phaseAbove)));
  const omitted = i16x8.sub_sat_u(i16x8.shr_u(level, 1), i16x8.splat(<i16>(fraction + 3)));
  v128.store(situation + lowBitsAt, omitted);
  if (specialCount === 0) return;

  const units = f32x4.convert_i32x4_s(i32x4.max_s(energies, i32x4.splat(2)));
  const unitsAbove = f32x4.convert_i32x4_s(i32x4.max_s(energiesAbove, i32x4.splat(2)));
  const isLively = i16x8.add(i16x8.gt_s(level, i16x8.splat(7)), i16x8.gt_s(level, i16x8.splat(12)));
  for (let number = 0; number < specialCount; number++) {
    const special = number === 0 ? special0 : special1;
    const is = i16x8.splat(<i16>(special - <i32>(sizeof<T>() === 2 ? 0 : 32768)));
    // All of these are −1 times what they count.
    const isAbove = i16x8.eq(above, is);
    let near = i16x8.add(i16x8.eq(left, is), i16x8.add(isAbove, isAbove));
    let others = i16x8.add(i16x8.eq(aboveRight, is), i16x8.eq(aboveLeft, is));
    if (!isFirst) {
      near = i16x8.add(near, i16x8.shl(i16x8.eq(behind, is), 2));
      others = i16x8.add(others, i16x8.add(i16x8.eq(v128.load(back + across), is), i16x8.eq(v128.load(back + down), is)));
    }
    const equal = i16x8.add(i16x8.mul(near, i16x8.splat(5)), others);
    const place = i32x4.splat(special << fraction);
    const reaches = i16x8.narrow_i32x4_s(reach(prediction, place, units), reach(predictionAbove, place, unitsAbove));
    const context = i16x8.mul(i16x8.sub(reaches, i16x8.shl(equal, 3)), i16x8.splat(3));
    const flags = i16x8.add(i16x8.sub(context, isLively), i16x8.splat(isFirst ? 0 : 960));
    v128.store(situation + flagsAt + <usize>(16 * number), flags);
  }
}
