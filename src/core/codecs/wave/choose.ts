import type { Dims3 } from '../../shared/volume.ts';
import { neighbourCount, signCells } from './model.ts';
import { levelCount, phaseCount, tokenCount, tokenFrequencies } from './tables.ts';

/**
 * The encoder's choices, made from sums that CPU and GPU compute identically. Everything is exact, or uses only + − × ÷ of
 * doubles, so it is the same on every machine. Twins: choose.wgsl, solve.wgsl and coding.wgsl in src/shaders/wave.
 */

/** The maximum number of elements of a part that are sampled to find its special values. */
export const sampleCount = 4096;

/** The number of the i-th sampled element of a part with `elements` elements. */
export function samplePlace(i: number, elements: number): number {
  const step = Math.max(1, Math.floor(elements / sampleCount));
  return i * step + ((i * 29) % step);
}

/** The number of times that each value occurred; all 0 between calls of `specialsOf`. */
const met = new Uint16Array(2 ** 16);

/** A special value occurs at least this often in the sample. */
const fewest = 8;

/**
 * At most two values that are far more frequent than adjacent values, the most frequent first. The first must be frequent enough to pay
 * for a flag on every element, the second for one on every element that is not the first value.
 */
export function specialsOf(sample: ArrayLike<number>): number[] {
  const values: number[] = [];
  for (let i = 0; i < sample.length; i++) {
    const value = sample[i] as number;
    if (met[value] === 0) values.push(value);
    met[value] = (met[value] as number) + 1;
  }
  const countOf = (value: number) => met[value] ?? 0;
  const peaks = values
    // Rare values, of which 16-bit elements have thousands, need not be sorted.
    .filter((value) => countOf(value) >= fewest && countOf(value) > 3 * Math.max(countOf(value - 1), countOf(value + 1)))
    .sort((a, b) => countOf(b) - countOf(a) || a - b);
  const specials: number[] = [];
  /** The number of sampled elements without the special values found so far. */
  let left = sample.length;
  for (const value of peaks.slice(0, 2)) {
    const own = countOf(value);
    if (own < fewest || 64 * own < left) break;
    specials.push(value);
    left -= own;
  }
  for (const value of values) met[value] = 0;
  return specials;
}

/** The number of columns of a fit: the neighbours, then the element itself. */
export const columns = neighbourCount + 1;
/** The number of sums of a fit: products of two columns, the first of which is a neighbour, in the order of an upper triangle. */
export const fitSums = (neighbourCount * (neighbourCount + 1)) / 2 + neighbourCount;

/** In sums, values are shifted right by this, so that they have at most 12 bits. */
export function fitShift(range: number): number {
  return Math.max(0, 20 - Math.clz32(range));
}

/** The weight, 1 to 63, of an element, from the variation of its surroundings. */
export function fitWeight(unrest: number): number {
  return Math.max(1, Math.floor(252 / (4 + unrest)));
}

/** In parts with this many rows, some of the rows are enough for choices. */
const manyRows = 1024;

/** One of this many rows after slice 0 counts in a fit. The first fit needs fewer rows than the second. */
export function fitPeriod([, y, z]: Dims3, byResiduals: boolean): 4 | 16 {
  return byResiduals || y * z < manyRows ? 4 : 16;
}

/** One of this many rows is surveyed. */
export function surveyPeriod([, y, z]: Dims3): 1 | 4 {
  return y * z < manyRows ? 1 : 4;
}

export function isCounted(y: number, z: number, period: number): boolean {
  return (y + z) % period === 0;
}

/** The equations that `solveWeights` solves. Kept, because each typed array of thousands of calls is memory of its own to collect. */
const equations = new Float64Array(neighbourCount * columns);

