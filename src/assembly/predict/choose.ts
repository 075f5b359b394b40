// The encoder's choice of a predictor: SPEC.md, "The encoder's choice".
import { allButFirst, firstLanes, sub, toSymbols } from '../common/lanes';
import { elementAt, groupDepth, groupSide, rowBytes, sliceBytes } from './brick';
import { expectedCost } from './classes';
import { medianPredictor, residuals } from './residuals';

/** A block's cost under each predictor. */
const costs: usize = memory.data(4 * 9, 16);
/** For each predictor: sums of the symbols in each word of a vector. */
const sums: usize = memory.data(16 * 9, 16);

/**
 * The predictor with the least expected cost; the lowest on a tie.
 * @param block address of the block's first element; its extents follow
 * @param candidates predictors 0 to 7, or 8
 */
export function choosePredictor<T>(block: usize, width: u32, height: u32, depth: u32, candidates: u32): u32 {
  const lanes: u32 = 16 / sizeof<T>();
  memory.fill(costs, 0, 4 * 9);
  for (let z: u32 = 0; z < depth; z += groupDepth) {
    for (let y: u32 = 0; y < height; y += groupSide) {
      const endZ = min(z + groupDepth, depth);
      const endY = min(y + groupSide, height);
      for (let x: u32 = 0; x < width; x += lanes) {
        sumGroups<T>(block, x, y, endY, z, endZ, width);
        if (candidates > medianPredictor) sumMedians<T>(block, x, y, endY, z, endZ, width);
        addCosts<T>(min(lanes, width - x), (endY - y) * (endZ - z), candidates);
      }
    }
  }
  let best: u32 = 0;
  for (let predictor: u32 = 1; predictor < candidates; predictor++) {
    if (load<u32>(costs + 4 * predictor) < load<u32>(costs + 4 * best)) best = predictor;
  }
  return best;
}

/** Adds the costs of the groups whose sums are in `sums`. @param columns of their rows, `rows` of each group */
function addCosts<T>(columns: u32, rows: u32, candidates: u32): void {
  const groupWords: u32 = (groupSide * sizeof<T>()) >> 2;
  for (let predictor: u32 = 0; predictor < candidates; predictor++) {
    let word = sums + 16 * predictor;
    let cost = load<u32>(costs + 4 * predictor);
    for (let x: u32 = 0; x < columns; x += groupSide) {
      let sum = load<u32>(word);
      for (let i: u32 = 1; i < groupWords; i++) sum += load<u32>(word + 4 * i);
      cost += expectedCost<T>(sum, min(groupSide, columns - x) * rows);
      word += 4 * groupWords;
    }
    store<u32>(costs + 4 * predictor, cost);
  }
}

/** Sums symbols: u8 in 2-byte lanes, because at most 32 rows are added; u16 in words. */
function addSymbols<T>(sum: v128, residuals: v128, present: v128): v128 {
  const symbols = v128.and(toSymbols<T>(residuals), present);
  if (sizeof<T>() === 1) return i16x8.add(sum, i16x8.extadd_pairwise_i8x16_u(symbols));
  return i32x4.add(sum, i32x4.extadd_pairwise_i16x8_u(symbols));
}

function storeSum<T>(predictor: u32, sum: v128): void {
  v128.store(sums + 16 * predictor, sizeof<T>() === 1 ? i32x4.extadd_pairwise_i16x8_u(sum) : sum);
}

/** The lanes of a block's vector that count. Its first element does not. */
function countedLanes<T>(x: u32, y: u32, z: u32, width: u32): v128 {
  const present = firstLanes<T>(width - x);
  return x + y + z === 0 ? v128.and(present, allButFirst<T>()) : present;
}

