// Estimates from a sample of rows how well prediction would compress a chunk. Gives the numbers of src/core/codec/survey.ts, which
// explains them. Lanes are elements of T: u8, or u16 for one half of wider elements.
import { allButFirst, firstLanes, half, sub, sumWords, toSymbols } from '../common/lanes';

/** Memory from this address on belongs to the caller. */
export const freeAt: usize = __heap_base;

const rowStep: u32 = 8;
const pieceElements: u32 = 16;
const predictors: u32 = 6;

/** Expected bits for each predictor. */
const costs: usize = memory.data(8 * 6, 16);
/** Symbol sums of one piece: for each predictor 4 partial sums. */
const sums: usize = memory.data(16 * 6, 16);

/**
 * Surveys a chunk.
 * @param from its first element; rows and planes are `rowStride` and `planeStride` bytes apart. 64 bytes before and after its voxels
 * must be readable
 * @param to receives 8 numbers of type f64: the expected bits for each predictor, then steps and spikes
 */
export function survey(
  from: usize,
  rowStride: u32,
  planeStride: u32,
  x: u32,
  y: u32,
  z: u32,
  elementBytes: u32,
  to: usize,
): void {
  for (let i: u32 = 0; i < predictors; i++) {
    store<u64>(costs + 8 * i, 0);
    v128.store(sums + 16 * i, i32x4.splat(0));
  }
  let steps: u64 = 0;
  let spikes: u64 = 0;
  for (let slice: u32 = 0; slice < z; slice++) {
    for (let block: u32 = 0; block < y; block += rowStep) {
      const row = min<u32>(block + ((4 + 5 * slice) & (rowStep - 1)), y - 1);
      const p = from + slice * planeStride + row * rowStride;
      const above = row > 0 ? rowStride : 0;
      const behind = slice > 0 ? planeStride : 0;
      if (elementBytes === 1) {
        addRow<u8>(p, x, 1, above, behind);
        countSteps<u8>(p, x);
      } else if (elementBytes === 2) {
        addRow<u16>(p, x, 2, above, behind);
        countSteps<u16>(p, x);
      } else {
        addRow<u16>(p, x, 4, above, behind);
        addRow<u16>(p + 2, x, 4, above, behind);
        countSteps<u32>(p, x);
      }
      steps += stepCount;
      spikes += spikeCount;
    }
  }
  for (let i: u32 = 0; i < predictors; i++) store<f64>(to + 8 * i, <f64>load<u64>(costs + 8 * i));
  store<f64>(to + 8 * predictors, <f64>steps);
  store<f64>(to + 8 * predictors, <f64>spikes, 8);
}

/**
 * Adds a row's expected bits to the costs. `sums` are zero before and after.
 * @param width of the row, in elements
 * @param step bytes from one element to the next
 * @param above bytes from the row above to this one, 0 if there is none; `behind` from the row behind
 */