/** The least-squares weights, in 256ths. @param count the number of neighbours: 10 for slice 0, else 28 */
export function solveWeights(sums: ArrayLike<number>, count: number): Int32Array {
  const weights = new Int32Array(neighbourCount);
  const size = count + 1;
  const matrix = equations;
  let at = 0;
  for (let row = 0; row < neighbourCount; row++) {
    for (let column = row; column < columns; column++, at++) {
      const sum = sums[at] as number;
      if (row >= count) continue;
      if (column === neighbourCount) matrix[row * size + count] = sum;
      else if (column < count) {
        matrix[row * size + column] = sum;
        matrix[column * size + row] = sum;
      }
    }
  }
  // Regularization, which ensures a solution if neighbours are linearly dependent.
  for (let i = 0; i < count; i++) {
    const diagonal = matrix[i * size + i] as number;
    matrix[i * size + i] = diagonal + (1 + diagonal / 2 ** 20);
  }
  eliminate(matrix, count);
  // Back substitution uses rounded weights, so that later weights compensate for the rounding of earlier ones. Each weight is taken
  // off all equations above at once, as on the GPU.
  for (let i = 0; i < count; i++) matrix[i * size + count] = 256 * (matrix[i * size + count] as number);
  for (let i = count - 1; i >= 0; i--) {
    const exact = (matrix[i * size + count] as number) / (matrix[i * size + i] as number);
    const weight = Math.max(-1023, Math.min(1023, Math.floor(exact + 0.5)));
    weights[i] = weight;
    for (let j = 0; j < i; j++) {
      matrix[j * size + count] = (matrix[j * size + count] as number) - weight * (matrix[j * size + i] as number);
    }
  }
  return weights;
}

/** Gaussian elimination. The last column is the right-hand side. The matrix is symmetric positive definite, so it needs no pivoting. */
function eliminate(matrix: Float64Array, count: number): void {
  const size = count + 1;
  for (let i = 0; i < count; i++) {
    const pivot = matrix[i * size + i] as number;
    for (let j = i + 1; j < count; j++) {
      const factor = (matrix[j * size + i] as number) / pivot;
      if (factor === 0) continue;
      // Elements left of the diagonal are not read again.
      for (let k = i + 1; k < size; k++) {
        matrix[j * size + k] = (matrix[j * size + k] as number) - factor * (matrix[i * size + k] as number);
      }
    }
  }
}

/** Counts of a part's elements without special values, made with a prediction without biases. */
export interface Counts {
  /** The sums of distances in 64ths of the scale, by residual cell and gradient cell. */
  readonly distances: Int32Array;
  readonly elements: Int32Array;
  /** The numbers of tokens, by level, phase and token. */
  readonly tokens: Uint32Array;
}

export function newCounts(): Counts {
  return {
    distances: new Int32Array(signCells * signCells),
    elements: new Int32Array(signCells * signCells),
    tokens: new Uint32Array(levelCount * phaseCount * tokenCount),
  };
}

/** A distance in the unit in which `Counts.distances` sums it. */
export function countedDistance(distance: number, scale: number): number {
  return Math.max(-256, Math.min(256, Math.trunc((64 * distance) / scale)));
}

/** The biases: first those of residual cells, then those of gradient cells, for the distances that the first ones leave. */
export function biasesOf({ distances, elements }: Counts): { residualBias: Int32Array; gradientBias: Int32Array } {
  const residualBias = new Int32Array(signCells);
  const gradientBias = new Int32Array(signCells);
  for (let cell = 0; cell < signCells; cell++) {
    let [sum, count] = [0, 0];
    for (let other = 0; other < signCells; other++) {
      sum += distances[cell * signCells + other] as number;
      count += elements[cell * signCells + other] as number;
    }
    residualBias[cell] = meanBias(sum, count);
  }
  for (let cell = 0; cell < signCells; cell++) {
    let [sum, count] = [0, 0];
    for (let other = 0; other < signCells; other++) {
      const own = elements[other * signCells + cell] as number;
      sum += (distances[other * signCells + cell] as number) - own * (residualBias[other] as number);
      count += own;
    }
    gradientBias[cell] = meanBias(sum, count);
  }
  return { residualBias, gradientBias };
}

