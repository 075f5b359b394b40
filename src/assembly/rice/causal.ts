// Predictors 8 to 15, median and linear: SPEC.md, 'Predictors' and 'Linear'. A block's elements are numbers of 4 bytes here, four in a
// vector. Values are elements of u8; for u16, signed differences to the block's first element.
import { firstLanes } from '../common/lanes';
import { blockHeight, blockSide, blockWidth, depth, isPicture, rowOf, sliceOf } from './brick';

export const medianPredictor: u32 = 8;
export const causalPredictors: u32 = 8;

/** Bytes before the values that may be read although they hold no values. */
const margin: i32 = 4096;
const values: usize = memory.data(margin + 4 * 4096 + 64, 16) + margin;

/** Neighbours of the linear predictors: their distances along x, y and z. */
const volumeSteps: usize = memory.data<u8>([
  1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 0, 1, 0, 1, 0, 1, 1, 1, 1, 1, 2, 0, 0, 0, 2, 0, 0, 0, 2,
]);
const pictureSteps: usize = memory.data<u8>([1, 0, 0, 0, 1, 0, 1, 1, 0, 2, 0, 0, 0, 2, 0, 2, 1, 0, 1, 2, 0, 3, 0, 0, 0, 3, 0]);
/** Their weights, for predictors 9 to 15; those of pictures end with a 0. */
const volumeWeights: usize = memory.data<i16>([
  2, 2, 2, 2, 1, 1, 1, 2, 2, 1, 11, 10, 7, -4, -2, -2, 0, -2, -1, -1, 4, 9, 6, 2, 1, 1, -4, -1, -1, -1, 10, 12, 4, -3, -2, -1, 0,
  -2, -2, 0, 6, 9, 11, -1, -1, -1, -2, -1, -2, -2, 10, 8, 11, -2, -3, -2, -1, -2, -1, -2, 5, 13, 6, 1, 2, -1, -5, -1, -3, -1,
]);
const pictureWeights: usize = memory.data<i16>([
  10, 10, -5, -3, -2, 1, 1, 2, 2, 0, 15, 13, -9, -7, -6, 2, 3, 3, 2, 0, 21, 15, -12, -10, -6, 2, 3, 2, 1, 0, 3, 3, 2, 2, 2, 1, 1,
  1, 1, 0, 13, 13, -3, -2, -2, -2, -1, 0, 0, 0, 10, 9, -2, -1, -1, 0, 0, 1, 0, 0, 16, 18, -12, -7, -8, 2, 3, 2, 2, 0,
]);
const maxNeighbours: u32 = 10;

/** Bytes from each neighbour to an element, for elements 0, 1, 2, and 3 or more after a row's first. */
const offsets: usize = memory.data(4 * 4 * 10, 16);
/** The neighbours of four elements, in pairs: the lower half of each word is the first of a pair. */
const neighbours: usize = memory.data(16 * 5, 16);

function neighbourCount(): u32 {
  return isPicture ? 9 : 10;
}

function valueAt(x: u32, y: u32, z: u32): usize {
  return values + 4 * ((z * blockSide + y) * blockSide + x);
}

/** Loads the current block's values. @param block address of its first element */
export function loadValues<T>(block: usize): void {
  const base: u32 = sizeof<T>() === 1 ? 0 : <u32>load<T>(block);
  for (let z: u32 = 0; z < depth; z++) {
    for (let y: u32 = 0; y < blockHeight; y++) {
      const row = block + z * sliceOf<T>() + y * rowOf<T>();
      const to = valueAt(0, y, z);
      for (let x: u32 = 0; x < blockWidth; x++) store<i32>(to + 4 * x, toValue<T>(<u32>load<T>(row + x * sizeof<T>()) - base));
    }
  }
}

function toValue<T>(difference: u32): i32 {
  return sizeof<T>() === 1 ? <i32>(difference & 0xff) : <i32>(<i16>difference);
}

/** Sets `offsets` for a row. 'A neighbour outside the block is replaced by the nearest element inside it' */
function setOffsets(y: u32, z: u32): void {
  const steps = isPicture ? pictureSteps : volumeSteps;
  const slice = blockSide * blockSide;
  for (let x: u32 = 0; x < 4; x++) {
    // 'If that is the element itself, it is a; where x = 0, b; where x = y = 0, c.'
    const nearest: u32 = x > 0 ? 1 : y > 0 ? blockSide : slice;
    for (let i: u32 = 0; i < neighbourCount(); i++) {
      const step = steps + 3 * i;
      const back =
        min<u32>(load<u8>(step), x) + min<u32>(load<u8>(step, 1), y) * blockSide + min<u32>(load<u8>(step, 2), z) * slice;
      store<u32>(offsets + 4 * (x * maxNeighbours + i), 4 * (back > 0 ? back : nearest));
    }
  }
}

