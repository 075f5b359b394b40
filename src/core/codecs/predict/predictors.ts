import { fromSymbol, toSymbol } from '../../codec/symbols.ts';
import type { Dims3 } from '../../shared/volume.ts';

export { fromSymbol };

/** Running sums along one axis. `at` restricts them to lines with coordinates of 0. */
interface Sum {
  readonly axis: 0 | 1 | 2;
  readonly at: readonly (0 | 1 | 2)[];
}

/** SPEC.md, 'Predictors': each is a list of sums that turns residuals into elements. A predictor's number is its index here. */
const sums: readonly (readonly Sum[])[] = [
  [],
  [sum(2, 0, 1), sum(1, 0), sum(0)],
  [sum(2, 0, 1), sum(0, 1), sum(1)],
  [sum(1, 0, 2), sum(0, 2), sum(2)],
  [sum(2, 0, 1), sum(1), sum(0)],
  [sum(2), sum(1), sum(0)],
  [sum(1, 0, 2), sum(2), sum(0)],
  [sum(0, 1, 2), sum(2), sum(1)],
];

function sum(axis: 0 | 1 | 2, ...at: (0 | 1 | 2)[]): Sum {
  return { axis, at };
}

/** Predictor 8 is the median, the only one that is not a list of sums. */
export const medianPredictor = 8;

/** Stored instead of a predictor for bricks in which every element equals its block's base. */
export const flatMark = 15;

/** The symbols of a block's elements. For the first one: 'Its residual counts as 0, and is coded as 0.' */
export function symbolsOf(elements: Uint16Array, extent: Dims3, predictor: number, bits: 8 | 16): Uint16Array {
  const block = elements.slice();
  if (predictor === medianPredictor) subtractMedians(block, elements, extent);
  else difference(block, extent, sums[predictor] as readonly Sum[]);
  block[0] = 0;
  for (let i = 0; i < block.length; i++) block[i] = toSymbol(block[i] as number, bits);
  return block;
}

/** The inverse: replaces a block's residuals, of which the first is the base, with its elements. */
export function reconstruct(block: Uint16Array, extent: Dims3, predictor: number, bits: 8 | 16): void {
  if (predictor === medianPredictor) addMedians(block, extent, bits);
  else accumulate(block, extent, sums[predictor] as readonly Sum[]);
}

function difference(block: Uint16Array, extent: Dims3, steps: readonly Sum[]): void {
  for (const step of steps.toReversed()) {
    forEachLine(extent, step, (first, stride, length) => {
      for (let i = first + (length - 1) * stride; i > first; i -= stride) {
        block[i] = (block[i] as number) - (block[i - stride] as number);
      }
    });
  }
}

function accumulate(block: Uint16Array, extent: Dims3, steps: readonly Sum[]): void {
  for (const step of steps) {
    forEachLine(extent, step, (first, stride, length) => {
      const end = first + length * stride;
      for (let i = first + stride; i < end; i += stride) block[i] = (block[i] as number) + (block[i - stride] as number);
    });
  }
}

function forEachLine(extent: Dims3, { axis, at }: Sum, visit: (first: number, stride: number, length: number) => void): void {
  const strides: Dims3 = [1, extent[0], extent[0] * extent[1]];
  const [a, b] = [axis === 0 ? 1 : 0, axis === 2 ? 1 : 2] as const;
  const endA = at.includes(a) ? 1 : extent[a];
  const endB = at.includes(b) ? 1 : extent[b];
  for (let j = 0; j < endB; j++) {
    for (let i = 0; i < endA; i++) visit(i * strides[a] + j * strides[b], strides[axis], extent[axis]);
  }
}

function subtractMedians(block: Uint16Array, elements: Uint16Array, extent: Dims3): void {
  forEachMedian(elements, extent, (i, median) => {
    block[i] = (block[i] as number) - median;
  });
}

function addMedians(block: Uint16Array, extent: Dims3, bits: 8 | 16): void {
  const mask = 2 ** bits - 1;
  forEachMedian(block, extent, (i, median) => {
    block[i] = ((block[i] as number) + median) & mask;
  });
}

/** Visits the elements from the second on, in order, with the median's prediction from earlier elements. */
function forEachMedian(elements: Uint16Array, extent: Dims3, visit: (index: number, median: number) => void): void {
  const [stepY, stepZ] = [extent[0], extent[0] * extent[1]];
  // 'neighbours outside the block count as 0.'
  const at = (index: number, isInside: boolean) => (isInside ? (elements[index] as number) : 0);
  for (let z = 0, i = 0; z < extent[2]; z++) {
    for (let y = 0; y < extent[1]; y++) {
      for (let x = 0; x < extent[0]; x++, i++) {
        if (i === 0) continue;
        const [hasA, hasB, hasC] = [x > 0, y > 0, z > 0];
        const a = at(i - 1, hasA);
        const b = at(i - stepY, hasB);
        const c = at(i - stepZ, hasC);
        const ab = at(i - 1 - stepY, hasA && hasB);
        const ac = at(i - 1 - stepZ, hasA && hasC);
        const bc = at(i - stepY - stepZ, hasB && hasC);
        const abc = at(i - 1 - stepY - stepZ, hasA && hasB && hasC);
        visit(i, middleOf([a, b, c, a + b - ab, a + c - ac, b + c - bc, a + b + c - ab - ac - bc + abc]));
      }
    }
  }
}

/** 'The median is that of seven numbers'. Sorts in place by insertion, which is fast for so few. */
function middleOf(values: number[]): number {
  for (let i = 1; i < 7; i++) {
    const value = values[i] as number;
    let j = i;
    for (; j > 0 && (values[j - 1] as number) > value; j--) values[j] = values[j - 1] as number;
    values[j] = value;
  }
  return values[3] as number;
}
