import { nonZeroRows, setWords } from '../common/row-sets';
import { halve } from '../halve/index';

/**
 * `halve` for adjacent chunks along x, without looking at chunks of one value or at rows of zeros. All widths but the last are even if x
 * is halved.
 * @param voxelBytes of the type
 * @param count of the chunks
 * @param widths of each chunk in voxels, then whether all its voxels have one value: 4 bytes each
 * @param sets of the first chunk's rows (rows.ts); those of the others follow, `setsStride` bytes apart
 */
export function halveChunks(
  type: u32,
  isMode: bool,
  at: usize,
  rowStride: u32,
  planeStride: u32,
  y: u32,
  z: u32,
  sx: u32,
  sy: u32,
  sz: u32,
  voxelBytes: u32,
  count: u32,
  widths: usize,
  sets: usize,
  setsStride: u32,
  to: usize,
): void {
  const words = setWords(y);
  for (let plane: u32 = 0; plane < z; plane += sz) {
    const depth = min(sz, z - plane);
    for (let row: u32 = 0; row < y; row += sy) {
      const height = min(sy, y - row);
      let p = at + plane * planeStride + row * rowStride;
      // Neighbours that must be looked at are halved together.
      let first = p;
      let together: u32 = 0;
      for (let chunk: u32 = 0; chunk < count; chunk++) {
        const width = load<u32>(widths + 8 * chunk);
        const isConstant = load<u32>(widths + 8 * chunk, 4) !== 0;
        const bytes = width * voxelBytes;
        if (isConstant || areZero(nonZeroRows(sets + chunk * setsStride), words, plane, depth, row, height)) {
          if (together > 0) {
            halve(type, isMode, first, rowStride, planeStride, together, height, depth, sx, sy, sz, to);
            to += (together / sx) * voxelBytes;
            together = 0;
          }
          const halved = ((width + sx - 1) / sx) * voxelBytes;
          if (isConstant) repeat(p, voxelBytes, to, halved);
          else memory.fill(to, 0, halved);
          to += halved;
          first = p + bytes;
        } else together += width;
        p += bytes;
      }
      if (together === 0) continue;
      halve(type, isMode, first, rowStride, planeStride, together, height, depth, sx, sy, sz, to);
      to += ((together + sx - 1) / sx) * voxelBytes;
    }
  }
}

/** Whether one or two rows of one or two planes are zero. Two rows begin at an even one. */
function areZero(nonZero: usize, words: u32, plane: u32, depth: u32, row: u32, height: u32): bool {
  const line = nonZero + 8 * (plane * words + (row >> 6));
  const word = load<u64>(line) | (depth > 1 ? load<u64>(line + 8 * words) : 0);
  return ((word >> (row & 63)) & (height > 1 ? 3 : 1)) === 0;
}

/** Repeats a voxel over some bytes. */
function repeat(voxel: usize, voxelBytes: u32, to: usize, bytes: u32): void {
  if (voxelBytes === 1) {
    memory.fill(to, load<u8>(voxel), bytes);
    return;
  }
  for (let at: u32 = 0; at < bytes; at += voxelBytes) memory.copy(to + at, voxel, voxelBytes);
}