function addRow<T>(row: usize, width: u32, step: u32, above: u32, behind: u32): void {
  const bits: u32 = 8 * sizeof<T>();
  const vectorLanes: u32 = 16 / sizeof<T>();
  const none = i32x4.splat(0);
  for (let x: u32 = 0; x < width; x += pieceElements) {
    const count = min(pieceElements, width - x);
    let isFlat = true;
    for (let first: u32 = 0; first < count; first += vectorLanes) {
      const p = row + (x + first) * step;
      // The lanes that are not a row's first element, and those within the row.
      const hasLeft = x + first > 0 ? i32x4.splat(-1) : allButFirst<T>();
      const present = firstLanes<T>(count - first);
      const value = lanesAt<T>(p, step);
      const valueAbove = lanesAt<T>(p - above, step);
      const valueBehind = lanesAt<T>(p - behind, step);
      const valueAboveBehind = lanesAt<T>(p - above - behind, step);
      // Differences along x. A row's first element has the element above for a left neighbour, or else the one behind, or else itself.
      const left = sub<T>(value, v128.bitselect(lanesAt<T>(p - step, step), above > 0 ? valueAbove : valueBehind, hasLeft));
      const leftBehind = sub<T>(valueBehind, v128.bitselect(lanesAt<T>(p - behind - step, step), valueAboveBehind, hasLeft));
      let leftAbove = none;
      let leftAboveBehind = none;
      if (above > 0) {
        leftAbove = v128.and(sub<T>(valueAbove, lanesAt<T>(p - above - step, step)), hasLeft);
        leftAboveBehind = v128.and(sub<T>(valueAboveBehind, lanesAt<T>(p - above - behind - step, step)), hasLeft);
      }
      const up = above > 0 ? sub<T>(value, valueAbove) : left;
      const back = behind > 0 ? sub<T>(value, valueBehind) : left;
      const here = v128.or(v128.or(left, up), v128.or(back, leftAbove));
      // Where all neighbours are equal, as in background, all symbols are 0 and cost nothing.
      if (!v128.any_true(v128.and(v128.or(here, v128.or(leftBehind, leftAboveBehind)), present))) continue;
      isFlat = false;
      const flat = sub<T>(left, leftAbove);
      const flatBehind = sub<T>(leftBehind, leftAboveBehind);
      const soft = sub<T>(left, half<T>(leftAbove));
      const softBehind = sub<T>(leftBehind, half<T>(leftAboveBehind));
      addSymbols<T>(0, left, present);
      addSymbols<T>(1, up, present);
      addSymbols<T>(2, back, present);
      addSymbols<T>(3, flat, present);
      addSymbols<T>(4, behind > 0 ? sub<T>(flat, flatBehind) : flat, present);
      addSymbols<T>(5, behind > 0 ? sub<T>(soft, half<T>(softBehind)) : soft, present);
    }
    if (isFlat) continue;
    for (let i: u32 = 0; i < predictors; i++) {
      const at = sums + 16 * i;
      const sum = load<u32>(at) + load<u32>(at, 4) + load<u32>(at, 8) + load<u32>(at, 12);
      store<u64>(costs + 8 * i, load<u64>(costs + 8 * i) + expectedCost(sum, count, bits));
      v128.store(at, none);
    }
  }
}

function addSymbols<T>(predictor: u32, residuals: v128, present: v128): void {
  const at = sums + 16 * predictor;
  v128.store(at, i32x4.add(v128.load(at), sumWords<T>(v128.and(toSymbols<T>(residuals), present))));
}

/** A vector of elements, or of halves of elements if those are wider than a lane. */
function lanesAt<T>(p: usize, step: u32): v128 {
  const lanes = v128.load(p);
  if (step === sizeof<T>()) return lanes;
  return i8x16.shuffle(lanes, v128.load(p, 16), 0, 1, 4, 5, 8, 9, 12, 13, 16, 17, 20, 21, 24, 25, 28, 29);
}

/** Expected bits of the Rice codes of `count` symbols. Twin: `expectedCost` in src/core/codec/survey.ts. */
function expectedCost(symbolSum: u32, count: u32, bits: u32): u32 {
  if (symbolSum === 0) return 0;
  // Division by a constant is cheaper, and nearly all pieces are whole.
  const mean = count === pieceElements ? symbolSum / 24 : (2 * symbolSum) / (3 * count);
  const k = min<u32>(32 - clz(mean), bits === 8 ? 6 : 13);
  return min(count * (k + 1) + (symbolSum >> k), count * bits);
}

/** Results of `countSteps`. */
let stepCount: u32 = 0;
let spikeCount: u32 = 0;

/** Counts the elements of a row that differ from the previous one, and those among them whose previous one does, too. */
function countSteps<E>(row: usize, width: u32): void {
  const vectorLanes: u32 = 16 / sizeof<E>();
  stepCount = 0;
  spikeCount = 0;
  /** Whether the last element before the vector is a step. */
  let before: u32 = 0;
  for (let x: u32 = 0; x < width; x += vectorLanes) {
    const p = row + x * sizeof<E>();
    let steps = <u32>differs<E>(v128.load(p), v128.load(p - sizeof<E>()));
    if (x === 0) steps &= ~1;
    if (width - x < vectorLanes) steps &= (1 << (width - x)) - 1;
    stepCount += popcnt(steps);
    spikeCount += popcnt(steps & ((steps << 1) | before));
    before = steps >> (vectorLanes - 1);
  }
}

/** A bit for each lane in which the vectors differ. */
function differs<E>(a: v128, b: v128): i32 {
  if (sizeof<E>() === 1) return i8x16.bitmask(i8x16.ne(a, b));
  return sizeof<E>() === 2 ? i16x8.bitmask(i16x8.ne(a, b)) : i32x4.bitmask(i32x4.ne(a, b));
}
