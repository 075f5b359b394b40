// The sums by which weights are fitted. Twin: `fit` in src/core/codecs/wave/loops.ts.
import { center, fraction, range, startModel } from './model';
import { across, down, size } from './predict';
import { addProducts, columnAt, columns, columnVectors, flush, isSplit, startProducts, weighted, weightedRest } from './products';
import { endRow, nextOf, openSlice, placeOf, predictRow, specialsAt, startSlices, toBack, toFar, z } from './slices';

/** Where the neighbours are, relative to the element. */
const places: usize = memory.data(4 * 28, 16);
let placed: usize = 0;
const mostWeight: i32 = 63;
/** Eight times −1, then eight times 0: the elements of a vector that count. */
const counted: usize = memory.data<i16>([-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0]);

let shift: i32 = 0;
/** How far gradients are shifted, as the weights' distances: to the right, or if negative to the left. */
let gradientShift: i32 = 0;

/**
 * Adds up the products by which weights are fitted.
 * @param values two bytes each
 * @param period of the rows after slice 0, one in so many counts: 4 or 16; 4 if by residuals
 * @param sums 434 doubles for the slices after slice 0, then 434 for slice 0; initially 0
 */
export function fit(
  values: usize,
  x: i32,
  y: i32,
  depth: i32,
  model: usize,
  work: usize,
  byResiduals: bool,
  period: i32,
  sums: usize,
): void {
  startModel(model);
  startSlices(work, x, y);
  const bits = 32 - clz(range);
  shift = max(0, bits - 12);
  // Twice the gradients, which are twice the largest difference.
  gradientShift = max(0, bits - 8) - 2;
  startProducts(range >> shift, mostWeight);
  for (let slice = 0; slice < depth; slice++) {
    openSlice(slice, values);
    placeNeighbours();
    const own = slice === 0 ? sums + 434 * 8 : sums;
    for (let line = 0; line < y; line++) {
      const phase = (line + slice) % period;
      // The residuals around every fourth row are needed, and the first of the row before those.
      if (byResiduals && (slice === 0 || phase !== 1)) predictRow(line, slice > 0 && phase === 2 ? min(x, 8) : x);
      if (slice === 0 || phase === 0) fitRow(line, x, byResiduals, own);
    }
    if (slice === 0) flush(10, own);
  }
  flush(28, sums);
}

/** SPEC.md, 'Prediction': the neighbours, in the order of their weights. */
function placeNeighbours(): void {
  placed = places;
  const up: usize = 0 - down;
  place(0 - across);
  place(up);
  place(up - across);
  place(up + across);
  place(0 - 2 * across);
  place(up + up);
  place(up + up - across);
  place(up + up + across);
  place(up - 2 * across);
  place(up + 2 * across);
  if (z === 0) return;
  const back = toBack();
  place(back);
  place(back - across);
  place(back + up);
  place(back + across);
  place(back + down);
  place(back + up - across);
  place(back + up + across);
  place(back + down - across);
  place(back + down + across);
  place(back + 2 * across);
  place(back + 2 * down);
  place(back - 2 * across);
  place(back + up + up);
  const far = toFar();
  place(far);
  place(far - across);
  place(far + up);
  place(far + across);
  place(far + down);
}

function place(from: usize): void {
  store<u32>(placed, <u32>from);
  placed += 4;
}

/** The address of a neighbour. */
function neighbour(at: usize, number: i32): usize {
  return at + load<u32>(places + 4 * <usize>number);
}

function fitRow(y: i32, width: i32, byResiduals: bool, sums: usize): void {
  const count = z === 0 ? 10 : 28;
  let vectors = 0;
  for (let x = 0; x < width; ) {
    const elements = nextOf(x, y);
    if (fill(placeOf(x, y), count, elements, vectors, byResiduals)) vectors++;
    if (vectors === columnVectors) {
      addProducts(vectors, count, sums);
      vectors = 0;
    }
    x += elements;
  }
  if (vectors > 0) addProducts(vectors, count, sums);
  endRow(y);
}

