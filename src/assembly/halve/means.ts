/**
 * Means of whole numbers. A row, plane or voxel that does not exist is replaced by the one before it, so that there are always eight
 * voxels: that does not change the mean, nor how it is rounded.
 */
export function halveMeans<T>(
  at: usize,
  rowStride: u32,
  planeStride: u32,
  x: u32,
  y: u32,
  z: u32,
  sx: u32,
  sy: u32,
  sz: u32,
  to: usize,
): void {
  const pairs: u32 = sx === 2 ? x >> 1 : 0;
  for (let plane: u32 = 0; plane < z; plane += sz) {
    const behind = plane + sz <= z ? (sz - 1) * planeStride : 0;
    for (let row: u32 = 0; row < y; row += sy) {
      const below = row + sy <= y ? (sy - 1) * rowStride : 0;
      const a = at + plane * planeStride + row * rowStride;
      const done = sizeof<T>() < 4 ? vectors<T>(a, a + below, a + behind, a + behind + below, pairs, to) : 0;
      to += done * sizeof<T>();
      for (let near: u32 = done * sx; near < x; near += sx) {
        const next = near + sx <= x ? sx - 1 : 0;
        const p = a + near * sizeof<T>();
        const sum = pair<T>(p, next) + pair<T>(p + below, next) + pair<T>(p + behind, next) + pair<T>(p + behind + below, next);
        store<T>(to, <T>((sum + 4 + (sum >> 63)) >> 3));
        to += sizeof<T>();
      }
    }
  }
}

function pair<T>(p: usize, next: u32): i64 {
  return <i64>load<T>(p) + <i64>load<T>(p + next * sizeof<T>());
}

/** Whole vectors of means of four rows. @returns how many means were stored */
function vectors<T>(a: usize, b: usize, c: usize, d: usize, pairs: u32, to: usize): u32 {
  const lanes: u32 = 16 / sizeof<T>();
  let done: u32 = 0;
  for (; done + lanes <= pairs; done += lanes) {
    const low = means<T>(a, b, c, d);
    const high = means<T>(a + 16, b + 16, c + 16, d + 16);
    let together: v128;
    if (sizeof<T>() === 1) {
      together = isSigned<T>() ? i8x16.narrow_i16x8_s(low, high) : i8x16.narrow_i16x8_u(low, high);
    } else together = isSigned<T>() ? i16x8.narrow_i32x4_s(low, high) : i16x8.narrow_i32x4_u(low, high);
    v128.store(to, together);
    to += 16;
    a += 32;
    b += 32;
    c += 32;
    d += 32;
  }
  return done;
}

/** The means of the pairs of a vector of each row, in lanes twice as wide: (sum + 4) >> 3, with one less for negative sums. */
function means<T>(a: usize, b: usize, c: usize, d: usize): v128 {
  if (sizeof<T>() === 1) {
    const sum = i16x8.add(i16x8.add(sums<T>(a), sums<T>(b)), i16x8.add(sums<T>(c), sums<T>(d)));
    const rounding = i16x8.add(i16x8.splat(4), isSigned<T>() ? i16x8.shr_s(sum, 15) : i16x8.splat(0));
    return i16x8.shr_s(i16x8.add(sum, rounding), 3);
  }
  const sum = i32x4.add(i32x4.add(sums<T>(a), sums<T>(b)), i32x4.add(sums<T>(c), sums<T>(d)));
  const rounding = i32x4.add(i32x4.splat(4), isSigned<T>() ? i32x4.shr_s(sum, 31) : i32x4.splat(0));
  return i32x4.shr_s(i32x4.add(sum, rounding), 3);
}

function sums<T>(p: usize): v128 {
  const voxels = v128.load(p);
  if (sizeof<T>() === 1) {
    return isSigned<T>() ? i16x8.extadd_pairwise_i8x16_s(voxels) : i16x8.extadd_pairwise_i8x16_u(voxels);
  }
  return isSigned<T>() ? i32x4.extadd_pairwise_i16x8_s(voxels) : i32x4.extadd_pairwise_i16x8_u(voxels);
}
