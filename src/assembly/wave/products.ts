// Sums of products of columns: every two neighbours of an element, and each neighbour and the element. Sums are exact.

/** The most vectors of eight elements in a column. */
export const columnVectors: i32 = 8;
const columnBytes: usize = 16 * columnVectors;

/** The columns: neighbours, then the element, and zeros so that their number is even. Two bytes an element. */
export const columns: usize = memory.data(30 * 8 * 16, 16);
/** The neighbours times the element's weight: in two parts, the first of which counts 64 times, or in one. */
export const weighted: usize = memory.data(28 * 8 * 16, 16);
export const weightedRest: usize = memory.data(28 * 8 * 16, 16);

/** For every two pairs of columns four vectors of sums, for either part. */
const partial: usize = memory.data(14 * 15 * 64, 16);
const partialRest: usize = memory.data(14 * 15 * 64, 16);

/** Whether the neighbours' products with weights need two parts. */
export let isSplit: bool = false;
/** The most vectors whose products fit in 32 bits, and those since the last `flush`. */
let limit: i32 = 0;
let held: i32 = 0;

/** @param highest the largest number in a column @param weight the largest weight */
export function startProducts(highest: i32, weight: i32): void {
  isSplit = weight * highest > 32767;
  const factor = isSplit ? weight * 63 : weight * highest;
  limit = <i32>min<i64>(1 << 20, ((1 << 30) - 1) / (<i64>factor * <i64>highest));
  held = 0;
  memory.fill(partial, 0, 14 * 15 * 64);
  memory.fill(partialRest, 0, 14 * 15 * 64);
}

/** The address of vector `vector` of a column. */
export function columnAt(table: usize, column: i32, vector: i32): usize {
  return table + columnBytes * <usize>column + 16 * <usize>vector;
}

/**
 * Adds the products of this many vectors.
 * @param count the number of neighbours, even
 * @param sums doubles: those of each neighbour with itself, the later ones of 28, and the element
 */
export function addProducts(vectors: i32, count: i32, sums: usize): void {
  if (held + vectors > limit) flush(count, sums);
  held += vectors;
  addTo(partial, weighted, vectors, count);
  if (isSplit) addTo(partialRest, weightedRest, vectors, count);
}

/** Two columns by two at a time, so that sums and factors stay in registers. */
function addTo(table: usize, factors: usize, vectors: i32, count: i32): void {
  const bytes: usize = 16 * <usize>vectors;
  let to = table;
  for (let row = 0; row < count; row += 2) {
    const rowFrom = columnAt(factors, row, 0);
    for (let column = row; column <= count; column += 2, to += 64) {
      const columnFrom = columnAt(columns, column, 0);
      let first = v128.load(to);
      let second = v128.load(to, 16);
      let third = v128.load(to, 32);
      let fourth = v128.load(to, 48);
      for (let at: usize = 0; at < bytes; at += 16) {
        const a = v128.load(rowFrom + at);
        const b = v128.load(rowFrom + at, columnBytes);
        const c = v128.load(columnFrom + at);
        const d = v128.load(columnFrom + at, columnBytes);
        first = i32x4.add(first, i32x4.dot_i16x8_s(a, c));
        second = i32x4.add(second, i32x4.dot_i16x8_s(a, d));
        third = i32x4.add(third, i32x4.dot_i16x8_s(b, c));
        fourth = i32x4.add(fourth, i32x4.dot_i16x8_s(b, d));
      }
      v128.store(to, first);
      v128.store(to, second, 16);
      v128.store(to, third, 32);
      v128.store(to, fourth, 48);
    }
  }
}

/** Moves what `addProducts` holds to the sums. */
export function flush(count: i32, sums: usize): void {
  moveTo(partial, count, isSplit ? 64 : 1, sums);
  if (isSplit) moveTo(partialRest, count, 1, sums);
  held = 0;
}

function moveTo(table: usize, count: i32, factor: f64, sums: usize): void {
  let from = table;
  for (let row = 0; row < count; row += 2) {
    for (let column = row; column <= count; column += 2, from += 64) {
      for (let i = 0; i < 4; i++) {
        const a = row + (i >> 1);
        const b = column + (i & 1);
        const at = from + <usize>(16 * i);
        // The column of zeros, and products that are counted already.
        if (b > count || b < a) continue;
        const to = sums + 8 * <usize>(a * 29 - (a * (a + 1)) / 2 + (b === count ? 28 : b));
        store<f64>(to, load<f64>(to) + factor * total(v128.load(at)));
      }
      memory.fill(from, 0, 64);
    }
  }
}

function total(sums: v128): f64 {
  const pairs = i64x2.add(i64x2.extend_low_i32x4_s(sums), i64x2.extend_high_i32x4_s(sums));
  return <f64>(i64x2.extract_lane(pairs, 0) + i64x2.extract_lane(pairs, 1));
}