/** Fills a vector of each column. @param elements how many of eight count @returns whether one has a weight */
function fill(at: usize, count: i32, elements: i32, vector: i32, byResiduals: bool): bool {
  const centers = i16x8.splat(<i16>center);
  const left = v128.load(neighbour(at, 0));
  let differences = i16x8.splat(0);
  for (let i = 0; i < count; i++) {
    const values = v128.load(neighbour(at, i));
    differences = v128.or(differences, v128.xor(values, left));
    v128.store(columnAt(columns, i, vector), i16x8.shr_u(v128.xor(values, centers), shift));
  }
  const isOut = v128.or(i16x8.eq(differences, i16x8.splat(0)), specialsAt(at));
  const isIn = v128.andnot(v128.load(counted + <usize>(16 - 2 * elements)), isOut);
  if (!v128.any_true(isIn)) return false;
  v128.store(columnAt(columns, count, vector), i16x8.shr_u(v128.xor(v128.load(at), centers), shift));
  v128.store(columnAt(columns, count + 1, vector), i16x8.splat(0));
  const weights = v128.and(byResiduals ? weightsByResiduals(at) : weightsByGradients(at, left, centers), isIn);
  for (let i = 0; i < count; i++) {
    const values = v128.load(columnAt(columns, i, vector));
    if (isSplit) {
      v128.store(columnAt(weighted, i, vector), i16x8.mul(i16x8.shr_u(values, 6), weights));
      v128.store(columnAt(weightedRest, i, vector), i16x8.mul(v128.and(values, i16x8.splat(63)), weights));
    } else v128.store(columnAt(weighted, i, vector), i16x8.mul(values, weights));
  }
  return true;
}

/** The weights of four elements, 1 to 63, by how much their surroundings vary. Floating point divides exactly enough. */
function weightsBy(unrest: v128): v128 {
  const divisors = f32x4.convert_i32x4_s(i32x4.add(unrest, i32x4.splat(4)));
  const weights = i32x4.trunc_sat_f32x4_s(f32x4.div(f32x4.splat(252), divisors));
  return i32x4.max_s(weights, i32x4.splat(1));
}

function weightsByGradients(at: usize, left: v128, centers: v128): v128 {
  const a = v128.xor(left, centers);
  const b = v128.xor(v128.load(neighbour(at, 1)), centers);
  const c = v128.xor(v128.load(neighbour(at, z === 0 ? 2 : 10)), centers);
  const most = i16x8.max_u(a, i16x8.max_u(b, c));
  const least = i16x8.min_u(a, i16x8.min_u(b, c));
  const difference = i16x8.sub(most, least);
  const unrest = gradientShift < 0 ? i16x8.shl(difference, -gradientShift) : i16x8.shr_u(difference, gradientShift);
  const low = weightsBy(i32x4.extend_low_i16x8_u(unrest));
  return i16x8.narrow_i32x4_s(low, weightsBy(i32x4.extend_high_i16x8_u(unrest)));
}

function weightsByResiduals(at: usize): v128 {
  const up = at - down;
  const left = size(at - across);
  const above = size(up);
  const behind = z === 0 ? i16x8.splat(0) : size(at + toBack());
  const first = size(up - across);
  const second = size(up + across);
  const low = unrest(
    i32x4.extend_low_i16x8_s(left),
    i32x4.extend_low_i16x8_s(above),
    i32x4.extend_low_i16x8_s(behind),
    i32x4.extend_low_i16x8_s(first),
    i32x4.extend_low_i16x8_s(second),
  );
  const high = unrest(
    i32x4.extend_high_i16x8_s(left),
    i32x4.extend_high_i16x8_s(above),
    i32x4.extend_high_i16x8_s(behind),
    i32x4.extend_high_i16x8_s(first),
    i32x4.extend_high_i16x8_s(second),
  );
  return i16x8.narrow_i32x4_s(weightsBy(low), weightsBy(high));
}

function unrest(left: v128, above: v128, behind: v128, first: v128, second: v128): v128 {
  const sides = i32x4.add(left, i32x4.add(above, behind));
  return i32x4.shr_u(i32x4.add(i32x4.add(sides, sides), i32x4.add(first, second)), fraction);
}
