/** Files mark missing values by NaN, infinities or the largest 32-bit float; only smaller ones are numbers. */
const largest: f64 = 3.4028234663852886e38;

/** Means of those voxels that are numbers, summed as 64-bit floats in their order: x, y, z. */
export function halveFloats<T>(
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
  for (let plane: u32 = 0; plane < z; plane += sz) {
    const depth = min(sz, z - plane);
    for (let row: u32 = 0; row < y; row += sy) {
      const height = min(sy, y - row);
      const a = at + plane * planeStride + row * rowStride;
      const isWhole = sx === 2 && height === 2 && depth === 2;
      for (let near: u32 = 0; near < x; near += sx, to += sizeof<T>()) {
        const p = a + near * sizeof<T>();
        if (isWhole && near + 1 < x) {
          const v0 = at64<T>(p);
          const v1 = at64<T>(p + sizeof<T>());
          const v2 = at64<T>(p + rowStride);
          const v3 = at64<T>(p + rowStride + sizeof<T>());
          const v4 = at64<T>(p + planeStride);
          const v5 = at64<T>(p + planeStride + sizeof<T>());
          const v6 = at64<T>(p + planeStride + rowStride);
          const v7 = at64<T>(p + planeStride + rowStride + sizeof<T>());
          const low = abs(v0) + abs(v1) + abs(v2) + abs(v3);
          // The usual case: only if all are numbers is this below the largest one.
          if (low + abs(v4) + abs(v5) + abs(v6) + abs(v7) < largest) {
            store<T>(to, <T>((v0 + v1 + v2 + v3 + v4 + v5 + v6 + v7) / 8));
            continue;
          }
        }
        storeMean<T>(p, rowStride, planeStride, min(sx, x - near), height, depth, to);
      }
    }
  }
}

function storeMean<T>(p: usize, rowStride: u32, planeStride: u32, width: u32, height: u32, depth: u32, to: usize): void {
  // The sum of negative zeros alone is one.
  let sum: f64 = -0.0;
  let found: f64 = 0;
  for (let z: u32 = 0; z < depth; z++) {
    for (let y: u32 = 0; y < height; y++) {
      for (let x: u32 = 0; x < width; x++) {
        const value = at64<T>(p + z * planeStride + y * rowStride + x * sizeof<T>());
        if (!(abs(value) < largest)) continue;
        sum += value;
        found++;
      }
    }
  }
  // A missing value is copied by its bits, because arithmetic may change the bits of a NaN.
  if (found > 0) store<T>(to, <T>(sum / found));
  else if (sizeof<T>() === 4) store<u32>(to, load<u32>(p));
  else store<u64>(to, load<u64>(p));
}

function at64<T>(p: usize): f64 {
  return <f64>load<T>(p);
}
