import type { Dims3 } from '../../shared/volume.ts';

/** SPEC.md, 'Linear': the linear predictors of one geometry. */
export interface Linear {
  /** The neighbours' offsets along x, y and z. */
  readonly steps: readonly Dims3[];
  /** For each predictor, its neighbours' weights in sixteenths. They sum to 16. */
  readonly weights: readonly (readonly number[])[];
}

/** Twin: src/shaders/rice/linear.wgsl. */
export const linear: Readonly<Record<'picture' | 'volume', Linear>> = {
  picture: {
    steps: [
      [1, 0, 0],
      [0, 1, 0],
      [1, 1, 0],
      [2, 0, 0],
      [0, 2, 0],
      [2, 1, 0],
      [1, 2, 0],
      [3, 0, 0],
      [0, 3, 0],
    ],
    weights: [
      [10, 10, -5, -3, -2, 1, 1, 2, 2],
      [15, 13, -9, -7, -6, 2, 3, 3, 2],
      [21, 15, -12, -10, -6, 2, 3, 2, 1],
      [3, 3, 2, 2, 2, 1, 1, 1, 1],
      [13, 13, -3, -2, -2, -2, -1, 0, 0],
      [10, 9, -2, -1, -1, 0, 0, 1, 0],
      [16, 18, -12, -7, -8, 2, 3, 2, 2],
    ],
  },
  volume: {
    steps: [
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
      [1, 1, 0],
      [1, 0, 1],
      [0, 1, 1],
      [1, 1, 1],
      [2, 0, 0],
      [0, 2, 0],
      [0, 0, 2],
    ],
    weights: [
      [2, 2, 2, 2, 1, 1, 1, 2, 2, 1],
      [11, 10, 7, -4, -2, -2, 0, -2, -1, -1],
      [4, 9, 6, 2, 1, 1, -4, -1, -1, -1],
      [10, 12, 4, -3, -2, -1, 0, -2, -2, 0],
      [6, 9, 11, -1, -1, -1, -2, -1, -2, -2],
      [10, 8, 11, -2, -3, -2, -1, -2, -1, -2],
      [5, 13, 6, 1, 2, -1, -5, -1, -3, -1],
    ],
  },
};
