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
  return sub<T>(d, sizeof<T>() === 1 ? i8x16.shr_s(d, 1) : i16x8.shr_s(d, 1));
}

/** 'Residuals 0, −1, 1, −2, 2 … are the symbols 0, 1, 2, 3, 4 …' */
export function toSymbols<T>(residuals: v128): v128 {
  return sizeof<T>() === 1
    ? v128.xor(i8x16.shl(residuals, 1), i8x16.shr_s(residuals, 7))
    : v128.xor(i16x8.shl(residuals, 1), i16x8.shr_s(residuals, 15));
}

export function toResiduals<T>(symbols: v128): v128 {
  const sign = sub<T>(splat<T>(0), v128.and(symbols, splat<T>(1)));
  return v128.xor(sizeof<T>() === 1 ? i8x16.shr_u(symbols, 1) : i16x8.shr_u(symbols, 1), sign);
}

/** The sums of lanes that lie in the same 4 bytes. */
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
