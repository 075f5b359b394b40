import type { Dims3 } from '../../shared/volume.ts';

/** Sums along one axis, over those lines only whose other coordinates are 0 where `at` says so. */
interface Sum {
  readonly axis: 0 | 1 | 2;
  readonly at: readonly (0 | 1 | 2)[];
}

/** SPEC.md, 'Predictors': each is a list of sums that turns residuals into elements. The number is the place in this list. */
export const predictors: readonly (readonly Sum[])[] = [
  [],
  [sum(2, 0, 1), sum(1, 0), sum(0)],
  [sum(2, 0, 1), sum(0, 1), sum(1)],
  [sum(1, 0, 2), sum(0, 2), sum(2)],
  [sum(2, 0, 1), sum(1), sum(0)],
  [sum(2), sum(1), sum(0)],
];

function sum(axis: 0 | 1 | 2, ...at: (0 | 1 | 2)[]): Sum {
  return { axis, at };
}

/** Replaces a block's elements by their residuals, modulo 2^16 (of which 8-bit elements need the low half). */
export function difference(block: Uint16Array, extent: Dims3, predictor: number): void {
  const sums = predictors[predictor] as readonly Sum[];
  for (const step of sums.toReversed()) {
    forEachLine(extent, step, (first, stride, length) => {
      for (let i = first + (length - 1) * stride; i > first; i -= stride) {
        block[i] = (block[i] as number) - (block[i - stride] as number);
      }
    });
  }
}

/** The way back. */
export function accumulate(block: Uint16Array, extent: Dims3, predictor: number): void {
  for (const step of predictors[predictor] as readonly Sum[]) {
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

/** 'Residuals 0, −1, 1, −2, 2 … are the symbols 0, 1, 2, 3, 4 …', of `bits` bits. */
export function toSymbol(residual: number, bits: 8 | 16): number {
  const signed = (residual << (32 - bits)) >> (32 - bits);
  return (signed << 1) ^ (signed >> 31);
}

/** The residual, modulo 2^16. */
export function fromSymbol(symbol: number): number {
  return ((symbol >>> 1) ^ -(symbol & 1)) & 0xffff;
}