function meanBias(sum: number, count: number): number {
  if (count < 32) return 0;
  return Math.max(-31, Math.min(31, Math.floor((2 * sum + count) / (2 * count))));
}

/** The approximate length of each token, in 64ths of a bit. */
export const tokenCosts = Float64Array.from(tokenFrequencies, (frequency) => 768 - logarithm(frequency));

/** The last level whose tables are for smooth pictures. Other levels may use these tables, too. */
const lastSmoothLevel = 4;

/**
 * For each level, the level whose tables suit its tokens best: one at most three levels away, or one for smooth pictures. Others are
 * not tried, because tokens are counted without biases: a table far from the level often suits only tokens without biases.
 */
export function levelsOf({ tokens }: Counts): Uint8Array {
  const levels = new Uint8Array(levelCount);
  const perLevel = phaseCount * tokenCount;
  // Most tokens never occur. Skip them here instead of once per tried level.
  const present = new Uint16Array(perLevel);
  for (let level = 0; level < levelCount; level++) {
    let kinds = 0;
    for (let i = 0; i < perLevel; i++) if (tokens[level * perLevel + i] !== 0) present[kinds++] = i;
    const costOf = (other: number, most: number) => {
      let cost = 0;
      for (let at = 0; at < kinds && cost < most; at++) {
        const i = present[at] as number;
        cost += (tokens[level * perLevel + i] as number) * (tokenCosts[other * perLevel + i] as number);
      }
      return cost;
    };
    let best = level;
    let least = costOf(level, Number.POSITIVE_INFINITY);
    for (let other = 0; other < levelCount && kinds > 0; other++) {
      if (other > lastSmoothLevel && Math.abs(other - level) > 3) continue;
      const cost = costOf(other, least);
      if (cost >= least) continue;
      least = cost;
      best = other;
    }
    levels[level] = best;
  }
  return levels;
}

/** About 64 times the logarithm to base 2. */
function logarithm(value: number): number {
  const octave = 31 - Math.clz32(value);
  const fraction = ((value << 12) >> octave) - 4096;
  // A parabola through both ends. Its error is less than a hundredth of an octave.
  return 64 * octave + ((64 * fraction + ((22 * fraction * (4096 - fraction)) >> 12)) >> 12);
}

/**
 * The lowest element and the range, with elements taken as unsigned or signed, whichever gives the smaller range. If 16-bit elements
 * span nearly all numbers either way, a few outliers would decide which range is smaller, so the sample decides instead.
 * @param signedLow and `signedHigh`: the bounds of the elements with their highest bit flipped
 * @param sample some of the elements
 */
export function chooseRange(
  [low, high, signedLow, signedHigh]: readonly [low: number, high: number, signedLow: number, signedHigh: number],
  sample: ArrayLike<number>,
  bits: number,
) {
  const [unsigned, signed] = [high - low, signedHigh - signedLow];
  const areFull = bits === 16 && Math.min(unsigned, signed) >= 7 * 2 ** 13;
  const isSigned = areFull ? wrapsMore(sample) : signed < unsigned;
  return isSigned ? { lowest: signedLow ^ (2 ** (bits - 1)), range: signed } : { lowest: low, range: unsigned };
}

/** Whether more 16-bit elements are near 0, on both sides, than near 2^15: then they are contiguous as signed numbers. */
function wrapsMore(sample: ArrayLike<number>): boolean {
  const eighths = new Uint32Array(8);
  for (let i = 0; i < sample.length; i++) {
    const eighth = (sample[i] as number) >> 13;
    eighths[eighth] = (eighths[eighth] as number) + 1;
  }
  const least = (one: number, other: number) => Math.min(eighths[one] as number, eighths[other] as number);
  return least(0, 7) > least(3, 4);
}
