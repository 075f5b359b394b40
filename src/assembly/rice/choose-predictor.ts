// The encoder's choice of a predictor: SPEC.md, "The encoder's choice".

import { splat, sub, sumWords, toSymbols } from '../common/lanes';
import { depth, height, lanesWithLeft, presentLanes, rowOf, side, sliceOf, vector, width } from './brick';
import { level, predictors, residuals } from './predict';

/** Predictors 0 to 7, then level with the mean as its base. */
export const candidates: u32 = predictors + 1;
export const meanCandidate: u32 = predictors;

/** Parts of a whole brick's plane: 8 halves of groups along z, 4 groups along y, 4 along x. The 4 along x are a vector. */
const partVectors: u32 = 32;
const sums: usize = memory.data(<i32>(candidates * partVectors * vector), 16);
const rowCounts: usize = memory.data(<i32>(partVectors * 4), 16);

/** The candidate whose parts are worth the least; the first on a tie. @param plane address; `mean` is the block's */
export function chooseCandidate<T>(plane: usize, mean: u32): u32 {
  memory.fill(sums, 0, candidates * partVectors * vector);
  memory.fill(rowCounts, 0, partVectors * 4);
  const step: u32 = depth * height === 1 ? 1 : height < 4 ? 2 : 4;
  for (let z: u32 = 0; z < depth; z++) {
    const odd = z & 1;
    for (let y: u32 = step === 1 ? 0 : step === 2 ? 1 - odd : 1 + 2 * odd; y < height; y += step) {
      // A part has two slices of u8, one of u16.
      const part = (sizeof<T>() === 1 ? z >> 1 : z) * 4 + (y >> 2);
      store<u32>(rowCounts + 4 * part, load<u32>(rowCounts + 4 * part) + 1);
      addRow<T>(plane + z * sliceOf<T>() + y * rowOf<T>(), y, z, mean, sums + part * vector);
    }
  }
  let best: u32 = 0;
  let least: u32 = u32.MAX_VALUE;
  for (let candidate: u32 = 0; candidate < candidates; candidate++) {
    const worth = worthOf(sums + candidate * partVectors * vector);
    if (worth < least) {
      least = worth;
      best = candidate;
    }
  }
  return best;
}

/** Adds a row's symbols under each candidate to its parts' sums, the first of which is at `to`. */
function addRow<T>(row: usize, y: u32, z: u32, mean: u32, to: usize): void {
  const zero = splat<T>(0);
  const means = splat<T>(mean);
  for (let x: u32 = 0; x < side; x += vector / sizeof<T>()) {
    const p = row + x * sizeof<T>();
    const present = presentLanes<T>(x);
    for (let candidate: u32 = 0; candidate < candidates; candidate++) {
      const isLevel = candidate === level || candidate === meanCandidate;
      const r = residuals<T>(isLevel ? level : candidate, p, x, y, z, candidate === meanCandidate ? means : zero);
      let symbols = v128.and(toSymbols<T>(r), present);
      if (y + z === 0 && !isLevel) symbols = v128.and(symbols, lanesWithLeft<T>(x));
      const at = to + candidate * partVectors * vector;
      v128.store(at, i32x4.add(v128.load(at), groupSums<T>(symbols, x)));
    }
  }
}

/** Sums of a vector's symbols for each of the row's four groups. @param x the number in the row of its first element */
function groupSums<T>(symbols: v128, x: u32): v128 {
  const words = sumWords<T>(symbols);
  if (sizeof<T>() === 1) return words;
  // Of u16 two words are a group.
  const pairs = i32x4.add(words, i8x16.shuffle(words, words, 4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11));
  const zero = i32x4.splat(0);
  return x === 0
    ? i8x16.shuffle(pairs, zero, 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 20, 21, 22, 23)
    : i8x16.shuffle(pairs, zero, 16, 17, 18, 19, 20, 21, 22, 23, 0, 1, 2, 3, 8, 9, 10, 11);
}

/** 'What a part is worth', of all parts. */
function worthOf(at: usize): u32 {
  let worth: u32 = 0;
  for (let part: u32 = 0; part < partVectors; part++) {
    const rows = load<u32>(rowCounts + 4 * part);
    if (rows === 0) continue;
    for (let group: u32 = 0; group << 2 < width; group++) {
      const count = rows * min<u32>(4, width - (group << 2));
      worth += count * (logarithm(load<u32>(at + part * vector + 4 * group) + count) - logarithm(count));
    }
  }
  return worth;
}

/** 'L is a logarithm with base 2, in 256ths, linear between powers of 2' */
function logarithm(value: u32): u32 {
  const exponent = 31 - clz(value);
  return 256 * (exponent - 1) + ((256 * value) >> exponent);
}

/** The mean of the block's elements as their differences to the brick's first one are signed: SPEC.md, 'Mean'. */
export function meanOf<T>(plane: usize): u32 {
  const bits: u32 = 8 * sizeof<T>();
  const middle: u32 = 1 << (bits - 1);
  const first = <u32>load<T>(plane);
  const shift = splat<T>(first - middle);
  let sum: u64 = 0;
  for (let z: u32 = 0; z < depth; z++) {
    let words = i32x4.splat(0);
    for (let y: u32 = 0; y < height; y++) {
      const row = plane + z * sliceOf<T>() + y * rowOf<T>();
      for (let x: u32 = 0; x < side; x += vector / sizeof<T>()) {
        const shifted = sub<T>(v128.load(row + x * sizeof<T>()), shift);
        words = i32x4.add(words, sumWords<T>(v128.and(shifted, presentLanes<T>(x))));
      }
    }
    sum += <u64>i32x4.extract_lane(words, 0) + i32x4.extract_lane(words, 1);
    sum += <u64>i32x4.extract_lane(words, 2) + i32x4.extract_lane(words, 3);
  }
  const count = <u64>width * height * depth;
  return (first + <u32>((2 * sum + count) / (2 * count)) - middle) & (2 * middle - 1);
}
