// The median of SPEC.md, 'Predictors': of seven numbers, taken as whole numbers. Lanes of T, u8 or u16, are computed in lanes twice
// as wide.

function wideAdd<T>(a: v128, b: v128): v128 {
  return sizeof<T>() === 1 ? i16x8.add(a, b) : i32x4.add(a, b);
}

function wideSub<T>(a: v128, b: v128): v128 {
  return sizeof<T>() === 1 ? i16x8.sub(a, b) : i32x4.sub(a, b);
}

function smaller<T>(a: v128, b: v128): v128 {
  return sizeof<T>() === 1 ? i16x8.min_s(a, b) : i32x4.min_s(a, b);
}

function larger<T>(a: v128, b: v128): v128 {
  return sizeof<T>() === 1 ? i16x8.max_s(a, b) : i32x4.max_s(a, b);
}

function lower<T>(v: v128): v128 {
  return sizeof<T>() === 1 ? i16x8.extend_low_i8x16_u(v) : i32x4.extend_low_i16x8_u(v);
}

function upper<T>(v: v128): v128 {
  return sizeof<T>() === 1 ? i16x8.extend_high_i8x16_u(v) : i32x4.extend_high_i16x8_u(v);
}

/** The median's prediction, modulo 2^w. Neighbours outside the block are 0. */
export function medians<T>(a: v128, b: v128, c: v128, ab: v128, ac: v128, bc: v128, abc: v128): v128 {
  const low = wideMedians<T>(lower<T>(a), lower<T>(b), lower<T>(c), lower<T>(ab), lower<T>(ac), lower<T>(bc), lower<T>(abc));
  const high = wideMedians<T>(upper<T>(a), upper<T>(b), upper<T>(c), upper<T>(ab), upper<T>(ac), upper<T>(bc), upper<T>(abc));
  // The low halves of all lanes.
  return sizeof<T>() === 1
    ? i8x16.shuffle(low, high, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30)
    : i8x16.shuffle(low, high, 0, 1, 4, 5, 8, 9, 12, 13, 16, 17, 20, 21, 24, 25, 28, 29);
}

function wideMedians<T>(a: v128, b: v128, c: v128, ab: v128, ac: v128, bc: v128, abc: v128): v128 {
  const flat = wideSub<T>(wideAdd<T>(a, b), ab);
  const all = wideAdd<T>(wideSub<T>(wideSub<T>(wideAdd<T>(flat, c), ac), bc), abc);
  return middleOf<T>(a, b, c, flat, wideSub<T>(wideAdd<T>(a, c), ac), wideSub<T>(wideAdd<T>(b, c), bc), all);
}

/** The median of seven with 13 comparisons, some of which need only one result (N. Devillard, "Fast median search", 1998). */
function middleOf<T>(p0: v128, p1: v128, p2: v128, p3: v128, p4: v128, p5: v128, p6: v128): v128 {
  let t = smaller<T>(p0, p5);
  p5 = larger<T>(p0, p5);
  p0 = t;
  t = larger<T>(p0, p3);
  p0 = smaller<T>(p0, p3);
  p3 = t;
  t = smaller<T>(p1, p6);
  p6 = larger<T>(p1, p6);
  p1 = t;
  t = smaller<T>(p2, p4);
  p4 = larger<T>(p2, p4);
  p2 = t;
  p1 = larger<T>(p0, p1);
  t = smaller<T>(p3, p5);
  p5 = larger<T>(p3, p5);
  p3 = t;
  t = smaller<T>(p2, p6);
  p6 = larger<T>(p2, p6);
  p2 = t;
  p3 = larger<T>(p2, p3);
  p3 = smaller<T>(p3, p6);
  p4 = smaller<T>(p4, p5);
  t = smaller<T>(p1, p4);
  p4 = larger<T>(p1, p4);
  p1 = t;
  p3 = larger<T>(p1, p3);
  return smaller<T>(p3, p4);
}

/** The same for one element. */
export function medianOf(a: u32, b: u32, c: u32, ab: u32, ac: u32, bc: u32, abc: u32): u32 {
  const median = wideMedians<u16>(
    i32x4.splat(a),
    i32x4.splat(b),
    i32x4.splat(c),
    i32x4.splat(ab),
    i32x4.splat(ac),
    i32x4.splat(bc),
    i32x4.splat(abc),
  );
  return i32x4.extract_lane(median, 0);
}
