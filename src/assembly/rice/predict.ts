// Residuals under each predictor, a vector of a row at a time: SPEC.md, 'Predictors'.

import { add, half, sub } from '../common/lanes';
import { lanesWithLeft, rowOf, sliceOf } from './brick';

export const level: u32 = 0;
/** Predictors 0 to 7 are those of a volume without bit 4 of its form. */
export const predictors: u32 = 8;

/**
 * Residuals of a vector of elements. The caller sets the residual of the block's first element to 0.
 * @param p address of the elements in the brick's plane; 2 bytes before the plane must be readable
 * @param x, y, z place of the first element in the brick
 * @param base subtracted from elements to get the residuals of level
 */
export function residuals<T>(predictor: u32, p: usize, x: u32, y: u32, z: u32, base: v128): v128 {
  const v = v128.load(p);
  if (predictor === level) return sub<T>(v, base);
  const zero = i32x4.splat(0);
  const hasLeft = lanesWithLeft<T>(x);
  const hasAbove = y > 0;
  const hasBehind = z > 0;
  const above = p - rowOf<T>();
  const behind = p - sliceOf<T>();
  // Neighbours that do not exist are 0.
  const a = v128.and(v128.load(p - sizeof<T>()), hasLeft);
  const b = hasAbove ? v128.load(above) : zero;
  const c = hasBehind ? v128.load(behind) : zero;
  switch (predictor) {
    case 1:
      return sub<T>(v, v128.bitselect(a, hasAbove ? b : c, hasLeft));
    case 2:
      return sub<T>(v, hasAbove ? b : v128.bitselect(a, c, hasLeft));
    case 3:
      return sub<T>(v, hasBehind ? c : v128.bitselect(a, b, hasLeft));
  }
  const ab = hasAbove ? v128.and(v128.load(above - sizeof<T>()), hasLeft) : zero;
  if (predictor === 4) {
    return sub<T>(v, hasAbove ? sub<T>(add<T>(a, b), ab) : v128.bitselect(a, c, hasLeft));
  }
  const ac = hasBehind ? v128.and(v128.load(behind - sizeof<T>()), hasLeft) : zero;
  const bc = hasAbove && hasBehind ? v128.load(behind - rowOf<T>()) : zero;
  const abc = hasAbove && hasBehind ? v128.and(v128.load(behind - rowOf<T>() - sizeof<T>()), hasLeft) : zero;
  // Differences to the left of this row and those around it; then, for soft up, differences upwards.
  if (predictor === 5) {
    return sub<T>(sub<T>(sub<T>(v, a), sub<T>(b, ab)), sub<T>(sub<T>(c, ac), sub<T>(bc, abc)));
  }
  const isSoft = predictor === 6;
  const second = isSoft ? sub<T>(b, ab) : sub<T>(a, ab);
  const secondBehind = isSoft ? sub<T>(bc, abc) : sub<T>(ac, abc);
  const here = sub<T>(sub<T>(v, isSoft ? a : b), carried<T>(second, isSoft, hasAbove, hasLeft));
  const before = sub<T>(sub<T>(c, isSoft ? ac : bc), carried<T>(secondBehind, isSoft, hasAbove, hasLeft));
  return sub<T>(here, halfOrWhole<T>(before, hasAbove, hasLeft));
}

/** The part of the difference above (for soft up, to the left) that soft carries over: half, but all of it where the first sum has not begun. */
function carried<T>(difference: v128, isSoft: bool, hasAbove: bool, hasLeft: v128): v128 {
  if (isSoft) return v128.bitselect(half<T>(difference), difference, hasLeft);
  return hasAbove ? half<T>(difference) : difference;
}

/** Half of a difference behind, or the whole where neither of the later sums has begun. */
export function halfOrWhole<T>(difference: v128, hasAbove: bool, hasLeft: v128): v128 {
  return hasAbove ? half<T>(difference) : v128.bitselect(half<T>(difference), difference, hasLeft);
}
