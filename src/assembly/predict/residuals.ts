// Residuals under each predictor, a vector of a row at a time: SPEC.md, 'Predictors'.
import { add, sub } from '../common/lanes';
import { rowBytes, sliceBytes } from './brick';
import { medians } from './median';

export const medianPredictor: u32 = 8;
/** Stored instead of a predictor if every element of the unit equals its block's base. */
export const flatMark: u32 = 15;

/**
 * Residuals of a vector of elements. The caller sets the residual of the block's first element to 0.
 * @param p address of the elements
 * @param hasLeft all ones in the lanes that are not a row's first element
 * @param hasAbove whether the block has a row above; `hasBehind` whether it has a slice behind
 */
export function residuals<T>(predictor: u32, p: usize, hasLeft: v128, hasAbove: bool, hasBehind: bool): v128 {
  const zero = i32x4.splat(0);
  const value = v128.load(p);
  if (predictor === 0) return value;
  const above = p - rowBytes<T>();
  const behind = p - sliceBytes<T>();
  const aboveBehind = behind - rowBytes<T>();
  const isEdge = !hasAbove || !hasBehind;
  // Neighbours outside the block are 0.
  const a = v128.and(v128.load(p - sizeof<T>()), hasLeft);
  const b = hasAbove ? v128.load(above) : zero;
  const c = hasBehind ? v128.load(behind) : zero;
  const bc = isEdge ? zero : v128.load(aboveBehind);
  /** The prediction of left, and at some edges of other predictors. */
  const left = v128.bitselect(a, hasAbove ? b : c, hasLeft);
  switch (predictor) {
    case 1:
      return sub<T>(value, left);
    case 2:
      return sub<T>(value, hasAbove ? b : left);
    case 3:
      return sub<T>(value, hasBehind ? c : left);
    case 7:
      return sub<T>(value, hasAbove || hasBehind ? sub<T>(add<T>(b, c), bc) : left);
  }
  const ab = hasAbove ? v128.and(v128.load(above - sizeof<T>()), hasLeft) : zero;
  if (predictor === 4) return sub<T>(value, hasAbove ? sub<T>(add<T>(a, b), ab) : left);
  const ac = hasBehind ? v128.and(v128.load(behind - sizeof<T>()), hasLeft) : zero;
  if (predictor === 6) return sub<T>(value, hasBehind ? sub<T>(add<T>(a, c), ac) : left);
  const abc = isEdge ? zero : v128.and(v128.load(aboveBehind - sizeof<T>()), hasLeft);
  if (predictor === medianPredictor) return sub<T>(value, medians<T>(a, b, c, ab, ac, bc, abc));
  return sub<T>(sub<T>(sub<T>(value, a), sub<T>(b, ab)), sub<T>(sub<T>(c, ac), sub<T>(bc, abc)));
}
