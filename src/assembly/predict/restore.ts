// Converts symbols to elements in place, with the running sums of SPEC.md, 'Predictors'.
import { add, allButFirst, splat, sub, toResiduals } from '../common/lanes';
import { depth, elementAt, rowBytes, sliceBytes } from './brick';
import { medianOf } from './median';

/** @param block address of its first symbol; `columns`, `rows` its extents. Contents after its columns may be overwritten. */
export function restore<T>(block: usize, predictor: u32, base: u32, columns: u32, rows: u32): void {
  store<T>(block, 0);
  for (let z: u32 = 0; z < depth; z++) {
    for (let y: u32 = 0; y < rows; y++) restoreRow<T>(elementAt<T>(block, 0, y, z), y > 0, z > 0, predictor, base, columns);
  }
}

function restoreRow<T>(row: usize, hasAbove: bool, hasBehind: bool, predictor: u32, base: u32, columns: u32): void {
  const lanes: u32 = 16 / sizeof<T>();
  const zero = i32x4.splat(0);
  /** The carry of the sum along x from one vector to the next. */
  let carry = zero;
  for (let x: u32 = 0; x < columns; x += lanes) {
    const p = row + x * sizeof<T>();
    const b = hasAbove ? v128.load(p - rowBytes<T>()) : zero;
    const c = hasBehind ? v128.load(p - sliceBytes<T>()) : zero;
    const isFirst = x === 0 ? v128.not(allButFirst<T>()) : zero;
    /** Added after the sum along x. */
    let ahead = zero;
    let along = true;
    let r = toResiduals<T>(v128.load(p));
    if (predictor === 0) along = false;
    else if (!hasAbove && !hasBehind) r = add<T>(r, v128.and(splat<T>(base), isFirst));
    else if (predictor === 1) r = add<T>(r, v128.and(hasAbove ? b : c, isFirst));
    else if (predictor === 2 || predictor === 3) {
      along = predictor === 2 ? !hasAbove : !hasBehind;
      const own = predictor === 2 ? b : c;
      r = add<T>(r, along ? v128.and(predictor === 2 ? c : b, isFirst) : own);
    } else if (predictor === 4) {
      if (hasAbove) ahead = b;
      else r = add<T>(r, v128.and(c, isFirst));
    } else if (predictor === 6) {
      if (hasBehind) ahead = c;
      else r = add<T>(r, v128.and(b, isFirst));
    } else {
      const bc = hasAbove && hasBehind ? v128.load(p - sliceBytes<T>() - rowBytes<T>()) : zero;
      ahead = sub<T>(add<T>(b, c), bc);
      along = predictor === 5;
    }
    if (along) {
      r = add<T>(sumsAlong<T>(r), carry);
      carry = lastOf<T>(r);
    }
    v128.store(p, add<T>(r, ahead));
  }
  // 'A decoder puts the base in its place before it sums.' Nothing is summed.
  if (predictor === 0 && !hasAbove && !hasBehind) store<T>(row, <T>base);
}

/** Running sums of a vector's lanes. */
function sumsAlong<T>(r: v128): v128 {
  const zero = i32x4.splat(0);
  if (sizeof<T>() === 1) r = i8x16.add(r, i8x16.shuffle(zero, r, 0, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30));
  r = add<T>(r, i8x16.shuffle(zero, r, 0, 1, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29));
  r = add<T>(r, i8x16.shuffle(zero, r, 0, 1, 2, 3, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27));
  return add<T>(r, i8x16.shuffle(zero, r, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23));
}

/** A vector's last lane in all lanes. */
function lastOf<T>(r: v128): v128 {
  return sizeof<T>() === 1
    ? i8x16.shuffle(r, r, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15)
    : i8x16.shuffle(r, r, 14, 15, 14, 15, 14, 15, 14, 15, 14, 15, 14, 15, 14, 15, 14, 15);
}

/** The same for the median, element by element. */
export function restoreMedians<T>(block: usize, base: u32, columns: u32, rows: u32): void {
  for (let z: u32 = 0; z < depth; z++) {
    for (let y: u32 = 0; y < rows; y++) {
      const row = elementAt<T>(block, 0, y, z);
      const above = row - rowBytes<T>();
      const behind = row - sliceBytes<T>();
      const aboveBehind = behind - rowBytes<T>();
      // 'neighbours outside the block count as 0'
      let a: u32 = 0;
      let ab: u32 = 0;
      let ac: u32 = 0;
      let abc: u32 = 0;
      for (let x: u32 = 0; x < columns; x++) {
        const at = x * sizeof<T>();
        const b: u32 = y > 0 ? load<T>(above + at) : 0;
        const c: u32 = z > 0 ? load<T>(behind + at) : 0;
        const bc: u32 = y > 0 && z > 0 ? load<T>(aboveBehind + at) : 0;
        const symbol: u32 = load<T>(row + at);
        const predicted = x + y + z === 0 ? base : medianOf(a, b, c, ab, ac, bc, abc);
        const element = <T>(((symbol >> 1) ^ -(symbol & 1)) + predicted);
        store<T>(row + at, element);
        a = element;
        ab = b;
        ac = c;
        abc = bc;
      }
    }
  }
}