/** Sets `neighbours` for the four elements from x on. @param p address of their values */
function loadNeighbours(p: usize, x: u32): void {
  for (let i: u32 = 0; i < maxNeighbours; i += 2) {
    const first = neighbour(p, x, i);
    const second = i + 1 < neighbourCount() ? neighbour(p, x, i + 1) : i32x4.splat(0);
    v128.store(neighbours + 8 * i, v128.or(v128.and(first, i32x4.splat(0xffff)), i32x4.shl(second, 16)));
  }
}

function neighbour(p: usize, x: u32, number: u32): v128 {
  const offset = offsets + 4 * number;
  if (x > 0) return v128.load(p - load<u32>(offset, 4 * 3 * 10));
  let lanes = v128.load32_splat(p - load<u32>(offset));
  lanes = i32x4.replace_lane(lanes, 1, load<i32>(p + 4 - load<u32>(offset, 4 * 10)));
  lanes = i32x4.replace_lane(lanes, 2, load<i32>(p + 8 - load<u32>(offset, 4 * 2 * 10)));
  return i32x4.replace_lane(lanes, 3, load<i32>(p + 12 - load<u32>(offset, 4 * 3 * 10)));
}

function weightsOf(predictor: u32): usize {
  return (isPicture ? pictureWeights : volumeWeights) + 2 * maxNeighbours * (predictor - medianPredictor - 1);
}

/** The range of elements, to which predictions are clamped. */
function least<T>(): i32 {
  return sizeof<T>() === 1 ? 0 : -0x8000;
}

function most<T>(): i32 {
  return sizeof<T>() === 1 ? 0xff : 0x7fff;
}

/** 'The prediction is the sum of these neighbours times their weights, plus 8, divided by 16 and rounded down' */
function weigh<T>(predictor: u32): v128 {
  const weights = weightsOf(predictor);
  let sum = i32x4.splat(8);
  for (let pair: u32 = 0; pair < maxNeighbours / 2; pair++) {
    sum = i32x4.add(sum, i32x4.dot_i16x8_s(v128.load(neighbours + 16 * pair), v128.load32_splat(weights + 4 * pair)));
  }
  return clamp(i32x4.shr_s(sum, 4), i32x4.splat(least<T>()), i32x4.splat(most<T>()));
}

function clamp(value: v128, least: v128, most: v128): v128 {
  return i32x4.max_s(least, i32x4.min_s(value, most));
}

/** The median's predictions for the four elements at `p`. */
function medians(p: usize, x: u32, y: u32, z: u32): v128 {
  const zero = i32x4.splat(0);
  const row = 4 * blockSide;
  const slice = row * blockSide;
  const a = v128.load(p - 4);
  const b = y > 0 ? v128.load(p - row) : zero;
  const c = z > 0 ? v128.load(p - slice) : zero;
  const ab = i32x4.sub(i32x4.add(a, b), y > 0 ? v128.load(p - row - 4) : zero);
  const ac = i32x4.sub(i32x4.add(a, c), z > 0 ? v128.load(p - slice - 4) : zero);
  const bc = i32x4.sub(i32x4.add(b, c), y > 0 && z > 0 ? v128.load(p - slice - row) : zero);
  const inside = medianOf(a, b, c, ab, ac, bc, true, y > 0, z > 0);
  if (x > 0) return inside;
  return v128.bitselect(inside, medianOf(zero, b, c, zero, zero, bc, false, y > 0, z > 0), i32x4(0, -1, -1, -1));
}

/** 'with two neighbours the one plane through them, clamped to theirs; with one, that one'. Neighbours that do not exist are 0. */
function medianOf(a: v128, b: v128, c: v128, ab: v128, ac: v128, bc: v128, hasA: bool, hasB: bool, hasC: bool): v128 {
  if (hasA && hasB && hasC) {
    const median = i32x4.max_s(i32x4.min_s(ab, ac), i32x4.min_s(i32x4.max_s(ab, ac), bc));
    return clamp(median, i32x4.min_s(i32x4.min_s(a, b), c), i32x4.max_s(i32x4.max_s(a, b), c));
  }
  if (hasA && hasB) return clamp(ab, i32x4.min_s(a, b), i32x4.max_s(a, b));
  if (hasA && hasC) return clamp(ac, i32x4.min_s(a, c), i32x4.max_s(a, c));
  if (hasB && hasC) return clamp(bc, i32x4.min_s(b, c), i32x4.max_s(b, c));
  return i32x4.add(i32x4.add(a, b), c);
}

