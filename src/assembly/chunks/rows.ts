import { firstLanes } from '../common/lanes';

/** Writes a word for each 64 rows that flags the nonzero ones. 16 bytes past a row must be readable. */
export function findNonZero(row: usize, stride: u32, rowBytes: u32, rows: u32, to: usize): void {
  const short = rowBytes < 16;
  const present = firstLanes<u8>(rowBytes);
  for (let first: u32 = 0; first < rows; first += 64, to += 8) {
    let word: u64 = 0;
    const count = min<u32>(64, rows - first);
    for (let bit: u32 = 0; bit < count; bit++, row += stride) {
      let any: v128;
      if (short) any = v128.and(v128.load(row), present);
      else {
        // The last vector may overlap the previous one.
        const last = row + rowBytes - 16;
        any = v128.load(last);
        for (let p = row; p < last; p += 16) any = v128.or(any, v128.load(p));
      }
      word |= (<u64>v128.any_true(any)) << bit;
    }
    store<u64>(to, word);
  }
}

/** Copies a chunk's rows so that they are contiguous. Also overwrites 16 bytes past the end. */
export function copyRows(at: usize, rowStride: u32, planeStride: u32, rowBytes: u32, height: u32, depth: u32, to: usize): void {
  for (let z: u32 = 0; z < depth; z++) {
    let row = at + z * planeStride;
    for (let y: u32 = 0; y < height; y++, row += rowStride, to += rowBytes) {
      for (let x: u32 = 0; x < rowBytes; x += 16) v128.store(to + x, v128.load(row + x));
    }
  }
}

/** Copies contiguous rows to rows and planes that are `rowStride` and `planeStride` bytes apart, and writes nothing beside them. */
export function placeRows(
  from: usize,
  rowBytes: u32,
  height: u32,
  depth: u32,
  to: usize,
  rowStride: u32,
  planeStride: u32,
): void {
  for (let z: u32 = 0; z < depth; z++) {
    let row = to + z * planeStride;
    for (let y: u32 = 0; y < height; y++, row += rowStride, from += rowBytes) {
      if (rowBytes < 16) {
        for (let x: u32 = 0; x < rowBytes; x++) store<u8>(row + x, load<u8>(from + x));
        continue;
      }
      // The last vector may overlap the previous one.
      const last = rowBytes - 16;
      for (let x: u32 = 0; x < last; x += 16) v128.store(row + x, v128.load(from + x));
      v128.store(row + last, v128.load(from + last));
    }
  }
}
