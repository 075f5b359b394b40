// Converts residuals to elements, by the running sums of SPEC.md, 'Predictors'.

import { add, half, splat, toResiduals } from '../common/lanes';
import { blockHeight, blockSide, blockWidth, depth, lanesWithLeft, rowOf, sliceOf, vector } from './brick';
import { halfOrWhole, level } from './predict';

/** The row above: its differences to the left (for soft up, upwards). */
const above: usize = memory.data(64, 16);
/** For each row of the slice behind: the terms of the sum along z. */
const behind: usize = memory.data(64 * 32, 16);

/** Converts a block's symbols to elements in place. */
export function restore<T>(block: usize, predictor: u32, base: u32): void {
  memory.fill(behind, 0, blockSide * blockSide * sizeof<T>());
  for (let z: u32 = 0; z < depth; z++) {
    memory.fill(above, 0, 64);
    for (let y: u32 = 0; y < blockHeight; y++) {
      restoreRow<T>(block + z * sliceOf<T>() + y * rowOf<T>(), y, z, predictor, base);
    }
  }
}

function restoreRow<T>(row: usize, y: u32, z: u32, predictor: u32, base: u32): void {
  const zero = i32x4.splat(0);
  /** The carry of a sum along x from one vector of the row to the next. */
  let carry: u32 = 0;
  for (let x: u32 = 0; x < blockWidth; x += vector / sizeof<T>()) {
    const p = row + x * sizeof<T>();
    let r = toResiduals<T>(v128.load(p));
    if (predictor === level) {
      v128.store(p, add<T>(r, splat<T>(base)));
      continue;
    }
    const b = y > 0 ? v128.load(p - rowOf<T>()) : zero;
    const c = z > 0 ? v128.load(p - sliceOf<T>()) : zero;
    const hasLeft = lanesWithLeft<T>(x);
    // 'the base in place of the first residual'
    if (y + z === 0) r = add<T>(r, v128.andnot(splat<T>(base), hasLeft));
    const behindRow = behind + (y * blockSide + x) * sizeof<T>();
    const aboveRow = above + x * sizeof<T>();
    let along = true;
    switch (predictor) {
      case 1:
        r = add<T>(r, v128.andnot(y > 0 ? b : c, hasLeft));
        break;
      case 2:
        if (y > 0) {
          r = add<T>(r, b);
          along = false;
        } else r = add<T>(r, v128.andnot(c, hasLeft));
        break;
      case 3:
        if (z > 0) {
          r = add<T>(r, c);
          along = false;
        } else r = add<T>(r, v128.andnot(b, hasLeft));
        break;
      case 4:
        r = add<T>(r, y > 0 ? v128.load(aboveRow) : v128.andnot(c, hasLeft));
        // The row above the next one holds differences, the first of which is the element itself.
        if (y === 0) {
          v128.store(p, r);
          const sums = alongX<T>(r, carry);
          carry = lastOf<T>(sums);
          v128.store(aboveRow, v128.bitselect(r, sums, hasLeft));
          v128.store(p, sums);
          continue;
        }
        v128.store(aboveRow, r);
        break;
      case 5:
        r = add<T>(r, v128.load(behindRow));
        v128.store(behindRow, r);
        r = add<T>(r, v128.load(aboveRow));
        v128.store(aboveRow, r);
        break;
      case 6: {
        r = add<T>(r, halfOrWhole<T>(v128.load(behindRow), y > 0, hasLeft));
        v128.store(behindRow, r);
        const before = v128.load(aboveRow);
        r = add<T>(r, v128.bitselect(half<T>(before), before, hasLeft));
        v128.store(aboveRow, r);
        break;
      }
      default:
        r = add<T>(r, halfOrWhole<T>(v128.load(behindRow), y > 0, hasLeft));
        v128.store(behindRow, r);
        if (y > 0) {
          v128.store(p, r);
          carry = carryHalves<T>(p, carry);
          v128.store(p, add<T>(v128.load(p), b));
          along = false;
        }
    }
    if (along) {
      r = alongX<T>(r, carry);
      carry = lastOf<T>(r);
    }
    if (along || predictor < 4) v128.store(p, r);
  }
}

/** Running sums of a vector's lanes, from `carry` on. */
function alongX<T>(r: v128, carry: u32): v128 {
  const zero = i32x4.splat(0);
  if (sizeof<T>() === 1) r = i8x16.add(r, i8x16.shuffle(zero, r, 0, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30));
  r = add<T>(r, i8x16.shuffle(zero, r, 0, 1, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29));
  r = add<T>(r, i8x16.shuffle(zero, r, 0, 1, 2, 3, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27));
  r = add<T>(r, i8x16.shuffle(zero, r, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23));
  return add<T>(r, splat<T>(carry));
}

function lastOf<T>(r: v128): u32 {
  return sizeof<T>() === 1 ? i8x16.extract_lane_u(r, 15) : i16x8.extract_lane_u(r, 7);
}

/** Along x each element adds half of the one before it, as soft up does where y > 0. Returns the last one. */
function carryHalves<T>(p: usize, carry: u32): u32 {
  const unused: u32 = 32 - 8 * sizeof<T>();
  let before = <i32>carry;
  for (let at: u32 = 0; at < vector; at += sizeof<T>()) {
    const signed = (before << unused) >> unused;
    before = <i32>load<T>(p + at) + signed - (signed >> 1);
    store<T>(p + at, <T>before);
  }
  return <u32>before;
}
