import type { Dims3 } from '../../shared/volume.ts';
import type { Block, Form } from './layout.ts';
import { type Linear, linear } from './linear.ts';

/** SPEC.md, 'Predictors': the number of predictors that are sums; they come first. */
export const sumPredictors = 8;
/** The predictor that expects the block's base everywhere. */
export const levelPredictor = 0;
const softPredictor = 6;
const medianPredictor = sumPredictors;
const firstLinear = medianPredictor + 1;

/** The number of predictors that a block may choose from, and the width of their numbers in bits. */
export function predictorsOf({ causal }: Form): { readonly count: number; readonly bits: number } {
  return causal ? { count: 16, bits: 4 } : { count: sumPredictors, bits: 3 };
}

/** An element's place: its coordinates in the block and its index in the brick. */
export interface Place {
  x: number;
  y: number;
  z: number;
  index: number;
}

/** Predicts elements of one block from those before them. */
export class Neighbourhood {
  readonly #elements: Uint16Array;
  readonly #row: number;
  readonly #slice: number;
  readonly #unusedBits: number;
  /** Subtracted from 2-byte elements, which are then taken as signed. 0 for 1-byte elements, which are taken as they are. */
  readonly #base: number;
  readonly #shift: 0 | 16;
  /** The range of elements after that. */
  readonly #least: number;
  readonly #most: number;
  readonly #linear: Linear;
  /** The linear predictors' neighbours of the last element, cached because all linear predictors use the same ones. */
  readonly #weighed: Int32Array;
  #weighedFor = -1;

  /** @param extent of the brick that holds the elements */
  constructor(elements: Uint16Array, [width, height]: Dims3, block: Block, bits: 8 | 16, { picture }: Form) {
    this.#elements = elements;
    this.#row = width;
    this.#slice = width * height;
    this.#unusedBits = 32 - bits;
    this.#base = bits === 16 ? (elements[block.first] as number) : 0;
    this.#shift = bits === 16 ? 16 : 0;
    this.#least = bits === 16 ? -0x8000 : 0;
    this.#most = bits === 16 ? 0x7fff : 0xff;
    this.#linear = linear[picture ? 'picture' : 'volume'];
    this.#weighed = new Int32Array(this.#linear.steps.length);
  }

  /**
   * Predicts an element other than its block's first, with any predictor except level. Only the low bits of the result count.
   */
  predict(predictor: number, place: Readonly<Place>): number {
    const { x, y, z, index } = place;
    const elements = this.#elements;
    const row = this.#row;
    const slice = this.#slice;
    // 'a, b and c are its neighbours to the left (along x), above (y) and behind (z)'
    const a = x > 0 ? (elements[index - 1] as number) : 0;
    const b = y > 0 ? (elements[index - row] as number) : 0;
    const c = z > 0 ? (elements[index - slice] as number) : 0;
    switch (predictor) {
      case 1:
        return x > 0 ? a : y > 0 ? b : c;
      case 2:
        return y > 0 ? b : x > 0 ? a : c;
      case 3:
        return z > 0 ? c : x > 0 ? a : b;
      case 4:
        if (y === 0) return x > 0 ? a : c;
        return a + b - (x > 0 ? (elements[index - row - 1] as number) : 0);
      case 5: {
        let corners = a + b + c;
        if (x > 0 && y > 0) corners -= elements[index - row - 1] as number;
        if (x > 0 && z > 0) corners -= elements[index - slice - 1] as number;
        if (y > 0 && z > 0) corners -= elements[index - slice - row] as number;
        return x > 0 && y > 0 && z > 0 ? corners + (elements[index - slice - row - 1] as number) : corners;
      }
      case softPredictor:
        return this.#soft(index, x > 0 ? 1 : 0, y > 0 ? row : 0, z > 0 ? slice : 0);
      case softPredictor + 1:
        return this.#soft(index, y > 0 ? row : 0, x > 0 ? 1 : 0, z > 0 ? slice : 0);
      case medianPredictor:
        return this.#median(x > 0, y > 0, z > 0, index);
      default:
        return this.#weigh(predictor - firstLinear, place);
    }
  }

  /**
   * Adds differences along the first axis in full, along the second and third by half.
   * @param first the step to the neighbour along each axis; 0 where there is none
   */
  #soft(index: number, first: number, second: number, third: number): number {
    const elements = this.#elements;
    const along = (i: number) => (elements[i] as number) - (first ? (elements[i - first] as number) : 0);
    const carried = (i: number) => {
      if (!second) return 0;
      return first ? this.#half(along(i - second)) : along(i - second);
    };
    const inSlice = (first ? (elements[index - first] as number) : 0) + carried(index);
    if (!third) return inSlice;
    const before = along(index - third) - carried(index - third);
    return inSlice + (first || second ? this.#half(before) : before);
  }