/** Sums symbols of a vector's columns over the rows of groups, under predictors 0 to 7, like `residuals` but with shared intermediate results. */
function sumGroups<T>(block: usize, x: u32, fromY: u32, endY: u32, fromZ: u32, endZ: u32, width: u32): void {
  const zero = i32x4.splat(0);
  const hasLeft = x > 0 ? i32x4.splat(-1) : allButFirst<T>();
  let sum0 = zero;
  let sum1 = zero;
  let sum2 = zero;
  let sum3 = zero;
  let sum4 = zero;
  let sum5 = zero;
  let sum6 = zero;
  let sum7 = zero;
  for (let z = fromZ; z < endZ; z++) {
    for (let y = fromY; y < endY; y++) {
      const p = elementAt<T>(block, x, y, z);
      const present = countedLanes<T>(x, y, z, width);
      const above = p - rowBytes<T>();
      const behind = p - sliceBytes<T>();
      const aboveBehind = behind - rowBytes<T>();
      const value = v128.load(p);
      const a = v128.load(p - sizeof<T>());
      const b = y > 0 ? v128.load(above) : zero;
      const c = z > 0 ? v128.load(behind) : zero;
      const toLeft = sub<T>(value, v128.bitselect(a, y > 0 ? b : c, hasLeft));
      const toAbove = sub<T>(value, b);
      const toBehind = sub<T>(value, c);
      let leftAbove = zero;
      let leftBehind = zero;
      let leftAboveBehind = zero;
      let aboveOfBehind = c;
      if (y > 0) leftAbove = sub<T>(b, v128.and(v128.load(above - sizeof<T>()), hasLeft));
      if (z > 0) leftBehind = sub<T>(c, v128.and(v128.load(behind - sizeof<T>()), hasLeft));
      if (y > 0 && z > 0) {
        const bc = v128.load(aboveBehind);
        leftAboveBehind = sub<T>(bc, v128.and(v128.load(aboveBehind - sizeof<T>()), hasLeft));
        aboveOfBehind = sub<T>(c, bc);
      }
      // Differences to the left, where neighbours outside the block are 0.
      const plain = sub<T>(value, v128.and(a, hasLeft));
      const flat = sub<T>(plain, leftAbove);
      sum0 = addSymbols<T>(sum0, value, present);
      sum1 = addSymbols<T>(sum1, toLeft, present);
      sum2 = addSymbols<T>(sum2, y > 0 ? toAbove : toLeft, present);
      sum3 = addSymbols<T>(sum3, z > 0 ? toBehind : toLeft, present);
      sum4 = addSymbols<T>(sum4, y > 0 ? flat : toLeft, present);
      sum5 = addSymbols<T>(sum5, sub<T>(flat, sub<T>(leftBehind, leftAboveBehind)), present);
      sum6 = addSymbols<T>(sum6, z > 0 ? sub<T>(plain, leftBehind) : toLeft, present);
      sum7 = addSymbols<T>(sum7, y + z > 0 ? sub<T>(toAbove, aboveOfBehind) : toLeft, present);
    }
  }
  storeSum<T>(0, sum0);
  storeSum<T>(1, sum1);
  storeSum<T>(2, sum2);
  storeSum<T>(3, sum3);
  storeSum<T>(4, sum4);
  storeSum<T>(5, sum5);
  storeSum<T>(6, sum6);
  storeSum<T>(7, sum7);
}

function sumMedians<T>(block: usize, x: u32, fromY: u32, endY: u32, fromZ: u32, endZ: u32, width: u32): void {
  const hasLeft = x > 0 ? i32x4.splat(-1) : allButFirst<T>();
  let sum = i32x4.splat(0);
  for (let z = fromZ; z < endZ; z++) {
    for (let y = fromY; y < endY; y++) {
      const own = residuals<T>(medianPredictor, elementAt<T>(block, x, y, z), hasLeft, y > 0, z > 0);
      sum = addSymbols<T>(sum, own, countedLanes<T>(x, y, z, width));
    }
  }
  storeSum<T>(medianPredictor, sum);
}
