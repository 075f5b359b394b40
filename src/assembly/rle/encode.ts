// Encoding: src/core/codecs/rle/SPEC.md. Searches for the starts of runs only where the analysis saw rows change.
import { getBits } from '../common/bits';
import { rowsChangingY, rowsChangingZ } from '../common/row-sets';
import { markAcrossRows, markAlongRows } from './mark';

/** Bytes past the end of each level that are read and written. */
const slack: u32 = 512;

/** As `encodeRle` in src/assembly/chunks. */
export function encodeRuns<T>(
  at: usize,
  rowStride: u32,
  planeStride: u32,
  width: u32,
  height: u32,
  depth: u32,
  sets: usize,
  axis: u32,
  to: usize,
  scratch: usize,
): u32 {
  const count = width * height * depth;
  const bytes0 = (count + 7) >> 3;
  const bytes1 = (bytes0 + 7) >> 3;
  const bytes2 = (bytes1 + 7) >> 3;
  const bytes3 = (bytes2 + 7) >> 3;
  // Levels 0, 1 and 2, then the bytes of each that are not 0.
  const level0 = scratch;
  const level1 = level0 + bytes0 + slack;
  const level2 = level1 + bytes1 + slack;
  const stored0 = level2 + bytes2 + slack;
  const stored1 = stored0 + bytes0;
  const stored2 = stored1 + bytes1;
  memory.fill(level0, 0, stored0 - level0);
  if (axis === 0) {
    markAlongRows<T>(at, rowStride, planeStride, width, height, depth, sets, level0);
  } else if (axis === 1) {
    markAcrossRows<T>(at, width, height, rowStride, depth, planeStride, rowsChangingY(sets, height, depth), level0);
  } else {
    markAcrossRows<T>(at, width, depth, planeStride, height, rowStride, rowsChangingZ(sets, height, depth), level0);
  }

  const length0 = pack(level0, bytes0, level1, stored0);
  const length1 = pack(level1, bytes1, level2, stored1);
  const length2 = pack(level2, bytes2, to, stored2);
  let end = to + bytes3;
  memory.copy(end, stored2, length2);
  end += length2;
  memory.copy(end, stored1, length1);
  end += length1;
  memory.copy(end, stored0, length0);
  end += length0;
  if (axis === 0) end = takeValues<T>(level0, at, width, sizeof<T>(), height, rowStride, depth, planeStride, end);
  else if (axis === 1) end = takeValues<T>(level0, at, height, rowStride, width, sizeof<T>(), depth, planeStride, end);
  else end = takeValues<T>(level0, at, depth, planeStride, width, sizeof<T>(), height, rowStride, end);
  return <u32>(end - to);
}

/**
 * Writes the nonzero bytes of a level, and a bit for each byte that flags the nonzero ones.
 * @param bits 2 bytes are written for each 16 of the level
 * @returns the number of nonzero bytes
 */
function pack(level: usize, length: u32, bits: usize, to: usize): u32 {
  const end = level + length;
  let next = to;
  for (let p = level; p < end; p += 16, bits += 2) {
    const mask = i8x16.bitmask(i8x16.ne(v128.load(p), i32x4.splat(0)));
    store<u16>(bits, <u16>mask);
    for (let left = mask; left !== 0; left &= left - 1) store<u8>(next++, load<u8>(p + ctz(left)));
  }
  return <u32>(next - to);
}

/**
 * Writes the value of each run. Columns have `length` elements, `step` bytes apart; there are `inners` of them, `innerStep` bytes
 * apart, in each of `outers` groups, `outerStep` bytes apart.
 * @returns the end of the output
 */
function takeValues<T>(
  level0: usize,
  at: usize,
  length: u32,
  step: u32,
  inners: u32,
  innerStep: u32,
  outers: u32,
  outerStep: u32,
  to: usize,
): usize {
  let index: u32 = 0;
  for (let outer: u32 = 0; outer < outers; outer++) {
    let column = at + outer * outerStep;
    for (let inner: u32 = 0; inner < inners; inner++, column += innerStep) {
      for (let first: u32 = 0; first < length; first += 64) {
        const count = min<u32>(64, length - first);
        const elements = column + first * step;
        let starts = length === 64 ? load<u64>(level0 + (index >> 3)) : getBits(level0, index, count);
        for (; starts !== 0; starts &= starts - 1, to += sizeof<T>()) {
          store<T>(to, load<T>(elements + <u32>ctz(starts) * step));
        }
        index += count;
      }
    }
  }
  return to;
}
