// The encoder's choice of a predictor: SPEC.md, "The encoder's choice".

import { splat, sub, sumWords, toSymbols } from '../common/lanes';
import {
  blockHeight,
  blockSide,
  blockWidth,
  depth,
  isCausal,
  isPicture,
  lanesWithLeft,
  presentLanes,
  rowOf,
  sliceOf,
  vector,
} from './brick';
import { addCausalRow, causalPredictors } from './causal';
import { level, predictors, residuals } from './predict';

/** Predictors 0 to 7, then level with the mean as its base; then predictors 8 to 15. */
const plainCandidates: u32 = predictors + 1;
const mostCandidates: u32 = plainCandidates + causalPredictors;
export const meanCandidate: u32 = predictors;

/** The predictor of a candidate. */
export function predictorOf(candidate: u32): u32 {
  return candidate === meanCandidate ? level : candidate < meanCandidate ? candidate : candidate - 1;
}

/** Rows of parts in a whole block's plane: 32 in volumes, 8 in pictures. */
const partRows: u32 = 32;
/** Vectors of all rows of parts, at most. */
const partVectors: u32 = 64;
/** For each candidate, row of parts and vector: sums of the symbols in each word. */
const sums: usize = memory.data(<i32>(mostCandidates * partVectors * vector), 16);
const rowCounts: usize = memory.data(<i32>(partRows * 4), 16);

/** Bytes of the sums of a row of parts. */
function partRowBytes<T>(): u32 {
  return blockSide * sizeof<T>();
}

/** The candidate whose parts are worth the least; the first on a tie. @param block address; `mean` is the block's */
export function chooseCandidate<T>(block: usize, mean: u32): u32 {
  const candidates: u32 = isCausal ? mostCandidates : plainCandidates;
  memory.fill(sums, 0, candidates * partVectors * vector);
  memory.fill(rowCounts, 0, partRows * 4);
  const step: u32 = depth * blockHeight === 1 ? 1 : isPicture || isCausal || blockHeight < 4 ? 2 : 4;
  for (let z: u32 = 0; z < depth; z++) {
    const odd = z & 1;
    for (let y: u32 = step === 1 ? 0 : step === 2 ? 1 - odd : 1 + 2 * odd; y < blockHeight; y += step) {
      // In volumes a part has two slices of u8, one of u16.
      const part = (sizeof<T>() === 1 ? z >> 1 : z) * 4 + (y >> 2);
      store<u32>(rowCounts + 4 * part, load<u32>(rowCounts + 4 * part) + 1);
      const to = sums + part * partRowBytes<T>();
      addRow<T>(block + z * sliceOf<T>() + y * rowOf<T>(), y, z, mean, to);
      if (isCausal) addCausalRow<T>(y, z, to + plainCandidates * partVectors * vector, partVectors * vector);
    }
  }
  let best: u32 = 0;
  let least: u32 = u32.MAX_VALUE;
  for (let candidate: u32 = 0; candidate < candidates; candidate++) {
    const worth = worthOf<T>(sums + candidate * partVectors * vector);
    if (worth < least) {
      least = worth;
      best = candidate;
    }
  }
  return best;
}

/** Adds a row's symbols under predictors 0 to 7 and the mean to its parts' sums, the first of which is at `to`. */
function addRow<T>(row: usize, y: u32, z: u32, mean: u32, to: usize): void {
  const zero = splat<T>(0);
  const means = splat<T>(mean);
  for (let x: u32 = 0; x < blockWidth; x += vector / sizeof<T>()) {
    const p = row + x * sizeof<T>();
    const present = presentLanes<T>(x);
    for (let candidate: u32 = 0; candidate < plainCandidates; candidate++) {
      const isLevel = candidate === level || candidate === meanCandidate;
      const r = residuals<T>(isLevel ? level : candidate, p, x, y, z, candidate === meanCandidate ? means : zero);
      let symbols = v128.and(toSymbols<T>(r), present);
      if (y + z === 0 && !isLevel) symbols = v128.and(symbols, lanesWithLeft<T>(x));
      const at = to + candidate * partVectors * vector + x * sizeof<T>();
      v128.store(at, i32x4.add(v128.load(at), sumWords<T>(symbols)));
    }
  }
}

/** 'What a part is worth', of all parts. */
function worthOf<T>(at: usize): u32 {
  const partWidth: u32 = isPicture && sizeof<T>() === 1 ? 8 : 4;
  /** Words of a part's row that have sums. */
  const partWords = (partWidth * sizeof<T>()) >> 2;
  let worth: u32 = 0;
  for (let part: u32 = 0; part < partRows; part++) {
    const rows = load<u32>(rowCounts + 4 * part);
    if (rows === 0) continue;
    let word = at + part * partRowBytes<T>();
    for (let x: u32 = 0; x < blockWidth; x += partWidth) {
      const count = rows * min(partWidth, blockWidth - x);
      const sum = load<u32>(word) + (partWords > 1 ? load<u32>(word, 4) : 0);
      worth += count * (logarithm(sum + count) - logarithm(count));
      word += 4 * partWords;
    }
  }
  return worth;
}

/** 'L is a logarithm with base 2, in 256ths, linear between powers of 2' */
function logarithm(value: u32): u32 {
  const exponent = 31 - clz(value);
  return 256 * (exponent - 1) + ((256 * value) >> exponent);
}

/**
 * The mean of the block's elements, from their signed differences to the brick's first element: SPEC.md, 'Mean'.
 * @param first the brick's first element
 */
export function meanOf<T>(block: usize, first: u32): u32 {
  const bits: u32 = 8 * sizeof<T>();
  const middle: u32 = 1 << (bits - 1);
  const shift = splat<T>(first - middle);
  let sum: u64 = 0;
  for (let z: u32 = 0; z < depth; z++) {
    let words = i32x4.splat(0);
    for (let y: u32 = 0; y < blockHeight; y++) {
      const row = block + z * sliceOf<T>() + y * rowOf<T>();
      for (let x: u32 = 0; x < blockWidth; x += vector / sizeof<T>()) {
        const shifted = sub<T>(v128.load(row + x * sizeof<T>()), shift);
        words = i32x4.add(words, sumWords<T>(v128.and(shifted, presentLanes<T>(x))));
      }
    }
    sum += <u64>i32x4.extract_lane(words, 0) + i32x4.extract_lane(words, 1);
    sum += <u64>i32x4.extract_lane(words, 2) + i32x4.extract_lane(words, 3);
  }
  const count = <u64>blockWidth * blockHeight * depth;
  return (first + <u32>((2 * sum + count) / (2 * count)) - middle) & (2 * middle - 1);
}
