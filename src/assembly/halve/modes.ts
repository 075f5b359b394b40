/** The up to eight voxels that become one. */
const near: usize = memory.data(8 * 4, 16);

/** The most frequent voxels; among equally frequent ones the first, in the order x, y, z. */
export function halveModes<T>(
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
    const behind = (depth - 1) * planeStride;
    for (let row: u32 = 0; row < y; row += sy) {
      const height = min(sy, y - row);
      const below = (height - 1) * rowStride;
      let p = at + plane * planeStride + row * rowStride;
      for (let left = x; left > 0; left -= min(sx, left), p += sx * sizeof<T>(), to += sizeof<T>()) {
        const width = min(sx, left);
        const next = (width - 1) * sizeof<T>();
        const first = load<T>(p);
        // Most voxels of a segmentation are alike.
        const isUniform =
          isPair<T>(p, next, first) &&
          isPair<T>(p + below, next, first) &&
          isPair<T>(p + behind, next, first) &&
          isPair<T>(p + behind + below, next, first);
        store<T>(to, isUniform ? first : mostFrequent<T>(p, rowStride, planeStride, width, height, depth));
      }
    }
  }
}

function isPair<T>(p: usize, next: u32, value: T): bool {
  return load<T>(p) === value && load<T>(p + next) === value;
}

function mostFrequent<T>(p: usize, rowStride: u32, planeStride: u32, width: u32, height: u32, depth: u32): T {
  let found: u32 = 0;
  for (let z: u32 = 0; z < depth; z++) {
    for (let y: u32 = 0; y < height; y++) {
      for (let x: u32 = 0; x < width; x++) {
        store<T>(near + found++ * sizeof<T>(), load<T>(p + z * planeStride + y * rowStride + x * sizeof<T>()));
      }
    }
  }
  let best = load<T>(near);
  let bestCount: u32 = 0;
  for (let one: u32 = 0; one + bestCount < found; one++) {
    const value = load<T>(near + one * sizeof<T>());
    let count: u32 = 0;
    for (let other = one; other < found; other++) if (load<T>(near + other * sizeof<T>()) === value) count++;
    if (count > bestCount) {
      best = value;
      bestCount = count;
    }
  }
  return best;
}
