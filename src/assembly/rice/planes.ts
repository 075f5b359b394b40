// Suffixes bit by bit: SPEC.md, 'Suffixes'. A set is 32 places of a group, 2 × 4 elements of 4 rows: half a group of u8, or
// a whole one of u16. Its symbols' bytes become vectors in the order of their planes' bits, and those become planes.
import { rowOf } from './brick';
import { halfSetStep } from './groups';

/** Writes a set's planes: 8 words of u8, 16 of u16. @param p address of the set's first symbol */
export function writePlanes<T>(p: usize, to: usize): void {
  if (sizeof<T>() === 1) {
    const front = rowsOfBytes(p);
    const behind = rowsOfBytes(p + halfSetStep<T>());
    // Bit n is column n / 8, row n % 8.
    transpose(
      i8x16.shuffle(front, behind, 0, 4, 8, 12, 16, 20, 24, 28, 1, 5, 9, 13, 17, 21, 25, 29),
      i8x16.shuffle(front, behind, 2, 6, 10, 14, 18, 22, 26, 30, 3, 7, 11, 15, 19, 23, 27, 31),
      to,
    );
    return;
  }
  const q = p + halfSetStep<T>();
  const first = twoRows(p);
  const second = twoRows(p + 2 * rowOf<T>());
  const third = twoRows(q);
  const fourth = twoRows(q + 2 * rowOf<T>());
  const low = i16x8.splat(0xff);
  transposeColumns(
    i8x16.narrow_i16x8_u(v128.and(first, low), v128.and(second, low)),
    i8x16.narrow_i16x8_u(v128.and(third, low), v128.and(fourth, low)),
    to,
  );
  transposeColumns(
    i8x16.narrow_i16x8_u(i16x8.shr_u(first, 8), i16x8.shr_u(second, 8)),
    i8x16.narrow_i16x8_u(i16x8.shr_u(third, 8), i16x8.shr_u(fourth, 8)),
    to + 32,
  );
}

/** For u16 the columns are in the order 0, 2, 1, 3. */
function transposeColumns(front: v128, behind: v128, to: usize): void {
  transpose(
    i8x16.shuffle(front, behind, 0, 4, 8, 12, 16, 20, 24, 28, 2, 6, 10, 14, 18, 22, 26, 30),
    i8x16.shuffle(front, behind, 1, 5, 9, 13, 17, 21, 25, 29, 3, 7, 11, 15, 19, 23, 27, 31),
    to,
  );
}

/** Bit b of each of 32 bytes becomes word b. */
function transpose(lower: v128, upper: v128, to: usize): void {
  for (let bit: i32 = 7; bit >= 0; bit--) {
    store<u32>(to + 4 * bit, i8x16.bitmask(lower) | (i8x16.bitmask(upper) << 16));
    lower = i8x16.shl(lower, 1);
    upper = i8x16.shl(upper, 1);
  }
}

/** Puts a set's symbols back from the planes of their lowest `count` bits. @param p address of the set's first symbol */
export function readPlanes<T>(from: usize, count: u32, p: usize): void {
  let lower = i32x4.splat(0);
  let upper = i32x4.splat(0);
  for (let bit: u32 = 0; bit < min<u32>(count, 8); bit++) {
    const word = load<u32>(from + 4 * bit);
    const value = i8x16.splat(<i8>((<u32>1) << bit));
    lower = v128.or(lower, v128.and(spread(word), value));
    upper = v128.or(upper, v128.and(spread(word >> 16), value));
  }
  if (sizeof<T>() === 1) {
    storeRowsOfBytes(p, i8x16.shuffle(lower, upper, 0, 8, 16, 24, 1, 9, 17, 25, 2, 10, 18, 26, 3, 11, 19, 27));
    storeRowsOfBytes(
      p + halfSetStep<T>(),
      i8x16.shuffle(lower, upper, 4, 12, 20, 28, 5, 13, 21, 29, 6, 14, 22, 30, 7, 15, 23, 31),
    );
    return;
  }
  let lowerHigh = i32x4.splat(0);
  let upperHigh = i32x4.splat(0);
  for (let bit: u32 = 8; bit < count; bit++) {
    const word = load<u32>(from + 4 * bit);
    const value = i8x16.splat(<i8>((<u32>1) << (bit - 8)));
    lowerHigh = v128.or(lowerHigh, v128.and(spread(word), value));
    upperHigh = v128.or(upperHigh, v128.and(spread(word >> 16), value));
  }
  storeRows(
    p,
    i8x16.shuffle(lower, upper, 0, 16, 8, 24, 1, 17, 9, 25, 2, 18, 10, 26, 3, 19, 11, 27),
    i8x16.shuffle(lowerHigh, upperHigh, 0, 16, 8, 24, 1, 17, 9, 25, 2, 18, 10, 26, 3, 19, 11, 27),
  );
  storeRows(
    p + halfSetStep<T>(),
    i8x16.shuffle(lower, upper, 4, 20, 12, 28, 5, 21, 13, 29, 6, 22, 14, 30, 7, 23, 15, 31),
    i8x16.shuffle(lowerHigh, upperHigh, 4, 20, 12, 28, 5, 21, 13, 29, 6, 22, 14, 30, 7, 23, 15, 31),
  );
}

/** A lane of ones for each bit that is set, of 16. */
function spread(bits: u32): v128 {
  const bytes = i16x8.splat(<i16>bits);
  const own = i8x16.shuffle(bytes, bytes, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1);
  const places = i8x16(1, 2, 4, 8, 16, 32, 64, -128, 1, 2, 4, 8, 16, 32, 64, -128);
  return i8x16.eq(v128.and(own, places), places);
}

/** 4 bytes of each of 4 rows. */
function rowsOfBytes(p: usize): v128 {
  const row = rowOf<u8>();
  const first = i32x4.splat(load<i32>(p));
  const second = i32x4.replace_lane(first, 1, load<i32>(p + row));
  const third = i32x4.replace_lane(second, 2, load<i32>(p + 2 * row));
  return i32x4.replace_lane(third, 3, load<i32>(p + 3 * row));
}

function storeRowsOfBytes(p: usize, rows: v128): void {
  const row = rowOf<u8>();
  store<i32>(p, i32x4.extract_lane(rows, 0));
  store<i32>(p + row, i32x4.extract_lane(rows, 1));
  store<i32>(p + 2 * row, i32x4.extract_lane(rows, 2));
  store<i32>(p + 3 * row, i32x4.extract_lane(rows, 3));
}

/** 4 elements of u16 of each of two rows. */
function twoRows(p: usize): v128 {
  return i64x2.replace_lane(i64x2.splat(load<i64>(p)), 1, load<i64>(p + rowOf<u16>()));
}

/** 4 elements of each of four rows, from their low and their high bytes. */
function storeRows(p: usize, low: v128, high: v128): void {
  const row = rowOf<u16>();
  const front = i8x16.shuffle(low, high, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  const back = i8x16.shuffle(low, high, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
  store<i64>(p, i64x2.extract_lane(front, 0));
  store<i64>(p + row, i64x2.extract_lane(front, 1));
  store<i64>(p + 2 * row, i64x2.extract_lane(back, 0));
  store<i64>(p + 3 * row, i64x2.extract_lane(back, 1));
}