  /** 'the least whole number that is not below d / 2, with d taken as signed' */
  #half(difference: number): number {
    const signed = (difference << this.#unusedBits) >> this.#unusedBits;
    return signed - (signed >> 1);
  }

  /** 'the median of the planes a + b − ab, a + c − ac and b + c − bc, clamped to the range of a, b and c' */
  #median(hasA: boolean, hasB: boolean, hasC: boolean, index: number): number {
    const a = hasA ? this.#value(index - 1) : 0;
    const b = hasB ? this.#value(index - this.#row) : 0;
    const c = hasC ? this.#value(index - this.#slice) : 0;
    const ab = hasA && hasB ? a + b - this.#value(index - this.#row - 1) : 0;
    const ac = hasA && hasC ? a + c - this.#value(index - this.#slice - 1) : 0;
    const bc = hasB && hasC ? b + c - this.#value(index - this.#slice - this.#row) : 0;
    if (hasA && hasB && hasC) {
      const median = Math.max(Math.min(ab, ac), Math.min(Math.max(ab, ac), bc));
      return this.#base + clamp(median, Math.min(a, b, c), Math.max(a, b, c));
    }
    if (hasA && hasB) return this.#base + clamp(ab, Math.min(a, b), Math.max(a, b));
    if (hasA && hasC) return this.#base + clamp(ac, Math.min(a, c), Math.max(a, c));
    if (hasB && hasC) return this.#base + clamp(bc, Math.min(b, c), Math.max(b, c));
    return this.#base + a + b + c;
  }

  /** 'The prediction is the sum of these neighbours times their weights, plus 8, divided by 16 and rounded down' */
  #weigh(number: number, { x, y, z, index }: Readonly<Place>): number {
    const { steps, weights } = this.#linear;
    const weighed = this.#weighed;
    if (this.#weighedFor !== index) {
      this.#weighedFor = index;
      // The nearest element inside the block; if that is the element itself, the one to the left, above or behind.
      const nearest = x > 0 ? 1 : y > 0 ? this.#row : this.#slice;
      for (const [i, step] of steps.entries()) {
        const back = Math.min(step[0], x) + Math.min(step[1], y) * this.#row + Math.min(step[2], z) * this.#slice;
        weighed[i] = this.#value(index - (back || nearest));
      }
    }
    const own = weights[number] as readonly number[];
    let sum = 8;
    for (let i = 0; i < weighed.length; i++) sum += (own[i] as number) * (weighed[i] as number);
    return this.#base + clamp(sum >> 4, this.#least, this.#most);
  }

  #value(index: number): number {
    return (((this.#elements[index] as number) - this.#base) << this.#shift) >> this.#shift;
  }
}

/**
 * The rounded mean of the block's elements. It is computed from their signed differences to the brick's first element.
 * @param elements all elements of the brick
 */
export function meanOf(elements: Uint16Array, brick: Dims3, block: Block, bits: 8 | 16): number {
  const first = elements[0] as number;
  const half = 2 ** (bits - 1);
  let sum = 0;
  let count = 0;
  forEachElement(block, brick, 1, ({ index }) => {
    sum += ((elements[index] as number) - first + half) & (2 * half - 1);
    count++;
  });
  return (first + Math.floor((2 * sum + count) / (2 * count)) - half) & (2 * half - 1);
}

function clamp(value: number, least: number, largest: number): number {
  return Math.max(least, Math.min(largest, value));
}

/** The encoder's choice samples one row in this many: SPEC.md, "The encoder's choice". */
export function rowStep({ extent }: Block, { picture, causal }: Form): 1 | 2 | 4 {
  if (extent[1] * extent[2] === 1) return 1;
  return picture || causal || extent[1] < 4 ? 2 : 4;
}

/**
 * Visits a block's elements with x fastest, then y, then z. `place` is the same object in every call.
 * @param step all rows (1), or 'those whose y + z is odd' (2), or 'the rows whose y + 2z is 1 more than a multiple of 4' (4)
 */
export function forEachElement(
  { origin, extent }: Block,
  brick: Dims3,
  step: 1 | 2 | 4,
  visit: (place: Readonly<Place>) => void,
): void {
  const place: Place = { x: 0, y: 0, z: 0, index: 0 };
  for (place.z = 0; place.z < extent[2]; place.z++) {
    const odd = place.z % 2;
    const firstRow = step === 1 ? 0 : step === 2 ? 1 - odd : 1 + 2 * odd;
    for (place.y = firstRow; place.y < extent[1]; place.y += step) {
      place.index = ((origin[2] + place.z) * brick[1] + origin[1] + place.y) * brick[0] + origin[0];
      for (place.x = 0; place.x < extent[0]; place.x++, place.index++) visit(place);
    }
  }
}