/** Four symbols under a predictor: 0 for elements that do not exist and for the block's first one. `neighbours` must be set. */
function symbolsOf<T>(predictor: u32, p: usize, x: u32, y: u32, z: u32): v128 {
  const unused: i32 = 32 - 8 * sizeof<T>();
  const predictions = predictor === medianPredictor ? medians(p, x, y, z) : weigh<T>(predictor);
  const residuals = i32x4.shr_s(i32x4.shl(i32x4.sub(v128.load(p), predictions), unused), unused);
  const symbols = v128.xor(i32x4.shl(residuals, 1), i32x4.shr_s(residuals, 31));
  const present = firstLanes<u16>(2 * (blockWidth - x));
  return v128.and(symbols, x + y + z === 0 ? v128.and(present, i32x4(0, -1, -1, -1)) : present);
}

/**
 * Adds a row's symbols under predictors 8 to 15 to the sums of its parts: `addRow` in choose-predictor.ts.
 * @param to the sums under predictor 8; `stride` bytes from one predictor's sums to the next one's
 */
export function addCausalRow<T>(y: u32, z: u32, to: usize, stride: u32): void {
  setOffsets(y, z);
  for (let x: u32 = 0; x < blockWidth; x += 4) {
    const p = valueAt(x, y, z);
    loadNeighbours(p, x);
    for (let i: u32 = 0; i < causalPredictors; i++) {
      const symbols = symbolsOf<T>(medianPredictor + i, p, x, y, z);
      const front = i32x4.extract_lane(symbols, 0) + i32x4.extract_lane(symbols, 1);
      const back = i32x4.extract_lane(symbols, 2) + i32x4.extract_lane(symbols, 3);
      const at = to + i * stride + x * sizeof<T>();
      store<u32>(at, load<u32>(at) + front + back);
    }
  }
}

/** Writes the current block's symbols to `to`. */
export function predictCausal<T>(predictor: u32, to: usize): void {
  for (let z: u32 = 0; z < depth; z++) {
    for (let y: u32 = 0; y < blockHeight; y++) {
      setOffsets(y, z);
      for (let x: u32 = 0; x < blockWidth; x += 4) {
        const p = valueAt(x, y, z);
        if (predictor !== medianPredictor) loadNeighbours(p, x);
        const symbols = symbolsOf<T>(predictor, p, x, y, z);
        const at = to + z * sliceOf<T>() + y * rowOf<T>() + x * sizeof<T>();
        if (sizeof<T>() === 1) {
          const bytes = i8x16.shuffle(symbols, symbols, 0, 4, 8, 12, 0, 4, 8, 12, 0, 4, 8, 12, 0, 4, 8, 12);
          store<i32>(at, i32x4.extract_lane(bytes, 0));
        } else {
          const halves = i8x16.shuffle(symbols, symbols, 0, 1, 4, 5, 8, 9, 12, 13, 0, 1, 4, 5, 8, 9, 12, 13);
          store<i64>(at, i64x2.extract_lane(halves, 0));
        }
      }
    }
  }
}

/** Converts the current block's symbols to elements in place, one at a time. */
export function restoreCausal<T>(block: usize, predictor: u32, base: u32): void {
  const own: u32 = sizeof<T>() === 1 ? 0 : base;
  for (let z: u32 = 0; z < depth; z++) {
    for (let y: u32 = 0; y < blockHeight; y++) {
      setOffsets(y, z);
      const row = block + z * sliceOf<T>() + y * rowOf<T>();
      for (let x: u32 = 0; x < blockWidth; x++) {
        const p = valueAt(x, y, z);
        const at = row + x * sizeof<T>();
        const symbol = <u32>load<T>(at);
        let prediction: i32 = base - own;
        if (x + y + z > 0) {
          prediction =
            predictor === medianPredictor
              ? i32x4.extract_lane(medians(p, x, y, z), 0)
              : weighOne<T>(predictor, p, min<u32>(x, 3));
        }
        const value = toValue<T>(<u32>prediction + ((symbol >> 1) ^ -(symbol & 1)));
        store<i32>(p, value);
        store<T>(at, <T>(<u32>value + own));
      }
    }
  }
}

/** `weigh` for one element. @param column its number in the row, 3 at most */
function weighOne<T>(predictor: u32, p: usize, column: u32): i32 {
  const weights = weightsOf(predictor);
  const own = offsets + 4 * column * maxNeighbours;
  let sum: i32 = 8;
  for (let i: u32 = 0; i < neighbourCount(); i++) sum += load<i32>(p - load<u32>(own + 4 * i)) * load<i16>(weights + 2 * i);
  return max(least<T>(), min(sum >> 4, most<T>()));
}
