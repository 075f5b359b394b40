// Vectors whose lanes are elements of T, u8 or u16.

export function splat<T>(value: u32): v128 {
  return sizeof<T>() === 1 ? i8x16.splat(<i8>value) : i16x8.splat(<i16>value);
}

export function add<T>(a: v128, b: v128): v128 {
  return sizeof<T>() === 1 ? i8x16.add(a, b) : i16x8.add(a, b);
}

export function sub<T>(a: v128, b: v128): v128 {
  return sizeof<T>() === 1 ? i8x16.sub(a, b) : i16x8.sub(a, b);
}

/** 'the least whole number that is not below d / 2, with d taken as signed' */
export function half<T>(d: v128): v128 {
  if (sizeof<T>() === 2) return i16x8.sub(d, i16x8.shr_s(d, 1));
  // There is no fast shift of bytes. avgr_u rounds up, and flipping the highest bit maps signed to unsigned numbers in order.
  const middle = i8x16.splat(-128);
  return v128.xor(i8x16.avgr_u(v128.xor(d, middle), middle), middle);
}

/** 'Residuals 0, −1, 1, −2, 2 … are the symbols 0, 1, 2, 3, 4 …' */
export function toSymbols<T>(residuals: v128): v128 {
  const zero = i32x4.splat(0);
  return sizeof<T>() === 1
    ? v128.xor(i8x16.add(residuals, residuals), i8x16.gt_s(zero, residuals))
    : v128.xor(i16x8.add(residuals, residuals), i16x8.gt_s(zero, residuals));
}

export function toResiduals<T>(symbols: v128): v128 {
  const sign = sub<T>(splat<T>(0), v128.and(symbols, splat<T>(1)));
  const halves = i16x8.shr_u(symbols, 1);
  return v128.xor(sizeof<T>() === 1 ? v128.and(halves, i8x16.splat(0x7f)) : halves, sign);
}

/** The sums of the lanes in each 4 bytes. */
export function sumWords<T>(lanes: v128): v128 {
  return i32x4.extadd_pairwise_i16x8_u(sizeof<T>() === 1 ? i16x8.extadd_pairwise_i8x16_u(lanes) : lanes);
}

/** All ones in the first `count` lanes. */
export function firstLanes<T>(count: u32): v128 {
  if (sizeof<T>() === 1) {
    return i8x16.lt_u(i8x16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15), i8x16.splat(<i8>min<u32>(count, 16)));
  }
  return i16x8.lt_u(i16x8(0, 1, 2, 3, 4, 5, 6, 7), i16x8.splat(<i16>min<u32>(count, 8)));
}

/** All ones in every lane but the first. */
export function allButFirst<T>(): v128 {
  return sizeof<T>() === 1
    ? i8x16(0, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1)
    : i16x8(0, -1, -1, -1, -1, -1, -1, -1);
}
